import { journeyPlace, markIn } from '../../packages/client/marks.ts';
import type { ShownOccurrence } from '../../packages/client/occurrences.ts';
import { seenWords } from '../../packages/client/seen-as.ts';
import type { EngineDescription } from '../checks/engine-description.ts';
import type { OccurrenceMarks } from '../checks/occurrence-marks.ts';
import { ENGINES, engineOf } from '../checks/registry.ts';
import type { CheckKind, Json } from '../domain/check.ts';
import { sentenceOf } from '../domain/failures/failure.ts';
import { createPace, nextTurn, slicesByWeight } from '../platform/slices.ts';
import { markOccurrences } from '../reports/mark-occurrences.ts';
import type { Executor } from '../store/database.ts';
import { type CommonIssueRow, countDecided, countMuted, listCommonIssues } from '../store/issues/common-issues.ts';
import { countCausesLeftOut, type ListedFix, listFixes } from '../store/issues/fixes.ts';
import {
  countPagesWith,
  issuesById,
  issuesOfPages,
  issuesOfTypes,
  pagesWithRule,
  type StoredIssue,
} from '../store/issues/issues.ts';
import { slicesOfOccurrences } from '../store/issues/packed-occurrences.ts';
import { batchesOf, rowsOf } from '../store/listing.ts';
import { listWebPages, signedInAs, type WebPageWithChecks } from '../store/pages/web-pages.ts';
import type { VisibleReport } from '../store/reports/reports.ts';
import type { ReviewedCounts } from './reviewed-note.ts';

/**
 * A report as all formats read it: only issues that are not muted, of the kinds of check in `report.checks`. Lists are read in
 * batches, so that a report of any size takes the same memory.
 */
export interface ReportModel {
  readonly report: VisibleReport;
  /** The engines of the report's checks, in display order. */
  readonly engines: readonly EngineDescription[];
  /**
   * Yields the issue types of an engine: errors first, the worst impact first, then issues that need review and warnings, then
   * the most frequent.
   */
  issueTypes(engine: EngineDescription): AsyncIterable<CommonIssueRow>;
  /** Yields the issue types of an engine that people decided are not errors. */
  refutedTypes(engine: EngineDescription): AsyncIterable<CommonIssueRow>;
  /** Returns the number of issue types that `issueTypes` yields. */
  countIssueTypes(engine: EngineDescription): Promise<number>;
  /** Returns the number of occurrences by what people decided about them, and of muted ones. */
  reviewed(): Promise<ReviewedCounts>;
  /** Returns the number of pages that have at least one of some issue types. */
  pagesWith(issueTypes: readonly ExportedIssueType[]): Promise<number>;
  /** Yields the issues of some issue types of one engine: in their order, then of their pages. */
  issuesOf(issueTypes: readonly ExportedIssueType[]): AsyncIterable<ExportedIssue>;
  /**
   * Yields the issues of an engine that people decided are not errors, from pages on which their rule found nothing else: by
   * issue type, then in the order of their pages.
   */
  refuted(engine: EngineDescription): AsyncIterable<ExportedIssue>;
  /** Yields the first issues of an issue type in the order of their pages, without marks. */
  firstIssues(issueType: ExportedIssueType, most: number): AsyncIterable<ExportedIssue>;
  /** Yields the pages in the order in which they were found, with the issues of all engines unless some are given. */
  pages(of?: readonly EngineDescription[]): AsyncIterable<PageWithIssues>;
  /** Returns what to fix first; nothing until the insights of the report are computed. */
  fixes(): Promise<readonly ListedFix[]>;
  /** Returns the number of causes of errors that the fix plan leaves out. */
  causesLeftOut(): Promise<number>;
}

/** Returns who a page was checked as, and in what state, in words. */
export function seenAs(page: WebPageWithChecks, report: VisibleReport): string[] {
  const { url, reached_url, checks } = page;
  const mark = reached_url === null ? null : markIn(url);
  const { opened_states, consent } = checks['a11y'] ?? {};
  return seenWords({ ...signedInAs(page, report), ...journeyPlace(mark), opened_states, consent });
}

/** Returns the counts of the checks that grade their issues. */
export function gradedCounts({ report, engines }: Pick<ReportModel, 'report' | 'engines'>) {
  return engines.flatMap(({ kind, isGraded }) => (isGraded ? (report.checks[kind] ?? []) : []));
}

export type ExportedIssueType = Pick<CommonIssueRow, 'id' | 'num_web_pages'>;

/** An issue type on a page. */
export interface ExportedIssue extends Omit<StoredIssue, 'occurrences'> {
  readonly engine: EngineDescription;
  /** The marks of its occurrences, in their order; none from `firstIssues`. */
  readonly marks: readonly OccurrenceMarks[];
  /** Unpacks its occurrences as the engine described them, in slices. */
  slices(): Iterable<readonly Json[]>;
}

export interface PageWithIssues {
  readonly page: WebPageWithChecks;
  /** By engine, then in document order. */
  readonly issues: readonly ExportedIssue[];
}

/**
 * Occurrences whose issues are in memory at a time, or the occurrences of one page: as many as are prepared in a few
 * milliseconds.
 */
const BATCH_OCCURRENCES = 4_000;
/** Issues that are looked up at a time, or the issues of one type. */
const BATCH_ISSUES = 4_000;
/** @param report with the checks that its reader may see */
export function readReport(db: Executor, report: VisibleReport): ReportModel {
  const engines = ENGINES.filter(({ kind }) => report.checks[kind] !== undefined);
  const kinds = engines.map(({ kind }) => kind);
  const refutedTypes = ({ kind }: EngineDescription) =>
    rowsOf((page) => listCommonIssues(db, report.id, kind, { muted: 'not_an_error' }, page));
  return {
    report,
    engines,
    issueTypes: ({ kind }) => rowsOf((page) => listCommonIssues(db, report.id, kind, {}, page)),
    async countIssueTypes({ kind }) {
      return (await listCommonIssues(db, report.id, kind, {}, { number: 1, size: 1 })).total;
    },
    async reviewed() {
      return { ...(await countDecided(db, report.id, kinds)), muted: await countMuted(db, report.id, kinds) };
    },
    pagesWith(of) {
      return countPagesWith(
        db,
        of.map(({ id }) => id),
      );
    },
    async *issuesOf(of) {
      for (const slice of slicesByWeight(of, ({ num_web_pages: pages }) => pages, BATCH_ISSUES)) {
        for await (const issues of batchesOfIssueTypes(db, slice, null))
          yield* inTurns(await marked(db, report.id, issues));
      }
    },
    refutedTypes,
    async *refuted(engine) {
      for await (const issueType of refutedTypes(engine)) {
        for await (const issues of batchesOfIssueTypes(db, [issueType], null, true)) {
          const still = await pagesWithRule(
            db,
            issueType,
            issues.map((issue) => issue.web_page_id),
          );
          yield* inTurns(issues.flatMap((issue) => (still.has(issue.web_page_id) ? [] : exported(issue, []))));
        }
      }
    },
    async *firstIssues(issueType, most) {
      for await (const issues of batchesOfIssueTypes(db, [issueType], most)) {
        for (const issue of issues) yield exported(issue, []);
      }
    },
    async *pages(of = engines) {
      const wanted = of.map(({ kind }) => kind);
      for await (const batch of batchesOf((page) => listWebPages(db, report.id, {}, page))) {
        for (const pages of slicesByWeight(batch, (page) => occurrencesOn(page, wanted), BATCH_OCCURRENCES)) {
          yield* inTurns(await withIssues(db, report.id, pages, wanted));
        }
      }
    },
    causesLeftOut: () => countCausesLeftOut(db, report.id, kinds),
    async fixes() {
      return Array.fromAsync(rowsOf((page) => listFixes(db, report.id, kinds, page)));
    },
  };
}

/** Yields the occurrences of an issue as lists and the terminal show them. */
export function* shownOccurrences({ engine, url, slices }: ExportedIssue): Generator<ShownOccurrence> {
  for (const slice of slices()) yield* engine.issues.shownOccurrences({ url, occurrences: [...slice] });
}

/** A check of a page that failed, and why. */
export interface UncheckedPage {
  readonly engine: EngineDescription;
  readonly reason: string;
}

/** Returns the checks of a page that failed. */
export function uncheckedOf({ checks }: WebPageWithChecks, engines: readonly EngineDescription[]): UncheckedPage[] {
  return engines.flatMap((engine) => {
    const check = checks[engine.kind];
    if (check?.status !== 'failed') return [];
    return [{ engine, reason: check.error === null ? 'The check failed.' : sentenceOf(check.error) }];
  });
}

/** Yields the rows, and waits for a turn when processing them has taken long enough. */
async function* inTurns<Row>(rows: readonly Row[]): AsyncGenerator<Row> {
  const pace = createPace();
  for (const row of rows) {
    yield row;
    await pace();
  }
}

function occurrencesOn({ checks }: WebPageWithChecks, kinds: readonly CheckKind[]): number {
  return kinds.reduce((sum, kind) => sum + (checks[kind]?.errors ?? 0) + (checks[kind]?.warnings ?? 0), 0);
}

async function withIssues(
  db: Executor,
  reportId: string,
  pages: readonly WebPageWithChecks[],
  kinds: readonly CheckKind[],
): Promise<readonly PageWithIssues[]> {
  const ids = pages.filter((page) => occurrencesOn(page, kinds) > 0).map(({ id }) => id);
  const stored = ids.length === 0 ? [] : await issuesOfPages(db, ids, kinds);
  await nextTurn();
  const byPage = new Map<number, ExportedIssue[]>();
  for (const kind of kinds) {
    const ofKind = stored.filter((issue) => issue.kind === kind);
    for (const issue of await marked(db, reportId, ofKind)) {
      byPage.getOrInsertComputed(issue.web_page_id, () => []).push(issue);
    }
  }
  return pages.map((page) => ({ page, issues: byPage.get(page.id) ?? [] }));
}

/** Yields the issues of some issue types, as many at a time as have `BATCH_OCCURRENCES`. */
async function* batchesOfIssueTypes(
  db: Executor,
  issueTypes: readonly ExportedIssueType[],
  first: number | null,
  areMuted = false,
): AsyncGenerator<readonly StoredIssue[]> {
  const ids = issueTypes.map(({ id }) => id);
  const counted = await issuesOfTypes(db, ids, first, areMuted);
  for (const slice of slicesByWeight(counted, ({ how_many: occurrences }) => occurrences, BATCH_OCCURRENCES)) {
    const issues = await issuesById(
      db,
      slice.map(({ id }) => id),
      areMuted,
    );
    await nextTurn();
    const byId = new Map(issues.map((issue) => [issue.id, issue]));
    yield slice.flatMap(({ id }) => byId.get(id) ?? []);
  }
}

/** @param issues of one kind of check */
async function marked(db: Executor, reportId: string, issues: readonly StoredIssue[]): Promise<ExportedIssue[]> {
  const [first] = issues;
  if (first === undefined) return [];
  const placed = issues.map(({ page_url: pageUrl, ...issue }) => ({ ...issue, pageUrl }));
  const marks = await markOccurrences(db, reportId, first.kind, placed);
  return issues.map((issue, index) => exported(issue, marks[index] ?? []));
}

function exported({ occurrences, ...issue }: StoredIssue, marks: readonly OccurrenceMarks[]): ExportedIssue {
  return { ...issue, engine: engineOf(issue.kind), marks, slices: () => slicesOfOccurrences(occurrences) };
}
