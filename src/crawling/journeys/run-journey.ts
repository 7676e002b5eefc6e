import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import type { Page, Response } from 'playwright-core';
import { JOURNEY_END, type Mark } from '../../../packages/client/marks.ts';
import { BrowserFault, isBrowserMissing, pageFailure } from '../../browser/browser-fault.ts';
import type { BrowserPool } from '../../browser/browser-pool.ts';
import { PAGE_LOAD_LIMITS, type PageLoadLimits } from '../../browser/page-load/limits.ts';
import {
  type LiveWatch,
  type ShownPage,
  settleLivePage,
  watchLivePage,
} from '../../browser/page-load/show-document.ts';
import type { StepAside } from '../../browser/page-permit.ts';
import type { BrowserPage } from '../../browser/page-slot.ts';
import { takeScreenshot } from '../../browser/take-screenshot.ts';
import type { CheckEngine } from '../../checks/check-engine.ts';
import type { CheckKind, Viewport } from '../../domain/check.ts';
import { CheckFault } from '../../domain/check-fault.ts';
import type { CheckNote } from '../../domain/check-note.ts';
import type { Failure } from '../../domain/failures/failure.ts';
import { failedPage, type WebPageContent } from '../../domain/fetched-page.ts';
import { type Journey, type JourneyStep, namedStep } from '../../domain/journey.ts';
import type { LoginStep } from '../../domain/login.ts';
import type { Screenshot } from '../../domain/screenshot.ts';
import type { SignIn } from '../../domain/site-access.ts';
import { performStep, StepFault, type TakeCode } from '../../logins/perform-step.ts';
import { showsSecret } from '../../logins/shows-secret.ts';
import { isTransient } from '../../platform/database-errors.ts';
import { packDocument } from '../../platform/packed-document.ts';
import { rawTitleMaxCharacters } from '../../spider/limits.ts';
import { tidyTitle } from '../../spider/page-links.ts';
import type { CollectedAtMark } from '../../store/reports/crawl-progress.ts';
import { domMaxCharacters, journeyAttemptsMax, journeyMaxBytes, journeyTimeoutMs } from './limits.ts';

const compress = promisify(zstdCompress);

/** What was found at a mark. */
export interface FoundMark extends CollectedAtMark {
  readonly mark: Mark;
  readonly content: WebPageContent;
}

/** A journey, and how it is performed. */
export interface JourneyToRun {
  readonly journey: Journey;
  /** The URL that paths are relative to. */
  readonly startingUrl: string;
  readonly viewport: Viewport;
  readonly cacheGroup: string;
  readonly standard: string | null;
  /** The enabled checks that show pages. */
  readonly engines: readonly (Pick<CheckEngine, 'kind' | 'collectLive'> & { readonly keepsRaw: boolean })[];
  /** Must not be visible in screenshots. */
  readonly secrets: readonly string[];
}

export interface JourneyMeans {
  readonly pool: Pick<BrowserPool, 'withPage'>;
  readonly takeCode: TakeCode;
  /** Default: the limits of other pages. */
  readonly limits?: Partial<PageLoadLimits>;
  /** Called before the first step that may change something, which waits for it. @throws CheckFault if it must not happen */
  readonly onActing?: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Why a journey ended before its last step. */
interface Ending extends Pick<FoundMark, 'reachedUrl' | 'screenshot'> {
  readonly failure: Failure;
  /** The index of the step that failed; null if the browser did. */
  readonly step: number | null;
  /** Whether another attempt may work: nothing was wrong with the steps or the site. */
  readonly isTransient: boolean;
}

/** What a journey has done. */
export interface JourneyRun {
  /** In their order; all of them, once the journey has ended. If it failed after the last mark, its end follows. */
  readonly marks: readonly FoundMark[];
  /** Whether it may have changed something on the site, so that it must not be performed again. */
  readonly hasActed: boolean;
}

interface Progress {
  readonly marks: FoundMark[];
  /** The size of the marks. */
  bytes: number;
  hasActed: boolean;
}

/** Returns whether a step may change something on the site. */
export function mayChange(step: JourneyStep): boolean {
  return !('open' in step || 'wait_for' in step || 'expect' in step || 'check' in step);
}

/**
 * Performs a journey, and checks its marks. If a step fails, the marks after it fail, too; if there are none, the end of the
 * journey fails. If the browser fails before the journey may have changed something, it is performed again.
 * @throws the signal's reason, BrowserFault if the browser is stopped, and temporary errors of the database
 */
export async function runJourney(
  toRun: JourneyToRun,
  signIn: SignIn | undefined,
  means: JourneyMeans,
): Promise<JourneyRun> {
  const { name, steps } = toRun.journey;
  const marks = steps.flatMap((step) => ('check' in step ? [{ journey: name, step: step.check }] : []));
  for (let attempt = 1; ; attempt += 1) {
    const progress: Progress = { marks: [], bytes: 0, hasActed: false };
    const ending = await attemptJourney(toRun, signIn, means, {
      progress,
      atMark: async (mark, at) => addMark(progress, { mark, ...(await checkMark(at, toRun)) }),
    });
    if (ending === null) return progress;
    const { marks: found, hasActed } = progress;
    if (ending.isTransient && !hasActed && attempt < journeyAttemptsMax) continue;
    const missed = marks.slice(found.length);
    // Without a mark for the end, a failure after the last mark would be invisible.
    const failed = missed.length > 0 ? missed : [{ journey: name, step: JOURNEY_END }];
    return { marks: [...found, ...failed.map((mark) => failedMark(mark, ending))], hasActed };
  }
}

/** Returns a mark that the journey has not reached. */
export function failedMark(
  mark: Mark,
  {
    failure,
    reachedUrl,
    screenshot = null,
  }: Pick<Ending, 'failure' | 'reachedUrl'> & { readonly screenshot?: Screenshot | null },
): FoundMark {
  return { mark, content: failedPage(failure), reachedUrl, collected: new Map(), screenshot };
}

/** A page at a mark. */
export interface ReachedMark extends Pick<StepSettings, 'stepAside' | 'limits'> {
  readonly browserPage: BrowserPage;
  readonly live: LiveWatch;
  /** The status of the document that it shows. */
  readonly httpStatus: number;
}

/** What happens during a journey. */
export interface JourneyHooks {
  readonly progress: Pick<Progress, 'hasActed'>;
  readonly atMark: (mark: Mark, at: ReachedMark) => Promise<void>;
  /** Called after each step, even after a step that failed. */
  readonly onStep?: (page: BrowserPage, index: number) => Promise<void>;
}

/**
 * Performs a journey once.
 * @returns null if all its steps worked
 * @throws the signal's reason, AppError if the browser cannot be started, BrowserFault if it is stopped, and temporary errors of
 * the database
 */
export async function attemptJourney(
  toRun: JourneyToRun,
  signIn: SignIn | undefined,
  { pool, takeCode, limits, onActing, signal }: JourneyMeans,
  hooks: JourneyHooks,
): Promise<Ending | null> {
  const { viewport, cacheGroup } = toRun;
  const request = { purpose: 'crawl', viewport, cacheGroup, signIn, timeLimitMs: journeyTimeoutMs, signal } as const;
  try {
    return await pool.withPage(request, async (browserPage, stepAside) => {
      const takeCodeAside = (key: string): Promise<string> => stepAside(() => takeCode(key, signal));
      const settings = { stepAside, takeCode: takeCodeAside, onActing, limits: { ...PAGE_LOAD_LIMITS, ...limits } };
      return performSteps(browserPage, toRun, settings, hooks);
    });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof BrowserFault && error.kind === 'aborted') throw error;
    if (isTransient(error) || isBrowserMissing(error)) throw error;
    return { ...brokenOff(error), step: null, reachedUrl: toRun.startingUrl, screenshot: null };
  }
}

interface StepSettings {
  readonly stepAside: StepAside;
  readonly takeCode: (key: string) => Promise<string>;
  readonly onActing: JourneyMeans['onActing'];
  readonly limits: PageLoadLimits;
}

async function performSteps(
  browserPage: BrowserPage,
  toRun: JourneyToRun,
  settings: StepSettings,
  { progress, atMark, onStep }: JourneyHooks,
): Promise<Ending | null> {
  const { page } = browserPage;
  const status = watchStatus(page);
  let live = await watchLivePage(browserPage);
  const perform = async (step: JourneyStep): Promise<void> => {
    if (!('check' in step)) return act(page, withWholeUrl(step, toRun.startingUrl), settings, progress);
    const mark = { journey: toRun.journey.name, step: step.check };
    await atMark(mark, { ...settings, browserPage, live, httpStatus: status.last() });
    live.end();
    live = await watchLivePage(browserPage);
  };
  try {
    for (const [index, step] of toRun.journey.steps.entries()) {
      const failure = await failureOf(perform(step));
      await onStep?.(browserPage, index);
      if (failure === null) continue;
      const params = { ...namedStep(step, index), why: failure };
      const { screenshot } = await screenshotOf(browserPage, toRun);
      return {
        failure: { code: 'journey_step_failed', params },
        ...{ step: index, reachedUrl: page.url(), screenshot, isTransient: false },
      };
    }
    return null;
  } finally {
    live.end();
    status.end();
  }
}

/** Returns why a step failed; null if it worked. @throws other errors of the browser */
async function failureOf(step: Promise<void>): Promise<Failure | null> {
  try {
    await step;
    return null;
  } catch (error) {
    if (error instanceof StepFault || error instanceof CheckFault) return error.failure;
    throw error;
  }
}

/** @throws CheckFault if the marks of the journey would take too much memory */
function addMark(progress: Progress, mark: FoundMark): void {
  const { content, collected, screenshot } = mark;
  const outputs = [...collected.values()].map((output) => ('code' in output ? 0 : output.byteLength));
  const ofDocument = content.kind === 'document' ? content.stored.body.byteLength : 0;
  progress.bytes += outputs.reduce((sum, bytes) => sum + bytes, ofDocument + (screenshot?.image.byteLength ?? 0));
  if (progress.bytes > journeyMaxBytes) {
    const params = { megabytes: journeyMaxBytes / 1_000_000 };
    throw new CheckFault({ code: 'journey_too_large', params }, { permanent: true });
  }
  progress.marks.push(mark);
}

/** Performs a step that is not a mark, and records whether it may have changed something. */
async function act(
  page: Page,
  step: LoginStep,
  { takeCode, onActing }: Pick<StepSettings, 'takeCode' | 'onActing'>,
  progress: Pick<Progress, 'hasActed'>,
): Promise<void> {
  const hadActed = progress.hasActed;
  if (mayChange(step) && !hadActed) await onActing?.();
  progress.hasActed ||= mayChange(step);
  try {
    await performStep(page, step, takeCode);
  } catch (error) {
    // Without an element, nothing has happened.
    if (error instanceof StepFault && error.failure.code === 'login_element_missing') progress.hasActed = hadActed;
    throw error;
  }
}

function withWholeUrl(step: Exclude<JourneyStep, { readonly check: string }>, startingUrl: string) {
  return 'open' in step ? { open: new URL(step.open, startingUrl).href } : step;
}

function brokenOff(error: unknown): Pick<Ending, 'failure' | 'isTransient'> {
  const { failure: why, permanent } = pageFailure(error, { work: 'journey', timeLimitMs: journeyTimeoutMs });
  if (why.code === 'page_timeout') {
    const params = { seconds: journeyTimeoutMs / 1_000 };
    return { failure: { code: 'journey_too_long', params }, isTransient: false };
  }
  return { failure: { code: 'journey_broke_off', params: { why } }, isTransient: !permanent };
}

/** Checks the page as it is now: serializes its DOM, and runs the engines that show pages on it. */
async function checkMark(
  { browserPage, live, stepAside, limits, httpStatus }: ReachedMark,
  toRun: JourneyToRun,
): Promise<Omit<FoundMark, 'mark'>> {
  const shown = await settleLivePage(browserPage, live, stepAside, limits);
  const reachedUrl = browserPage.page.url();
  const { html, title } = await serialized(shown);
  const { screenshot, note } = await screenshotOf(browserPage, toRun);
  const noted = note === null ? shown : { ...shown, notes: [...shown.notes, note] };
  const collected = new Map<CheckKind, Buffer | Failure>();
  for (const engine of toRun.engines) collected.set(engine.kind, await collect(engine, noted, toRun.standard));
  const stored = await packDocument(Buffer.from(html, 'utf8'));
  // Only the stored form of the document is needed, and a journey may have many documents.
  const document = {
    url: reachedUrl,
    httpStatus,
    contentType: 'text/html; charset=utf-8',
    headers: [],
    body: NO_BYTES,
  };
  const links = { links: [], hashRoutes: 0, canonical: null };
  return {
    content: { kind: 'document', httpStatus, document, stored, title: tidyTitle(title), ...links },
    ...{ reachedUrl, collected, screenshot },
  };
}

const NO_BYTES = new Uint8Array();

/** Returns the output of an engine, compressed, or why it has none. */
async function collect(
  { collectLive, keepsRaw }: JourneyToRun['engines'][number],
  shown: ShownPage,
  standard: string | null,
): Promise<Buffer | Failure> {
  try {
    return await compress((await collectLive?.(shown, { standard, keepsRaw })) ?? NO_BYTES);
  } catch (error) {
    if (!(error instanceof CheckFault)) throw error;
    return error.failure;
  }
}

/** @throws CheckFault if the DOM is too large */
async function serialized({ main }: ShownPage): Promise<{ readonly html: string; readonly title: string }> {
  const text = await main.evaluate(SERIALIZE);
  if (typeof text === 'string') return JSON.parse(text);
  const params = { characters: domMaxCharacters };
  throw new CheckFault({ code: 'rendered_dom_too_large', params }, { permanent: true });
}

/** Named elements of a page hide properties of its document, so they are read through the prototypes. */
const SERIALIZE = `(() => {
  const read = (owner, name) => Object.getOwnPropertyDescriptor(owner.prototype, name).get;
  const doctype = read(Document, 'doctype').call(document);
  const root = read(Document, 'documentElement').call(document);
  const start = doctype === null ? '' : new XMLSerializer().serializeToString(doctype) + '\\n';
  const html = start + (root === null ? '' : read(Element, 'outerHTML').call(root)) + '\\n';
  if (html.length > ${domMaxCharacters}) return null;
  const title = read(Document, 'title').call(document).slice(0, ${rawTitleMaxCharacters});
  return JSON.stringify({ html, title });
})()`;

/** Returns a screenshot of the page; null if the page shows a secret, or, with a note, if no screenshot can be taken. */
async function screenshotOf(
  browserPage: BrowserPage,
  { viewport, secrets }: JourneyToRun,
): Promise<{ readonly screenshot: Screenshot | null; readonly note: CheckNote | null }> {
  const hidden = { screenshot: null, note: null };
  if (secrets.length > 0 && (await showsSecret(browserPage.page, secrets))) return hidden;
  // The journey continues with the page.
  return { ...hidden, ...(await takeScreenshot(browserPage, viewport, { closesPage: false })) };
}

/** Remembers the status of the document that a page shows. */
function watchStatus(page: Page): { last(): number; end(): void } {
  let last = 200;
  const onResponse = (response: Response): void => {
    const request = response.request();
    if (request.isNavigationRequest() && request.frame().parentFrame() === null) last = response.status();
  };
  page.on('response', onResponse);
  return { last: () => last, end: () => void page.off('response', onResponse) };
}
