import { guardPage } from '../../browser/apply-session.ts';
import { finishAnimations } from '../../browser/page-load/finish-animations.ts';
import type { FrameWorld } from '../../browser/page-load/frame-world.ts';
import { PAGE_LOAD_LIMITS } from '../../browser/page-load/limits.ts';
import type { OperatedPage } from '../../browser/page-load/show-document.ts';
import type { StepAside } from '../../browser/page-permit.ts';
import { COLOR_RULES } from '../../domain/color-rules.ts';
import type { OpeningStep } from '../../domain/reached-by.ts';
import { closingLooksMax, openersPerStateMax, stateSettleMs } from './limits.ts';
import {
  elementsIn,
  hasTooltip,
  isExpanded,
  isUnsafe,
  keyOfElement,
  linkOf,
  nameOfElement,
  type Opener,
  type OpeningAction,
  openingOf,
  opensHiddenPart,
  tagOfElement,
} from './openers-in-page.ts';
import { type Aim, aimAt, createKnownFindings, createSignature, createStates } from './states-in-page.ts';

/** Names of global variables in the isolated world. */
const KNOWN = 'knownFindings';
const STATES = 'pageStates';
/** An expression for `KnownFindings.narrow`, as `AxeOptions.narrow`. */
export const NARROW = `(results) => globalThis.${KNOWN}.narrow(results)`;

/**
 * Prepares a page for its states, before axe runs for the first time.
 * @param carried as `KnownFindings.toCarry` returned it when the page was loaded before
 */
export async function installStates(main: FrameWorld, carried: readonly string[]): Promise<void> {
  const functions = {
    elementsIn,
    keyOfElement,
    nameOfElement,
    tagOfElement,
    openingOf,
    isUnsafe,
    linkOf,
    opensHiddenPart,
    isExpanded,
    hasTooltip,
  };
  const own = { aimAt, createSignature };
  const tools = Object.entries({ ...functions, ...own }).map(([name, each]) => `${name}: ${each.toString()}`);
  const parameters = `${JSON.stringify(COLOR_RULES)}, ${JSON.stringify(carried)}`;
  await main.evaluate(`(() => {
    const tools = { ${tools.join(', ')} };
    globalThis.${KNOWN} = (${createKnownFindings.toString()})(tools, ${parameters});
    globalThis.${STATES} = (${createStates.toString()})(tools);
  })()`);
}

/** A page in which elements are opened and closed again. Methods throw when the page is gone or was loaded again. */
export interface OpenedPage {
  /** Returns the elements that open something, as `PageStates.openers`. */
  openers(): Promise<readonly Opener[]>;
  /**
   * Opens an element in the present state.
   * @returns `closed` if nothing has changed; `gone` if the page now shows something else
   */
  open(opener: Opener): Promise<'open' | 'closed' | 'gone'>;
  /**
   * Closes what is open and opens what has to be open. Calls `onReopened` after each step in which something was opened.
   * @returns false if the page does not come back, or no longer has these elements
   */
  goTo(path: readonly Opener[], onReopened: () => Promise<void>): Promise<boolean>;
  /** Whether nothing has been opened except by `goTo`. */
  isFresh(): boolean;
  /** How the present state was reached. */
  steps(): readonly OpeningStep[];
  /** Returns the number of elements that the page has now. */
  size(): Promise<number>;
  toCarry(): Promise<readonly string[]>;
  end(): Promise<void>;
}

interface OpenStep {
  readonly opener: Opener;
  readonly action: OpeningAction;
  /** The state before it was opened. */
  readonly before: string;
  /** The tab that was selected before. */
  readonly tab: string | null;
}

/**
 * Opens and closes elements with the mouse and the keyboard of the browser. In the meantime, the page can send only GET requests,
 * and cannot open windows.
 */
export async function openPageStates({ page, main, settle }: OperatedPage, stepAside: StepAside): Promise<OpenedPage> {
  const endGuard = await guardPage(page, ['GET']);
  await page.evaluate('window.open = () => null; window.print = () => undefined').catch(async (error: unknown) => {
    await endGuard();
    throw error;
  });
  const path: OpenStep[] = [];
  let isFresh = true;
  const call = (expression: string): Promise<unknown> => main.evaluate(`globalThis.${STATES}.${expression}`);
  const signature = async (): Promise<string> => String(await call('signature()'));
  const text = (value: unknown): string => JSON.stringify(value);

  async function perform(key: string, action: OpeningAction): Promise<boolean> {
    const aim = (await call(`prepare(${text(key)}, '${action}')`)) as Aim | true | null;
    if (aim === null) return false;
    if (aim === true) await page.keyboard.press(action);
    else if (action === 'hover') await page.mouse.move(aim.x, aim.y);
    else await page.mouse.click(aim.x, aim.y);
    return true;
  }
  const rest = (): Promise<void> => stepAside(() => settle(stateSettleMs));
  async function isBack(state: string, moreLooks: number): Promise<boolean> {
    await page.mouse.move(-1, -1);
    if ((await stepAside(() => call(`comesBackTo(${text(state)}, ${moreLooks})`))) !== true) return false;
    // An animation that is still running would move the next element away from the pointer.
    await main.evaluate(finishAnimations(PAGE_LOAD_LIMITS.fontsTimeoutMs));
    return true;
  }
  async function open(opener: Opener): Promise<'open' | 'closed' | 'gone'> {
    const before = await signature();
    const tab = opener.closing === 'tab' ? ((await call(`selectedTab(${text(opener.key)})`)) as string | null) : null;
    for (const action of opener.actions) {
      if (!(await perform(opener.key, action))) continue;
      await rest();
      const after = await signature();
      if (addressIn(after) !== addressIn(before)) return 'gone';
      if (exactly(after) === exactly(before)) continue;
      path.push({ opener, action, before, tab });
      return 'open';
    }
    // A menu that opened for a moment may have left something open.
    return (await isBack(before, closingLooksMax)) ? 'closed' : 'gone';
  }
  async function close({ opener, before, tab }: OpenStep): Promise<boolean> {
    if (await isBack(before, 0)) return true;
    const again = async (): Promise<void> => void (await perform(tab ?? opener.key, 'click'));
    const pressEscape = (): Promise<void> => page.keyboard.press('Escape');
    for (const attempt of opener.closing === 'Escape' ? [pressEscape, again] : [again]) {
      await attempt();
      if (await isBack(before, closingLooksMax)) return true;
    }
    return false;
  }
  return {
    openers: async () => (await call(`openers(${openersPerStateMax})`)) as readonly Opener[],
    async open(opener) {
      isFresh = false;
      return open(opener);
    },
    async goTo(wanted, onReopened) {
      const isOnPath = (): boolean => path.every(({ opener }, index) => opener.key === wanted[index]?.key);
      for (let last = path.at(-1); last !== undefined && !isOnPath(); last = path.at(-1)) {
        if (!(await close(last))) return false;
        path.pop();
      }
      for (const opener of wanted.slice(path.length)) {
        if ((await open(opener)) !== 'open') return false;
        await onReopened();
        await call(`openers(${openersPerStateMax})`);
      }
      return true;
    },
    isFresh: () => isFresh,
    steps: () => path.map(({ opener: { role, name, isNamed }, action }) => ({ action, role, name, named: isNamed })),
    size: async () => Number.parseInt(await signature(), 10),
    toCarry: async () => (await main.evaluate(`globalThis.${KNOWN}.toCarry()`)) as readonly string[],
    end: endGuard,
  };
}

/** Returns the parts of a signature without sizes, which also change when nothing opens. */
function exactly(signature: string): string {
  return signature.split(' ', 2).join(' ');
}

/** Returns the address of the page in a signature. */
function addressIn(signature: string): string {
  return signature.replace(/^\S+ \S+ \S+ /, '');
}
