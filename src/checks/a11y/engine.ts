import { isFaultOfPage, pageFailure } from '../../browser/browser-fault.ts';
import type { BrowserPool } from '../../browser/browser-pool.ts';
import { type OperatedPage, type ShownPage, showDocument } from '../../browser/page-load/show-document.ts';
import type { StepAside } from '../../browser/page-permit.ts';
import type { BrowserPage } from '../../browser/page-slot.ts';
import { takeScreenshot, takeThumbnail } from '../../browser/take-screenshot.ts';
import type { CheckNote } from '../../domain/check-note.ts';
import type { ConsentOutcome } from '../../domain/consent.ts';
import { isSameResource, type LoadedResource, type LoadedResources } from '../../domain/loaded-resource.ts';
import type { CheckInput, EngineRuntime } from '../check-engine.ts';
import { type ConsentView, withConsent } from './consent-view.ts';
import { createStateExplorer, type FoundState } from './explore-states.ts';
import { createKeptConsent, type KeptConsent } from './kept-consent.ts';
import { A11Y_LIMITS, type A11yLimits, consentTimeoutMs } from './limits.ts';
import { createResourceIdentifier, type IdentifyResources } from './loaded-resources.ts';
import type { LocatedStyleRules } from './locate-style-rules.ts';
import { installStates, NARROW } from './open-states.ts';
import { rulesBeyondDefault } from './optional-rules.ts';
import { createResourceProbe } from './resource-probe.ts';
import {
  type AxeOptions,
  engineVersionWith,
  findStyleRules,
  isWithoutFindings,
  prepareAxe,
  runAxe,
} from './run-axe.ts';

export interface A11yEngineOptions {
  /** Its slots limit how many pages are checked at a time. */
  readonly pool: BrowserPool;
  /** For finding out whether the resources of a page are still the same. Default: results are never reused. */
  readonly requests?: Parameters<typeof createResourceProbe>[0];
  /** Overrides of `A11Y_LIMITS`. */
  readonly limits?: Partial<A11yLimits>;
}

/** Creates the accessibility check: axe-core in Chromium, on the fetched document, with the viewport of the report's device. */
export function createA11yEngine({ pool, requests, ...options }: A11yEngineOptions): EngineRuntime {
  const limits = { ...A11Y_LIMITS, ...options.limits };
  const prepared = new WeakSet<BrowserPage>();
  const identify = createResourceIdentifier();
  const keptConsent = createKeptConsent();

  return {
    concurrency: pool.slots,
    start: pool.start,
    isReady: pool.isReady,
    isResting: pool.isResting,
    isBroken: pool.isBroken,
    wake: pool.wake,
    stop: pool.stop,
    ...(requests !== undefined && {
      presentResources: createResourceProbe(requests),
      async basis() {
        const version = await pool.version();
        const settings = JSON.stringify([limits, requests.httpClient.userAgent]);
        return version === null ? null : { engineVersion: engineVersionWith(version), settings };
      },
    }),
    async collect(input, signal) {
      const { viewport, cacheGroup, signIn, alone = false, stepAside } = input;
      const { consent = null } = input;
      const statesMs = input.exploresStates === true ? limits.states.timeMs + limits.states.stateTimeoutMs : 0;
      const moreMs = statesMs + (consent === null ? 0 : consentTimeoutMs);
      const timeLimitMs = (alone ? limits.aloneTimeoutMs : limits.checkTimeoutMs) + moreMs;
      const endFirst = consent?.keepsBanner === true ? keptConsent.begin(cacheGroup) : undefined;
      const page = { viewport, cacheGroup, signIn, alone, stepAside, timeLimitMs };
      const soFar: ResultSoFar = {};
      try {
        return await pool.withPage({ purpose: 'check', ...page, signal }, async (browserPage, aside) => {
          if (!prepared.has(browserPage)) {
            prepared.add(browserPage);
            await prepareAxe(browserPage.cdp);
          }
          return checkPage(browserPage, { ...input, stepAside: aside, identify, keptConsent, soFar }, limits);
        });
      } catch (error) {
        // The closed page has been checked. What failed later affects only its states, and the other pages.
        if (soFar.result !== undefined && isFaultOfPage(error)) return soFar.result();
        throw pageFailure(error, { work: 'check', timeLimitMs });
      } finally {
        endFirst?.();
      }
    },
    async collectLive(shown, { standard = null, keepsRaw = false }) {
      const answer = await runAxe(shown, { keepsRaw, rules: rulesBeyondDefault(standard) }, limits);
      const { notes, resources } = shown;
      // The search for style rules would change the page.
      return answerOf({ answer, notes, loaded: null, resources, styleRules: null });
    },
  };
}

/** What is left if the browser fails on a page that it has already checked. */
interface ResultSoFar {
  /** Returns the result, without states that are missing; absent until the closed page has been checked. */
  result?: () => Buffer;
}

interface PageInput extends CheckInput {
  readonly soFar: ResultSoFar;
  readonly stepAside: StepAside;
  readonly identify: IdentifyResources;
  readonly keptConsent: KeptConsent;
}

async function checkPage(browserPage: BrowserPage, input: PageInput, limits: A11yLimits): Promise<Buffer> {
  const { document, waitFor = null, stepAside, consent = null, signIn, cacheGroup: report, keptConsent: kept } = input;
  // Sites may repeat credentials in URLs and headers, which are stored.
  const isRecorded = signIn === undefined;
  const toShow = { url: document.url, document, waitFor, stepAside, isRecorded };
  const show = <T>(use: (shown: OperatedPage) => Promise<T>): Promise<T> =>
    showDocument(browserPage, toShow, limits, use);
  return withConsent(browserPage, { consent, report, signIn, kept, show, stepAside }, async (view) => {
    const finish = ({ states = [], ...checked }: CheckedPage): Buffer => {
      const outcome = view.outcome();
      const notes = [...checked.notes, ...view.notes()];
      return answerOf({ ...checked, notes, ...(outcome !== null && { consent: outcome }) }, states);
    };
    const onClosedChecked = (result: () => CheckedPage): void => {
      input.soFar.result = () => finish(result());
    };
    const checked = input.exploresStates
      ? await checkStates(view.show, { ...input, onClosedChecked }, limits)
      : await view.show((shown) => checkClosed(shown, input, limits));
    const result = finish(checked);
    // The page may be loaded once more for the other pages, which may fail.
    input.soFar.result = () => result;
    return result;
  });
}

type Show = ConsentView['show'];

interface StatesInput extends PageInput {
  /** Called with a function that returns the result if the page fails later. */
  readonly onClosedChecked: (result: () => CheckedPage) => void;
}

async function checkStates(show: Show, input: StatesInput, limits: A11yLimits): Promise<CheckedPage> {
  const { standard = null, stepAside } = input;
  const rules = rulesBeyondDefault(standard);
  const explorer = createStateExplorer({
    examine: (shown) => examineState(shown, rules, limits),
    stepAside,
    limits: limits.states,
  });
  const checked: { closed?: CheckedPage } = {};
  const loads: (LoadedResources | null)[] = [];
  const first = async (shown: OperatedPage): Promise<void> => {
    await installStates(shown.main, []);
    const closed = await checkClosed(shown, { ...input, narrow: NARROW }, limits);
    checked.closed = closed;
    input.onClosedChecked(() => {
      const opened = explorer.opened();
      const notes: readonly CheckNote[] = [...closed.notes, { code: 'states_broke_off', params: { opened } }];
      return { ...closed, loaded: null, notes, openedStates: opened, states: explorer.states() };
    });
    await explorer.explore(shown);
    if (explorer.isRepeatable()) loads.push(closed.loaded, await loadedBy(shown, input, closed.loaded));
  };
  const again = async (shown: OperatedPage): Promise<void> => {
    await explorer.exploreAgain(shown);
    if (explorer.isRepeatable()) loads.push(await loadedBy(shown, input));
  };
  do {
    await show(checked.closed === undefined ? first : again).catch((error: unknown) => {
      if (checked.closed === undefined) throw error;
      // The page was complete when it was checked, and its states cannot change that.
      explorer.fail();
    });
  } while (!explorer.isOver());
  const { closed } = checked;
  if (closed === undefined) throw new Error('The page was not checked.');
  const loaded = explorer.isRepeatable() ? mergedLoads(loads) : null;
  const notes = [...closed.notes, ...explorer.notes()];
  return { ...closed, loaded, notes, openedStates: explorer.opened(), states: explorer.states() };
}

/** The result of a page in which nothing has been opened, and of its states if they were examined. */
interface CheckedPage {
  /** As `runAxe` returned it. */
  readonly answer: readonly Buffer[];
  readonly notes: readonly CheckNote[];
  readonly resources: string;
  readonly styleRules: LocatedStyleRules | null;
  readonly loaded: LoadedResources | null;
  /** As in `ShownAs`. */
  readonly openedStates?: number;
  readonly consent?: ConsentOutcome;
  readonly states?: readonly FoundState[];
}

async function checkClosed(
  shown: ShownPage,
  input: PageInput & Pick<AxeOptions, 'narrow'>,
  limits: A11yLimits,
): Promise<CheckedPage> {
  const { standard = null, keepsRaw = false, narrow = null, keepScreenshot, keepThumbnail } = input;
  const answer = await runAxe(shown, { keepsRaw, narrow, rules: rulesBeyondDefault(standard) }, limits);
  const notes = [...shown.notes];
  if (keepScreenshot !== undefined) {
    const attempt = await takeScreenshot(shown, input.viewport);
    if ('note' in attempt) notes.push(attempt.note);
    else keepScreenshot(attempt.screenshot);
  }
  if (keepThumbnail !== undefined) {
    const thumbnail = await takeThumbnail(shown, input.viewport);
    if (thumbnail !== null) keepThumbnail(thumbnail);
  }
  const recorded = await loadedBy(shown, input);
  // After recording what was loaded, because the search may request style sheets again.
  const { styleRules, isComplete } = await findStyleRules(shown);
  // If style rules are missing, the next check may find them.
  return { answer, notes, resources: shown.resources, styleRules, loaded: isComplete ? recorded : null };
}

/** Returns the findings that a page has only in its present state, as JSON without the opening brace; null if there are none. */
async function examineState(shown: ShownPage, rules: readonly string[], limits: A11yLimits): Promise<Buffer | null> {
  const answer = await runAxe(shown, { rules, narrow: NARROW }, limits);
  if (isWithoutFindings(answer)) return null;
  const { styleRules } = await findStyleRules(shown);
  return Buffer.concat([Buffer.from(`"styleRules":${JSON.stringify(styleRules)},`), ...answer]);
}

/** Returns the output of the engine: an `AxeRaw` as JSON. */
function answerOf({ answer, ...others }: Omit<CheckedPage, 'states'>, states: readonly FoundState[] = []): Buffer {
  const found = states.flatMap(({ reachedBy, findings }, index) => [
    Buffer.from(`${index === 0 ? '' : ','}{"reachedBy":${JSON.stringify(reachedBy)},`),
    findings,
  ]);
  const head = `${JSON.stringify(others).slice(0, -1)},"states":[`;
  return Buffer.concat([Buffer.from(head), ...found, Buffer.from('],'), ...answer]);
}

interface LoadedFor extends Pick<CheckInput, 'cacheGroup'> {
  readonly identify: IdentifyResources;
}

/**
 * Returns what a page has loaded so far; null if a later check could not verify that it is the same.
 * @param before what it had loaded earlier, which is left out. Default: nothing
 */
async function loadedBy(
  { responses, isScripted, notes }: ShownPage,
  { identify, cacheGroup }: LoadedFor,
  before: LoadedResources | null = null,
): Promise<LoadedResources | null> {
  // A page with a note may have been used before it was complete.
  const all = notes.length > 0 ? null : responses();
  const known = new Set(before?.resources.map(({ url }) => url));
  const recorded = all && new Map([...all].filter(([url]) => !known.has(url)));
  const resources = recorded && (await identify(recorded, cacheGroup));
  return resources && { resources, isScripted };
}

/** Returns what a page loaded in several loads; null if a resource differs between loads, or one of the loads is not known. */
function mergedLoads(loads: readonly (LoadedResources | null)[]): LoadedResources | null {
  const merged = new Map<string, LoadedResource>();
  let isScripted = false;
  for (const loaded of loads) {
    if (loaded === null) return null;
    isScripted ||= loaded.isScripted;
    for (const resource of loaded.resources) {
      const known = merged.get(resource.url) ?? resource;
      if (!isSameResource(known, resource)) return null;
      merged.set(resource.url, known);
    }
  }
  const resources = [...merged.values()].sort((one, other) => (one.url < other.url ? -1 : 1));
  return { resources, isScripted };
}
