import { JOURNEY_END, type Mark, markIn, markUrl } from '../../../packages/client/marks.ts';
import type { BrowserPool } from '../../browser/browser-pool.ts';
import { viewportOf } from '../../browser/devices.ts';
import type { CheckEngine } from '../../checks/check-engine.ts';
import { withSignIn } from '../../domain/access-refusal.ts';
import { DEFAULT_VIEWPORT } from '../../domain/check.ts';
import { CheckFault } from '../../domain/check-fault.ts';
import type { CrawlClaim } from '../../domain/crawl.ts';
import type { Failure } from '../../domain/failures/failure.ts';
import { type ShownJourney, secretsOfJourneys, withStoredSecrets } from '../../domain/journey.ts';
import { redacted } from '../../domain/redaction.ts';
import { addingTo, createTakeCode } from '../../logins/take-code.ts';
import type { Database } from '../../store/database.ts';
import { pendingMarks, type RefetchedPage } from '../../store/rechecks/page-recheck.ts';
import { readProgress, saveActingJourney, saveCrawlProgress } from '../../store/reports/crawl-progress.ts';
import type { CredentialStore } from '../../store/reports/credential-store.ts';
import type { ReportWithChecks } from '../../store/reports/reports.ts';
import type { Site } from '../open-site.ts';
import { redactContent } from '../redact-progress.ts';
import { journeyAttemptsMax } from './limits.ts';
import { type FoundMark, failedMark, type JourneyMeans, mayChange, runJourney } from './run-journey.ts';

export interface JourneyParts {
  readonly db: Database;
  readonly credentialStore: CredentialStore;
  readonly journeys: {
    readonly pool: Pick<BrowserPool, 'withPage'>;
    readonly engines: readonly Pick<CheckEngine, 'kind' | 'collectLive'>[];
    readonly limits: NonNullable<JourneyMeans['limits']>;
  };
}

interface ReportParts extends JourneyParts {
  readonly report: ReportWithChecks;
}

/**
 * Performs the journeys of a report that have not been performed yet, and saves their marks as pages. If the crawl was
 * interrupted after a journey may have changed something, its marks fail: an order could be placed twice.
 */
export async function runJourneys(
  parts: ReportParts,
  site: Site,
  claim: CrawlClaim,
  signal: AbortSignal,
): Promise<void> {
  const { db, report } = parts;
  for (const [index, journey] of report.journeys.entries()) {
    // The crawl may have saved pages, and continued after a break.
    const { num_pages: before, journeys_run: run } = await readProgress(db, report.id);
    if (index < run) continue;
    const isInterrupted = journey.name === report.acting_journey;
    const found = isInterrupted ? interrupted(report, journey) : await perform(parts, site, { journey, claim, signal });
    const pages = found.map(({ mark, content, ...collected }, position) => ({
      ...{ url: markUrl(report.starting_url, mark), linkedFrom: null, turn: before + position + 1 },
      ...{ content, atMark: collected },
    }));
    const ofSite = report.site_url === null && report.only_journeys ? { siteUrl: report.starting_url } : {};
    const isSaved = await saveCrawlProgress(db, claim, { pages, discovered: [], journeysRun: index + 1, ...ofSite });
    if (!isSaved) return;
  }
}

/** Returns what is at the mark of a page that is to be checked again. */
export type RefetchMark = (page: Pick<RefetchedPage, 'url'>) => Promise<FoundMark>;

/**
 * Performs a journey once for all its marks that wait for a re-check. If the end of the journey failed and waits for a re-check,
 * too, the page at the end is checked once the steps work. Marks of a journey that was interrupted fail, as in the crawl.
 */
export function createMarkRefetcher(
  parts: ReportParts,
  site: Site,
  claim: CrawlClaim,
  signal: AbortSignal,
): RefetchMark {
  const { db, report } = parts;
  const known = new Map<string, FoundMark>();
  /** Journeys that this crawl has begun. Users who request another re-check of such a journey know that it was interrupted. */
  const begun = new Set<string>();
  const marksOf = async (journey: ShownJourney): Promise<readonly FoundMark[]> => {
    const { acting_journey: acting } = await readProgress(db, report.id);
    const isInterrupted = journey.name === acting && !begun.has(journey.name);
    begun.add(journey.name);
    return isInterrupted ? interrupted(report, journey) : perform(parts, site, { journey, claim, signal });
  };
  return async ({ url }) => {
    const ready = known.get(url);
    known.delete(url);
    if (ready !== undefined) return ready;
    const mark = markIn(url);
    const journey = report.journeys.find(({ name }) => name === mark?.journey);
    const wanted = await pendingMarks(db, report.id);
    const urlOf = (one: Mark): string => markUrl(report.starting_url, one);
    const isToEnd = journey !== undefined && wanted.includes(urlOf({ journey: journey.name, step: JOURNEY_END }));
    const found = journey === undefined ? [] : await marksOf(isToEnd ? withEnd(journey) : journey);
    for (const one of found) {
      if (wanted.includes(urlOf(one.mark))) known.set(urlOf(one.mark), one);
    }
    const own = known.get(url);
    known.delete(url);
    const unknown = { failure: { code: 'journey_unknown', params: {} } as const, reachedUrl: report.starting_url };
    return own ?? failedMark(mark ?? { journey: '', step: '' }, unknown);
  };
}

function withEnd({ name, steps }: ShownJourney): ShownJourney {
  return { name, steps: [...steps, { check: JOURNEY_END }] };
}

/** Returns the marks of a journey, failed for one reason. */
function allFailed(
  { starting_url: reachedUrl }: Pick<ReportWithChecks, 'starting_url'>,
  { name, steps }: ShownJourney,
  failure: Failure,
): FoundMark[] {
  const marks = steps.flatMap((step) => ('check' in step ? [{ journey: name, step: step.check }] : []));
  return marks.map((mark) => failedMark(mark, { failure, reachedUrl }));
}

function interrupted(report: ReportWithChecks, journey: ShownJourney): FoundMark[] {
  return allFailed(report, journey, { code: 'journey_interrupted', params: {} });
}

interface ToPerform {
  readonly journey: ShownJourney;
  readonly claim: CrawlClaim;
  readonly signal: AbortSignal;
}

/** Performs a journey. @returns its marks, with site credentials masked */
async function perform(
  { db, credentialStore, report, journeys: { engines, ...browser } }: ReportParts,
  { access, browse, sentTo, session, redaction, closedBecause }: Site,
  { journey: shown, claim, signal }: ToPerform,
): Promise<readonly FoundMark[]> {
  const { id, starting_url: startingUrl, checks } = report;
  const failAll = (failure: Failure) => allFailed(report, shown, failure);
  // Its credentials, with the secrets, may be missing for the same reason.
  if (closedBecause !== undefined) return failAll(closedBecause);
  const journey = withStoredSecrets(shown, access.journeys ?? []);
  if (journey === null) return failAll({ code: 'journey_secret_missing', params: {} });
  const secrets = secretsOfJourneys([journey]);
  const toRun = {
    ...{ journey, startingUrl, cacheGroup: id, standard: report.tested_standard },
    viewport: viewportOf(report.device_id, report.device_rotated) ?? DEFAULT_VIEWPORT,
    engines: engines.flatMap((engine) => {
      const check = checks[engine.kind];
      if (check === undefined || engine.collectLive === undefined) return [];
      return [{ kind: engine.kind, collectLive: engine.collectLive, keepsRaw: check.store_raw }];
    }),
    secrets,
  };
  const onActing = async (): Promise<void> => {
    if (await saveActingJourney(db, claim, shown.name)) return;
    // Nothing from this crawl is stored anymore.
    throw new CheckFault({ code: 'report_stopped', params: {} }, { permanent: true });
  };
  const means = { ...browser, takeCode: addingTo(secrets, createTakeCode({ db, credentialStore })), onActing, signal };
  // It cannot be performed again once it has changed something.
  if (journey.steps.some(mayChange)) await session?.lookAgain();
  let isSignedIn = true;
  const found = await browse((signIn) => runJourney(toRun, signIn && { ...signIn, keepsStorage: true }, means), {
    timesMax: journeyAttemptsMax,
    isFinal: ({ hasActed }) => hasActed,
    onKept: () => {
      isSignedIn = false;
    },
  });
  if ('failure' in found) return failAll(found.failure);
  return found.marks.map((one) => ({
    ...one,
    content: withSignIn(redactContent(one.content, redaction), isSignedIn ? sentTo(one.reachedUrl) : null),
    reachedUrl: redaction?.inPage(one.reachedUrl) ?? one.reachedUrl,
    collected: new Map(
      [...one.collected].map(([kind, output]) => [kind, 'code' in output ? redacted(output, redaction) : output]),
    ),
  }));
}
