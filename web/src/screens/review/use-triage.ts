import { type QueryClient, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { decide, undoDecision } from '../../api/changes/decisions.ts';
import type { Item } from '../../api/client.ts';
import {
  type ReviewChoice,
  type ReviewedCause,
  reviewedOccurrencesQuery,
  reviewedScreenshotQuery,
  reviewedSourceQuery,
  reviewQueueQuery,
} from '../../api/queries/review.ts';
import type { Scope, Verdict } from '../../lib/decisions.ts';
import { pathOf, reasonOf } from '../../lib/formats.ts';
import { KIND_NAMES, type Kind, kindsOf } from '../../lib/kinds.ts';
import { leftOf, neighborOf } from '../../lib/triage.ts';
import { useReport } from '../../report/report-context.tsx';
import { useStaleDecisions } from '../../report/use-decisions.ts';

type Occurrence = Item<'occurrence'>;

/** A decision that was made on this screen. It counts at once; the request may still be running. */
export interface MadeDecision {
  readonly id: number;
  readonly key: string;
  readonly rule: string;
  readonly scope: Scope;
  readonly verdict: Verdict;
  readonly note: string;
  readonly cause: ReviewedCause;
  readonly occurrence: Occurrence;
  /** Whether it was made before the queue was read again. */
  readonly isRead: boolean;
}

/** A decision that the service refused. Its cause is back in the queue. */
interface Refused {
  readonly made: MadeDecision;
  readonly reason: string;
}

/** What needs people most comes first. */
const KINDS_IN_ORDER = KIND_NAMES.toSorted((a, b) => Number(b === 'a11y') - Number(a === 'a11y'));

/** Occurrences that are read at once. */
const occurrencesAtOnce = 25;
/** Causes that are read ahead: enough for a few decisions in a second. */
const causesAhead = 4;

/** The queue of a review, and what was decided so far. */
export function useTriage(choice: ReviewChoice) {
  const { report } = useReport();
  const kinds = KINDS_IN_ORDER.filter(
    // Only accessibility checks leave findings to people.
    (kind) => kindsOf(report).includes(kind) && (choice !== 'review' || kind === 'a11y'),
  );
  const queue = useQueue(report.id, kinds, choice);
  const decisions = useMade();
  const { made } = decisions;
  const [at, setAt] = useState<string>();

  const { causes, more, rulesLeft } = queue;
  const left = leftOf(causes, made.filter(countsIn));
  const current = left.find(({ key }) => key === at) ?? neighborOf(causes, left, at);
  const next = current === undefined ? undefined : neighborOf(causes, left, current.key);
  const occurrences = useOccurrences(current, made);
  const ahead = causesAfter(left, current);
  usePreloaded(report, ahead);
  useReadOn(queue.query, ahead.length);
  const [occurrence] = occurrences.left;
  const decided = decidedIn(causes, left, made);

  return {
    ...{ queue: queue.query, made, refused: decisions.refused, current, next, occurrence, more, rulesLeft },
    isLoading: occurrences.isLoading,
    progress: { decided, whole: decided + left.length + more + rulesLeft },
    /** Decides about the current cause. Returns whether its occurrence was shown: people decide about what they have seen. */
    make(verdict: Verdict, scope: Scope, note: string): boolean {
      if (current === undefined || occurrence === undefined) return false;
      const { key, rule } = current;
      const after = decisions.add({ key, rule, scope, verdict, note, cause: current, occurrence, isRead: false });
      const open = leftOf(causes, after.filter(countsIn));
      // If occurrences of the cause are left, the next one follows.
      setAt(open.some((each) => each.key === key) ? key : neighborOf(causes, open, key)?.key);
      return true;
    },
    undo(entry: MadeDecision): void {
      setAt(entry.key);
      decisions.undo(entry);
    },
    step(by: 1 | -1): ReviewedCause | undefined {
      const to = neighborOf(causes, left, current?.key, by);
      setAt(to?.key);
      return to;
    },
    async readAgain(): Promise<void> {
      await decisions.settle();
      await queue.query.refetch();
    },
  };
}

/** The part of the queue that is loaded. */
function useQueue(report: string, kinds: readonly Kind[], choice: ReviewChoice) {
  const query = useInfiniteQuery(reviewQueueQuery(report, kinds, choice));
  const parts = query.data?.pages ?? [];
  return {
    query,
    causes: parts.flatMap(({ causes }) => causes),
    more: parts.reduce((sum, { more }) => sum + more, 0),
    /** Rules whose causes are not loaded yet. */
    rulesLeft: parts.at(-1)?.rest.length ?? 0,
  };
}

/** Reads the next rules of the queue before it is their turn. */
function useReadOn({ hasNextPage, isFetching, isError, fetchNextPage }: Queue, ahead: number): void {
  // After an error, people choose when to try again.
  const isDue = hasNextPage && !isFetching && !isError && ahead < causesAhead;
  useEffect(() => {
    if (isDue) void fetchNextPage();
  }, [isDue, fetchNextPage]);
}

type Queue = ReturnType<typeof useQueue>['query'];

/** Once the queue has been read again, it has only the occurrences that are left. */
function countsIn({ isRead, scope }: MadeDecision): boolean {
  return !(isRead && scope === 'occurrence');
}

/** Counts the decided causes, including causes that are no longer in the queue, because it was read again. */
function decidedIn(causes: readonly ReviewedCause[], left: readonly ReviewedCause[], made: readonly MadeDecision[]) {
  const known = new Set(causes.map(({ key }) => key));
  const gone = made.filter(({ key, scope }) => scope !== 'occurrence' && !known.has(key)).map(({ key }) => key);
  return new Set(gone).size + causes.length - left.length;
}

/** The decisions that were made, and the last request that failed. */
function useMade() {
  const [made, setMade] = useState<readonly MadeDecision[]>([]);
  const [refused, setRefused] = useState<Refused | null>(null);
  const requests = useRequests();
  const without = (entry: MadeDecision) => (before: readonly MadeDecision[]) =>
    before.filter(({ id }) => id !== entry.id);
  return {
    made,
    refused,
    add(decision: Omit<MadeDecision, 'id'>): readonly MadeDecision[] {
      const entry = { ...decision, id: requests.nextId() };
      setRefused(null);
      setMade((before) => [...before, entry]);
      requests.save(entry).catch((error: unknown) => {
        // The current cause stays: the next key is meant for it.
        setMade(without(entry));
        setRefused({ made: entry, reason: `${reasonOf(error)} It is back in the queue.` });
      });
      return [...made, entry];
    },
    undo(entry: MadeDecision): void {
      setRefused(null);
      setMade(without(entry));
      requests.undo(entry).catch((error: unknown) => {
        setMade((before) => [...before, entry]);
        setRefused({ made: entry, reason: `It could not be undone. ${reasonOf(error)}` });
      });
    },
    async settle(): Promise<void> {
      await requests.settled();
      setMade((before) => before.map((entry) => ({ ...entry, isRead: true })));
    },
  };
}

export type Triage = ReturnType<typeof useTriage>;

function causesAfter(left: readonly ReviewedCause[], current: ReviewedCause | undefined): readonly ReviewedCause[] {
  const from = current === undefined ? 0 : left.indexOf(current) + 1;
  return left.slice(from, from + causesAhead);
}

/** Reads causes with their screenshots and sources before it is their turn. */
function usePreloaded(report: Item<'report'>, causes: readonly ReviewedCause[]): void {
  const queries = useQueryClient();
  const keys = causes.map(({ key }) => key).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the keys identify the causes.
  useEffect(() => {
    // What fails is read again, and reported, when it is its turn.
    for (const cause of causes) preload(queries, report, cause).catch(() => undefined);
  }, [queries, report.id, keys]);
}

async function preload(
  queries: QueryClient,
  { id: report, store_screenshots: hasScreenshots }: Item<'report'>,
  cause: ReviewedCause,
): Promise<void> {
  const [occurrence] = await queries.ensureQueryData(reviewedOccurrencesQuery(report, cause, occurrencesAtOnce));
  if (occurrence === undefined) return;
  const { web_page_id: page, line, box } = occurrence;
  if (line !== null) void queries.prefetchQuery(reviewedSourceQuery(report, page));
  if (box === null || !hasScreenshots) return;
  const { image_url: url } = await queries.ensureQueryData(reviewedScreenshotQuery(report, page));
  new Image().src = pathOf(url);
}

/** Returns the occurrences of a cause about which nothing was decided on this screen. */
function useOccurrences(cause: ReviewedCause | undefined, made: readonly MadeDecision[]) {
  const { report } = useReport();
  const decided = made.filter(({ key, scope }) => key === cause?.key && scope === 'occurrence');
  const size = occurrencesAtOnce * Math.ceil((decided.length + 1) / occurrencesAtOnce);
  const query = useQuery(reviewedOccurrencesQuery(report.id, cause, size));
  const names = new Set(decided.map(({ occurrence }) => nameOf(occurrence)));
  return { left: (query.data ?? []).filter((each) => !names.has(nameOf(each))), isLoading: query.isLoading };
}

/** Identifies an occurrence. Its id changes when something is decided about others on its page. */
function nameOf({ web_page_id: page, line, column, selector, markup }: Occurrence): string {
  return JSON.stringify([page, line, column, selector, markup]);
}

/** Sends decisions in the background, and remembers which decision of the service each of them became. */
function useRequests() {
  const { report } = useReport();
  const refresh = useStaleDecisions();
  const queries = useQueryClient();
  const saved = useRef(new Map<number, ReturnType<typeof decide>>());
  const lastId = useRef(0);
  // Decisions change other screens.
  useEffect(() => () => void refresh(), [refresh]);
  return {
    nextId: () => {
      lastId.current += 1;
      return lastId.current;
    },
    async save(entry: MadeDecision): Promise<void> {
      const { verdict, scope, note, occurrence } = entry;
      const request = decide(report, { occurrence: occurrence.id, verdict, scope, note }, occurrence.decision);
      saved.current.set(entry.id, request);
      await request;
      await queries.invalidateQueries({ queryKey: ['sites'] });
    },
    /** Restores what was decided before, or else nothing. */
    async undo(entry: MadeDecision): Promise<void> {
      const made = await saved.current.get(entry.id);
      if (made !== undefined) await undoDecision(made.decision.id, made.replaced);
    },
    settled: () => Promise.allSettled(saved.current.values()),
  };
}
