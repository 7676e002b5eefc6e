import { alsoFixedMax } from '../../packages/client/causes.ts';
import { occurrenceTextMaxCharacters } from '../checks/limits.ts';
import { effectOfError, engineOf } from '../checks/registry.ts';
import type { CheckKind } from '../domain/check.ts';
import { CLUSTER_BYTES } from '../issues/identity.ts';
import { CAUSES_PER_PAGE_MAX, planFixes } from '../issues/plan-fixes.ts';
import { shortened } from '../platform/shorten.ts';
import { createPace, nextTurn, slicesByWeight } from '../platform/slices.ts';
import type { Executor } from '../store/database.ts';
import {
  countPassing,
  type ErrorIssueType,
  errorIssueTypesOf,
  errorsOf,
  type FailingPage,
  type FixPlan,
  type NewFix,
  nextFailingPages,
  type PageErrors,
} from '../store/issues/fixes.ts';
import { issuesById, type PageIssue } from '../store/issues/issues.ts';
import { unpackOccurrences } from '../store/issues/packed-issues.ts';
import { addSameEdits, causeKey, clusterKey, findSameEdits, firstAlike, type SameEdits } from './same-edits.ts';

/** Pages read at a time. */
const BATCH_PAGES = 100;
/** Occurrences read at a time, or all occurrences of one page. */
const BATCH_OCCURRENCES = 50_000;
/** Occurrences that are counted before other work gets its turn. */
const TURN_OCCURRENCES = 10_000;
/** Maximum number of causes of a report. Pages with causes beyond these are not in the plan. */
const CAUSES_MAX = 100_000;
/** Maximum number of causes per page, so that a hostile page leaves room for others. */
const FOUND_PER_PAGE_MAX = 1_000;

/** The first occurrence of a cause. */
interface Occurrence {
  readonly kind: CheckKind;
  readonly commonIssue: number;
  readonly cluster: Buffer;
  /** An issue, the number of its occurrences, and the position of the occurrence in it. */
  readonly issue: number;
  readonly size: number;
  readonly position: number;
}

/**
 * Occurrences with the same markup and the same kind of error, or errors of several issue types that one edit fixes, across all
 * pages.
 */
interface Cause {
  /** Stands for all occurrences. */
  main: Occurrence;
  /** Number of elements; `errors` counts all errors that checks report for them. */
  howMany: number;
  errors: number;
  pages: number;
  isSevere: boolean;
  /** Other issue types that are fixed, each with its first occurrence: up to `alsoFixedMax`. */
  readonly also: Map<number, Pick<Occurrence, 'kind' | 'cluster'>>;
}

/** What is known about the issue types of a report. */
interface KnownIssueTypes {
  readonly same: SameEdits;
  /** The common issues that hinder visitors severely. */
  readonly severe: ReadonlySet<number>;
}

/** Chooses what to fix first in a finished report: decision 0055. */
export async function chooseFixes(db: Executor, reportId: string): Promise<FixPlan> {
  const issueTypes = await errorIssueTypesOf(db, reportId);
  const same = await sameEditsIn(db, reportId, issueTypes);
  const { causes, planned } = await causesIn(db, reportId, { same, severe: severeAmong(issueTypes) });
  const passing = await countPassing(db, reportId);
  const plan = planFixes(planned, causes, passing);
  const descriptions = await describe(
    db,
    plan.flatMap(({ cause }) => causes[cause] ?? []),
  );
  const messages = new Map(issueTypes.map(({ id, message }) => [id, message]));
  const fixes: NewFix[] = [];
  for (const { cause: number, passingAfter, passingAfterPlan } of plan) {
    const cause = causes[number];
    const described = cause && descriptions.get(cause);
    if (cause === undefined || described === undefined) continue;
    const passes = { passing_before: passing, passing_after: passingAfter, passing_after_plan: passingAfterPlan };
    const also = alsoFixedBy(cause, messages);
    fixes.push({ ...described, ...passes, also, position: fixes.length + 1 });
  }
  const isPlanned = new Set(plan.map(({ cause }) => cause));
  const leftOut = new Map<CheckKind, number>();
  for (const [number, { main }] of causes.entries()) {
    if (!isPlanned.has(number)) leftOut.set(main.kind, (leftOut.get(main.kind) ?? 0) + 1);
  }
  return { fixes, leftOut };
}

/** Returns the ids of the issue types that hinder visitors severely. */
function severeAmong(issueTypes: readonly ErrorIssueType[]): ReadonlySet<number> {
  const severe = issueTypes.filter((issueType) => effectOfError(issueType).hindrance === 'severe');
  return new Set(severe.map(({ id }) => id));
}

/** Returns the causes of the errors of a report, and the causes of each page that passes once all of them are fixed. */
async function causesIn(
  db: Executor,
  reportId: string,
  known: KnownIssueTypes,
): Promise<{ readonly causes: readonly Cause[]; readonly planned: readonly number[][] }> {
  const causes: Cause[] = [];
  const numbers = new Map<string, number>();
  const planned: number[][] = [];
  for await (const pages of failingPages(db, reportId)) {
    const unchecked = new Set(pages.flatMap(({ id, isUnchecked }) => (isUnchecked ? [id] : [])));
    const errors = await errorsOf(
      db,
      pages.map(({ id }) => id),
    );
    for (const [id, onPage] of Map.groupBy(errors, ({ page }) => page)) {
      const found = await causesOf(onPage, causes, numbers, known);
      if (unchecked.has(id)) continue;
      if (found.size <= CAUSES_PER_PAGE_MAX && !found.has(UNPLANNED)) planned.push([...found]);
    }
  }
  return { causes, planned };
}

/** Returns which clusters of the report are fixed by the same edit. */
async function sameEditsIn(db: Executor, reportId: string, issueTypes: readonly ErrorIssueType[]): Promise<SameEdits> {
  const same = findSameEdits(issueTypes);
  if (same.edits.size === 0) return same;
  for await (const pages of failingPages(db, reportId)) {
    const ids = pages.map(({ id }) => id);
    await addSameEdits(db, ids, same);
  }
  return same;
}

/** Yields the pages with errors, as many at a time as have `BATCH_OCCURRENCES`. */
async function* failingPages(db: Executor, reportId: string): AsyncGenerator<readonly FailingPage[]> {
  for (let after = 0; ; ) {
    const failing = await nextFailingPages(db, reportId, after, BATCH_PAGES);
    yield* slicesByWeight(failing, ({ occurrences }) => occurrences, BATCH_OCCURRENCES);
    if (failing.length < BATCH_PAGES) return;
    after = failing.at(-1)?.id ?? 0;
  }
}

/** A cause beyond `CAUSES_MAX` or `FOUND_PER_PAGE_MAX`. */
const UNPLANNED = -1;

/**
 * Returns the numbers of the causes on a page, and counts its occurrences: an element that is reported several times is one
 * occurrence. Issue types whose messages differ only in the numbers they contain are about different elements.
 */
async function causesOf(
  onPage: readonly PageErrors[],
  causes: Cause[],
  numbers: Map<string, number>,
  { same, severe }: KnownIssueTypes,
): Promise<ReadonlySet<number>> {
  await nextTurn();
  /** The occurrences of each cause, by issue type. */
  const found = new Map<number, Map<number, number>>();
  for (const { issue, kind, commonIssue, clusters } of onPage) {
    const issueType = firstAlike(same, commonIssue);
    for (const [cluster, occurrences] of await clustersIn(clusters)) {
      const size = clusters.length / CLUSTER_BYTES;
      const occurrence = { kind, commonIssue, issue, size, position: occurrences.first };
      const number = numberOf(occurrence, cluster, causes, numbers, same, found.size < FOUND_PER_PAGE_MAX);
      const byIssueType = found.get(number) ?? new Map<number, number>();
      found.set(number, byIssueType.set(issueType, (byIssueType.get(issueType) ?? 0) + occurrences.howMany));
      const cause = causes[number];
      if (cause !== undefined && severe.has(commonIssue)) cause.isSevere = true;
    }
  }
  for (const [number, byIssueType] of found) {
    const cause = causes[number];
    if (cause === undefined) continue;
    const counts = [...byIssueType.values()];
    cause.howMany += Math.max(...counts);
    cause.errors += counts.reduce((sum, count) => sum + count, 0);
    cause.pages += 1;
  }
  return new Set(found.keys());
}

/** Returns the number of a cause, and adds it if it is new and there is room. */
function numberOf(
  occurrence: Omit<Occurrence, 'cluster'>,
  cluster: string,
  causes: Cause[],
  numbers: Map<string, number>,
  same: SameEdits,
  hasRoom: boolean,
): number {
  const own = clusterKey(same, occurrence.commonIssue, cluster);
  const key = causeKey(same, own);
  const known = numbers.get(key);
  const cause = known === undefined ? undefined : causes[known];
  if (known !== undefined && cause !== undefined) {
    const { main } = cause;
    if (main.commonIssue === occurrence.commonIssue || cause.also.has(occurrence.commonIssue)) return known;
    const found = { ...occurrence, cluster: Buffer.from(cluster, 'latin1') };
    const isMain = own === key && clusterKey(same, main.commonIssue, main.cluster.toString('latin1')) !== key;
    const other = isMain ? main : found;
    if (isMain) cause.main = found;
    if (cause.also.size < alsoFixedMax) cause.also.set(other.commonIssue, { kind: other.kind, cluster: other.cluster });
    return known;
  }
  if (!hasRoom || causes.length >= CAUSES_MAX) return UNPLANNED;
  numbers.set(key, causes.length);
  const main = { ...occurrence, cluster: Buffer.from(cluster, 'latin1') };
  causes.push({ main, howMany: 0, errors: 0, pages: 0, isSevere: false, also: new Map() });
  return causes.length - 1;
}

/** The occurrences of an issue that are in one cluster. */
interface OccurrencesOfCluster {
  readonly first: number;
  howMany: number;
}

/** Counts packed clusters, in the order of their first occurrences. */
async function clustersIn(packed: Uint8Array): Promise<Map<string, OccurrencesOfCluster>> {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const clusters = new Map<string, OccurrencesOfCluster>();
  for (let occurrence = 0; occurrence < bytes.length / CLUSTER_BYTES; occurrence += 1) {
    if (occurrence % TURN_OCCURRENCES === TURN_OCCURRENCES - 1) await nextTurn();
    const cluster = bytes.toString('latin1', occurrence * CLUSTER_BYTES, (occurrence + 1) * CLUSTER_BYTES);
    const known = clusters.get(cluster);
    if (known === undefined) clusters.set(cluster, { first: occurrence, howMany: 1 });
    else known.howMany += 1;
  }
  return clusters;
}

type Description = Omit<NewFix, 'position' | 'passing_before' | 'passing_after' | 'passing_after_plan' | 'also'>;

/**
 * Describes causes by their first occurrences. Reads each issue once: an issue with 100,000 occurrences can be the first of many
 * causes.
 */
async function describe(db: Executor, causes: readonly Cause[]): Promise<Map<Cause, Description>> {
  const descriptions = new Map<Cause, Description>();
  const pace = createPace();
  const byIssue = Map.groupBy(causes, ({ main }) => main.issue);
  for (const slice of slicesByWeight([...byIssue], ([, [cause]]) => cause?.main.size ?? 0, BATCH_OCCURRENCES)) {
    const issues = await issuesById(
      db,
      slice.map(([id]) => id),
      false,
    );
    for (const issue of issues) {
      await pace();
      const occurrences = unpackOccurrences(issue.occurrences);
      for (const cause of byIssue.get(issue.id) ?? [])
        descriptions.set(cause, descriptionOf(cause, { ...issue, occurrences }));
    }
  }
  return descriptions;
}

function descriptionOf(cause: Cause, issue: PageIssue): Description {
  const { kind, commonIssue, cluster, position } = cause.main;
  const occurrences = Array.isArray(issue.occurrences) ? issue.occurrences.slice(position, position + 1) : [];
  const [occurrence] = engineOf(kind).issues.shownOccurrences({ url: issue.url, occurrences });
  return {
    kind,
    common_issue_id: commonIssue,
    cluster,
    message: issue.message,
    markup: shortened(occurrence?.markup ?? '', occurrenceTextMaxCharacters),
    cause: occurrence?.cause ?? null,
    style_rule: occurrence?.styleRule ?? null,
    background_rule: occurrence?.backgroundRule ?? null,
    edited_color: occurrence?.editedColor ?? null,
    selector: occurrence?.selector ?? null,
    sample_page_id: issue.web_page_id,
    how_many: cause.howMany,
    errors: cause.errors,
    num_web_pages: cause.pages,
  };
}

function alsoFixedBy({ also }: Cause, messages: ReadonlyMap<number, string>): NewFix['also'] {
  return [...also].map(([commonIssue, { kind, cluster }]) => ({
    ...{ kind, common_issue_id: commonIssue, cluster: cluster.toString('hex') },
    message: messages.get(commonIssue) ?? '',
  }));
}
