import type { OperatedPage } from '../../browser/page-load/show-document.ts';
import type { StepAside } from '../../browser/page-permit.ts';
import type { CheckNote } from '../../domain/check-note.ts';
import type { OpeningStep } from '../../domain/reached-by.ts';
import { readsLikeSignOut } from '../../domain/session-urls.ts';
import { inTime } from '../../platform/in-time.ts';
import type { StateLimits } from './limits.ts';
import { installStates, type OpenedPage, openPageStates } from './open-states.ts';
import type { Opener } from './openers-in-page.ts';

/** A state of a page with findings that the page did not have before. */
export interface FoundState {
  readonly reachedBy: readonly OpeningStep[];
  /** As `examine` returned them. */
  readonly findings: Buffer;
}

export interface StateExplorer {
  /**
   * Opens what remains to be opened in a page that has settled and been examined, until the page has to be loaded again. Never
   * rejects.
   */
  explore(shown: OperatedPage): Promise<void>;
  /** The same for a page that has been loaded again. */
  exploreAgain(shown: OperatedPage): Promise<void>;
  /** Whether nothing remains to be opened, or a limit has been reached. */
  isOver(): boolean;
  /** Notes that the page has replaced itself, or could not be loaded again. */
  fail(): void;
  states(): readonly FoundState[];
  /** How many states were examined, including states without findings of their own. */
  opened(): number;
  notes(): readonly CheckNote[];
  /** Whether another check of the same page would open the same states. */
  isRepeatable(): boolean;
}

interface Means {
  /** Returns the findings that the page has now and had in no earlier state, as JSON; null if there are none. */
  examine(shown: OperatedPage): Promise<Buffer | null>;
  readonly stepAside: StepAside;
  readonly limits: StateLimits;
}

/** Examines the page that is open, as `Means.examine`. */
type Examine = () => Promise<Buffer | null>;

/** What remains to be opened, across several loads of the page. */
interface Plan {
  /** For each state, the elements to open one after the other. The last entry is the next state. */
  readonly pending: (readonly Opener[])[];
  readonly states: FoundState[];
  readonly tried: Set<string>;
  readonly shapes: Map<string, number>;
  opened: number;
  alike: number;
  /** Characters of the findings. */
  characters: number;
  /** Elements in the page, added up each time that it was examined. */
  elements: number;
}

/**
 * Opens all elements of a page that HTML or ARIA marks as expandable, including those within what has been opened, one at a time
 * in document order, and examines the page each time. After each state, the page is brought back to the state before, or loaded
 * again.
 */
export function createStateExplorer(means: Means): StateExplorer {
  const { limits } = means;
  const plan: Plan = {
    ...{ pending: [], states: [], tried: new Set(), shapes: new Map() },
    ...{ opened: 0, alike: 0, characters: 0, elements: 0 },
  };
  const busy = createBusyClock(means.stepAside);
  let carried: readonly string[] = [];
  let [loads, failures] = [0, 0];
  const isLate = (): boolean => plan.pending.length > 0 && busy.timeMs() >= limits.timeMs;
  const isFull = (): boolean =>
    plan.opened >= limits.statesMax ||
    plan.elements >= limits.elementsMax ||
    plan.characters >= limits.findingsMaxCharacters;
  const isBroken = (): boolean => failures >= limits.failuresMax;
  const isOver = (): boolean =>
    plan.pending.length === 0 || isFull() || loads >= limits.loadsMax || isLate() || isBroken();

  async function work(shown: OperatedPage, isAgain: boolean): Promise<void> {
    loads += 1;
    if (isAgain) await installStates(shown.main, carried);
    const page = await openPageStates(shown, busy.stepAside);
    const examine: Examine = async () => {
      plan.elements += await page.size();
      return means.examine(shown);
    };
    try {
      if (isAgain) await examine();
      const roots = await page.openers();
      if (!isAgain) planOpening(plan, roots, [], limits);
      const next = (): Promise<boolean> =>
        inTime(openNext(page, plan, examine, limits), limits.stateTimeoutMs, () => {
          failures = limits.failuresMax;
          return false;
        });
      while (!isOver() && (await next()));
      if (!isOver()) carried = await page.toCarry();
    } finally {
      await page.end();
    }
  }
  const attempt = async (shown: OperatedPage, isAgain: boolean): Promise<void> => {
    await work(shown, isAgain).catch(() => {
      // The page has crashed, or loaded itself again. That affects only this state.
      failures += 1;
    });
  };
  return {
    explore: (shown) => attempt(shown, false),
    exploreAgain: (shown) => attempt(shown, true),
    isOver,
    fail() {
      failures += 1;
    },
    states: () => plan.states,
    opened: () => plan.opened,
    notes() {
      const { opened, alike, pending } = plan;
      if (isBroken()) return [{ code: 'states_broke_off', params: { opened } }];
      const left = alike + pending.length;
      if (isLate()) return [{ code: 'states_late', params: { opened, left, seconds: limits.timeMs / 1_000 } }];
      return left === 0 ? [] : [{ code: 'states_left', params: { opened, left } }];
    },
    isRepeatable: () => !isLate() && failures === 0,
  };
}

/** Adds elements that have become visible to the plan, so that the first of them is next. */
function planOpening(
  plan: Plan,
  openers: readonly Opener[],
  path: readonly Opener[],
  { depthMax, alikeMax }: StateLimits,
): void {
  const { pending, tried, shapes } = plan;
  const chosen = openers.filter(({ key, name, shape }) => {
    if (path.length >= depthMax || tried.has(key) || readsLikeSignOut(name)) return false;
    tried.add(key);
    const before = shapes.get(shape) ?? 0;
    shapes.set(shape, before + 1);
    plan.alike += before < alikeMax ? 0 : 1;
    return before < alikeMax;
  });
  pending.push(...chosen.map((opener) => [...path, opener]).toReversed());
}

/**
 * Opens the next state and examines it.
 * @returns false when the page has to be loaded again
 */
async function openNext(page: OpenedPage, plan: Plan, examine: Examine, limits: StateLimits): Promise<boolean> {
  const path = plan.pending.pop();
  const opener = path?.at(-1);
  if (path === undefined || opener === undefined) return false;
  const reexamine = async (): Promise<void> => void (await examine());
  if (!(await page.goTo(path.slice(0, -1), reexamine))) {
    // If the page has just been loaded, this path no longer exists, so it is dropped.
    if (!page.isFresh()) plan.pending.push(path);
    return false;
  }
  const outcome = await page.open(opener);
  if (outcome !== 'open') return outcome === 'closed';
  plan.opened += 1;
  const findings = await examine();
  if (findings !== null) {
    plan.states.push({ reachedBy: page.steps(), findings });
    plan.characters += findings.byteLength;
  }
  planOpening(plan, await page.openers(), path, limits);
  return true;
}

/** Measures time without the waits during which other pages are worked on. */
function createBusyClock(stepAside: StepAside): { timeMs(): number; readonly stepAside: StepAside } {
  const startedAt = performance.now();
  let waitedMs = 0;
  return {
    timeMs: () => performance.now() - startedAt - waitedMs,
    async stepAside(wait) {
      const before = performance.now();
      try {
        return await stepAside(wait);
      } finally {
        waitedMs += performance.now() - before;
      }
    },
  };
}
