import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { isStatus } from 'sitewarden-client/errors';
import { KINDS, type Kind } from '../../lib/kinds.ts';
import { LIST_SIZE_MAX } from '../../lib/position.ts';
import { type Item, type Query, readAll, readList } from '../client.ts';
import type { CommonIssue } from './common-issues.ts';
import { screenshotQuery, sourceQuery } from './web-page.ts';

/** What people review: undecided findings that need review, all undecided errors, or what they marked for later. */
export type ReviewChoice = 'review' | 'errors' | 'later';

const FILTERS: Readonly<Record<ReviewChoice, Query>> = {
  review: { 'filter[issue_type]': 'warning', 'filter[verdict]': 'none' },
  errors: { 'filter[issue_type]': 'error', 'filter[verdict]': 'none' },
  later: { 'filter[verdict]': 'later' },
};

/** A cause of a rule of the report, about which people decide. */
export interface ReviewedCause {
  /** Identifies it in the report. */
  readonly key: string;
  /** Identifies its rule in the report. */
  readonly rule: string;
  readonly kind: Kind;
  readonly issue: CommonIssue;
  readonly cluster: Item<'cluster'>;
  readonly howMany: number;
}

/** An issue type of the report with causes about which people decide. */
interface ReviewedRule {
  readonly kind: Kind;
  readonly issue: CommonIssue;
}

/** A part of the queue. */
interface ReviewPart {
  readonly causes: readonly ReviewedCause[];
  /** Number of causes that are not loaded, because a rule has very many. */
  readonly more: number;
  /** The rules whose turn comes after this part. */
  readonly rest: readonly ReviewedRule[];
}

/** Rules whose causes are read at once. */
const rulesAtOnce = 4;

/**
 * The queue of a report, rule by rule, a few rules at once. It is read once: events of the report, which follow each decision,
 * would reorder it while people go through it.
 */
export function reviewQueueQuery(report: string, kinds: readonly Kind[], choice: ReviewChoice) {
  return infiniteQueryOptions({
    queryKey: ['review', report, choice, kinds],
    async queryFn({ pageParam, signal }): Promise<ReviewPart> {
      const rules = pageParam ?? (await rulesOf(report, kinds, choice, signal));
      const turn = rules.slice(0, rulesAtOnce);
      const lists = await Promise.all(turn.map((rule) => causesOf(report, rule, signal)));
      return {
        causes: lists.flatMap(({ causes }) => causes),
        more: lists.reduce((sum, { more }) => sum + more, 0),
        rest: rules.slice(rulesAtOnce),
      };
    },
    initialPageParam: null as readonly ReviewedRule[] | null,
    getNextPageParam: ({ rest }) => (rest.length === 0 ? null : rest),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

async function rulesOf(
  report: string,
  kinds: readonly Kind[],
  choice: ReviewChoice,
  signal: AbortSignal,
): Promise<readonly ReviewedRule[]> {
  const query = { ...FILTERS[choice], sort: 'severity-desc' };
  const lists = kinds.map(async (kind) => {
    const path = `/reports/${report}/${KINDS[kind].commonIssues}`;
    const issues = await Array.fromAsync(readAll<'common_a11y_issue'>(path, { query, signal }));
    return issues.map((issue) => ({ kind, issue }));
  });
  return (await Promise.all(lists)).flat();
}

async function causesOf(report: string, { kind, issue }: ReviewedRule, signal: AbortSignal) {
  const rule = `${kind} ${issue.fingerprint}`;
  const path = `/reports/${report}/${KINDS[kind].commonIssues}/${issue.id}/clusters`;
  const { items, total } = await readClusters(path, signal);
  return {
    causes: items.map(
      (cluster): ReviewedCause => ({
        ...{ key: `${rule} ${cluster.id}`, rule, kind, issue, cluster },
        howMany: cluster.how_many,
      }),
    ),
    more: total - items.length,
  };
}

async function readClusters(path: string, signal: AbortSignal) {
  try {
    return await readList<'cluster'>(path, { query: { 'page[size]': LIST_SIZE_MAX }, signal });
  } catch (error) {
    // Everything about the rule was decided before its turn.
    if (isStatus(error, 404)) return { items: [], total: 0 };
    throw error;
  }
}

/** The first occurrences of a cause. A decision about one occurrence does not affect the others. */
export function reviewedOccurrencesQuery(report: string, cause: ReviewedCause | undefined, size: number) {
  return queryOptions({
    queryKey: ['review', report, cause?.key, cause?.issue.id, size],
    queryFn: async ({ signal }) => (cause === undefined ? [] : readOccurrences(report, cause, size, signal)),
    enabled: cause !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Reads occurrences of a cause as they are now: decisions about other occurrences of the rule change the ids. */
async function readOccurrences(
  report: string,
  { kind, issue, cluster }: ReviewedCause,
  size: number,
  signal?: AbortSignal,
): Promise<readonly Item<'occurrence'>[]> {
  const path = `/reports/${report}/${KINDS[kind].commonIssues}/${issue.id}/occurrences`;
  const query = { 'filter[cluster]': cluster.id, 'page[size]': Math.min(size, LIST_SIZE_MAX) };
  try {
    return (await readList<'occurrence'>(path, { query, signal })).items;
  } catch (error) {
    // Everything about the rule is decided.
    if (isStatus(error, 404)) return [];
    throw error;
  }
}

/** Decisions announce changes of pages, but do not change their screenshots and sources. */
function readOnce<Name extends string>(report: string, page: string, name: Name) {
  return {
    queryKey: ['review', report, page, name] as const,
    staleTime: Number.POSITIVE_INFINITY,
    // Without a screenshot, the source is enough.
    retry: false,
  };
}

/** The screenshot of a page. */
export function reviewedScreenshotQuery(report: string, page: string) {
  return { ...screenshotQuery(report, page), ...readOnce(report, page, 'screenshot') };
}

/** The source of a page. */
export function reviewedSourceQuery(report: string, page: string) {
  return { ...sourceQuery(report, page), ...readOnce(report, page, 'source') };
}
