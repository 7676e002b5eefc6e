import { guardPage, SAFE_METHODS } from '../../browser/apply-session.ts';
import { type BrowserState, changedState, isEmptyState, readState } from '../../browser/browser-state.ts';
import { type FrameWorld, innerWorlds, withinFrameLimit } from '../../browser/page-load/frame-world.ts';
import type { OperatedPage } from '../../browser/page-load/show-document.ts';
import type { StepAside } from '../../browser/page-permit.ts';
import type { ConsentChoice, ConsentOutcome } from '../../domain/consent.ts';
import { createBannerTests, createDocumentBanner, type FoundBanner, findBanner } from './consent-in-page.ts';
import { BANNERS, CHOICE_NAMES, CONSENT_WORDS } from './consent-names.ts';
import { bannerFramesMax, bannerLayersMax, stateSettleMs } from './limits.ts';
import { elementsIn, nameOfElement } from './openers-in-page.ts';
import { type Aim, aimAt } from './states-in-page.ts';

/** The name of a global variable in the isolated worlds. */
const BANNER = 'consentBanner';

type ShownPage = Pick<OperatedPage, 'page' | 'cdp' | 'main'>;

/** Whether a page shows a consent banner, and whether it was dismissed. */
interface Dismissal {
  readonly outcome: ConsentOutcome;
  /** What the site has stored; null for nothing. */
  readonly stored: BrowserState | null;
}

/** Whether a page shows a consent banner. */
export async function hasBanner(shown: ShownPage): Promise<boolean> {
  return (await bannerIn(shown, 'accept')) !== null;
}

interface DismissMeans {
  readonly stepAside: StepAside;
  /**
   * What the browser had stored before the first click, if there has been a click: the page may have loaded itself again since.
   */
  readonly progress: { before?: BrowserState | null };
}

/**
 * Makes a choice in the consent banner of a page, like a person: clicks the button with the matching name. In the meantime, the
 * page cannot send requests that may change something.
 */
export async function dismissBanner(
  shown: OperatedPage,
  choice: ConsentChoice,
  { stepAside, progress }: DismissMeans,
): Promise<Dismissal> {
  const { page, cdp, main, settle } = shown;
  // Pages in a sandbox have no storage.
  const read = (): Promise<BrowserState | null> => readState({ page, cdp }).catch(() => null);
  let banner = await bannerIn(shown, choice);
  if (banner === null && progress.before === undefined) return { outcome: 'none', stored: null };
  if (progress.before === undefined) progress.before = await read();
  const endGuard = await guardPage(page, SAFE_METHODS);
  try {
    // Some banners have a second layer.
    for (let layers = 0; layers < bannerLayersMax && banner !== null && (await press(page, banner)); layers += 1) {
      await stepAside(() => settle(stateSettleMs));
      banner = await bannerIn(shown, choice);
    }
  } finally {
    await endGuard();
  }
  await page.mouse.move(-1, -1);
  await main.evaluate(`document.activeElement?.blur(); scrollTo({ left: 0, top: 0, behavior: 'instant' })`);
  if (banner !== null) return { outcome: 'kept', stored: null };
  const [before, now] = [progress.before, await read()];
  const stored = before && now && changedState(before, now);
  return { outcome: 'dismissed', stored: stored !== null && isEmptyState(stored) ? null : stored };
}

/** A document that may show a banner: of the page, or of a frame. */
interface Place {
  readonly world: FrameWorld;
  /** The document around the frame, with the index of the frame in it; null for the page. */
  readonly outer: { readonly place: Place; readonly index: number } | null;
}

interface Banner {
  readonly place: Place;
  /** As in `FoundBanner`. */
  readonly rank: number | null;
}

/** Returns the banner with the best button, in the page or in a frame on top of it; null if there is no banner. */
async function bannerIn({ page, cdp, main }: ShownPage, choice: ConsentChoice): Promise<Banner | null> {
  let worlds: Promise<readonly FrameWorld[]> | null = null;
  const lookIntoFrame = async (place: Place, index: number): Promise<Banner[]> => {
    worlds ??= innerWorlds(page, cdp);
    const inner = await worlds;
    const frameId = await withinFrameLimit(place.world.frameIn(`${BANNER}.frames[${index}]`));
    const world = inner.find((each) => each.frameId === frameId);
    return world === undefined ? [] : lookInto({ world, outer: { place, index } });
  };
  const lookInto = async (place: Place): Promise<Banner[]> => {
    const view = (await ask(place, searchExpression(choice, place.outer !== null))) as FoundBanner | null;
    if (view === null) return [];
    const { isShown, rank, frames } = view;
    const deeper = await Promise.all(Array.from({ length: frames }, (_, index) => lookIntoFrame(place, index)));
    return [...(isShown ? [{ place, rank }] : []), ...deeper.flat()];
  };
  const found = await lookInto({ world: main, outer: null });
  const order = ({ rank }: Banner): number => rank ?? Number.MAX_SAFE_INTEGER;
  return found.toSorted((one, other) => order(one) - order(other))[0] ?? null;
}

/** Evaluates an expression. @returns null for a frame that is gone, or does not respond */
function ask({ world, outer }: Place, expression: string): Promise<unknown> {
  const asked = world.evaluate(expression);
  return outer === null ? asked : withinFrameLimit(asked);
}

/** Returns an expression for a `FoundBanner`. */
function searchExpression(choice: ConsentChoice, isFrame: boolean): string {
  const functions = { elementsIn, nameOfElement, aimAt, createBannerTests, findBanner };
  const tools = Object.entries(functions).map(([name, each]) => `${name}: ${each.toString()}`);
  const rules = {
    wanted: CHOICE_NAMES[choice],
    any: [...CHOICE_NAMES.accept, ...CHOICE_NAMES.reject],
    banners: BANNERS,
    words: CONSENT_WORDS,
    framesMax: bannerFramesMax,
  };
  return `(() => {
    const tools = { ${tools.join(', ')} };
    const elementsIn = tools.elementsIn;
    globalThis.${BANNER} = (${createDocumentBanner.toString()})(tools, ${JSON.stringify(rules)}, ${isFrame});
    return ${BANNER}.found;
  })()`;
}

/**
 * Clicks the button of a banner, or presses Enter if it cannot be clicked.
 * @returns false if there is no such button, or it cannot be pressed
 */
async function press(page: OperatedPage['page'], { place, rank }: Banner): Promise<boolean> {
  if (rank === null) return false;
  const call = (expression: string) => ask(place, `${BANNER}.${expression}`);
  const aim = await inPage(place, (await call('aim()')) as Aim | null);
  if (aim !== null) await page.mouse.click(aim.x, aim.y);
  else if ((await call('focus()')) === true) await page.keyboard.press('Enter');
  else return false;
  return true;
}

/** Returns where a point of a document is in the viewport of the page; null if it cannot be clicked there. */
async function inPage({ outer }: Place, aim: Aim | null): Promise<Aim | null> {
  if (outer === null || aim === null) return aim;
  const { place, index } = outer;
  const around = await ask(place, `${BANNER}.pointIn(${index}, ${JSON.stringify(aim)})`);
  return inPage(place, around as Aim | null);
}
