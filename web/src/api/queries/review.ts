import { queryOptions } from '@tanstack/react-query';
import { isStatus } from 'sitewarden-client/errors';
import { KINDS, type Kind } from '../../lib/kinds.ts';
import { LIST_SIZE_MAX } from '../../lib/position.ts';
import { type Item, type Query, readList } from '../client.ts';
import type { CommonIssue } from './common-issues.ts';
import { screenshotQuery, sourceQuery } from './web-page.ts';

/** What people review: undecided findings that need it, all undecided errors, or what they postponed. */
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

interface ReviewQueue {
  readonly causes: readonly ReviewedCause[];
  /** Number of causes that are not loaded yet, because a rule has very many. */
  readonly more: number;
}

/**
 * The queue of a report, rule by rule. It is read once: events of the report, which follow each decision, would reorder it while
 * people go through it.
 */
export function reviewQueueQuery(report: string, kinds: readonly Kind[], choice: ReviewChoice) {
  return queryOptions({
    queryKey: ['review', report, choice, kinds],
    async queryFn({ signal }): Promise<ReviewQueue> {
      const rules = await Promise.all(kinds.map((kind) => rulesOf(report, kind, choice, signal)));
      const lists = await Promise.all(rules.flat().map((rule) => causesOf(report, rule, signal)));
      return { causes: lists.flatMap(({ causes }) => causes), more: lists.reduce((sum, { more }) => sum + more, 0) };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

interface Rule {
  readonly kind: Kind;
  readonly issue: CommonIssue;
}

async function rulesOf(report: string, kind: Kind, choice: ReviewChoice, signal: AbortSignal): Promise<Rule[]> {
  const query = { ...FILTERS[choice], 'page[size]': LIST_SIZE_MAX, sort: 'severity-desc' };
  const path = `/reports/${report}/${KINDS[kind].commonIssues}`;
  const { items } = await readList<'common_a11y_issue'>(path, { query, signal });
  return items.map((issue) => ({ kind, issue }));
}

async function causesOf(report: string, { kind, issue }: Rule, signal: AbortSignal) {
  const query = { 'page[size]': LIST_SIZE_MAX };
  const path = `/reports/${report}/${KINDS[kind].commonIssues}/${issue.id}/clusters`;
  const { items, total } = await readList<'cluster'>(path, { query, signal });
  const rule = `${kind} ${issue.fingerprint}`;
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

/** The first occurrences of a cause. A decision about one occurrence leaves the others. */
export function reviewedOccurrencesQuery(report: string, cause: ReviewedCause | undefined, size: number) {
  return queryOptions({
    queryKey: ['review', report, cause?.key, cause?.issue.id, size],
    queryFn: async ({ signal }) => (cause === undefined ? [] : readOccurrences(report, cause, size, signal)),
    enabled: cause !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Reads occurrences of a cause as they are now: decisions about others of the rule change their ids. */
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

/** The screenshot of a page. Decisions announce changes of pages, but do not change their screenshots and sources. */
export function reviewedScreenshotQuery(report: string, page: string) {
  return {
    ...screenshotQuery(report, page),
    queryKey: ['review', report, page, 'screenshot'] as const,
    staleTime: Number.POSITIVE_INFINITY,
    // Without one, the source is enough.
    retry: false,
  };
}

/** The source of a page. */
export function reviewedSourceQuery(report: string, page: string) {
  return {
    ...sourceQuery(report, page),
    queryKey: ['review', report, page, 'source'] as const,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  };
}
