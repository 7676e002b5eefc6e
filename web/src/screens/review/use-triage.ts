import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from 'sitewarden-client/errors';
import { changeDecision, decide, undoDecision } from '../../api/changes/decisions.ts';
import type { Item } from '../../api/client.ts';
import {
  type ReviewChoice,
  type ReviewedCause,
  readOccurrences,
  reviewedOccurrencesQuery,
  reviewQueueQuery,
} from '../../api/queries/review.ts';
import type { Scope, Verdict } from '../../lib/decisions.ts';
import { reasonOf } from '../../lib/formats.ts';
import { KIND_NAMES, kindsOf } from '../../lib/kinds.ts';
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

/** The queue of a review, and what was decided so far. */
export function useTriage(choice: ReviewChoice) {
  const { report } = useReport();
  // Only accessibility checks leave findings to people.
  const kinds = KINDS_IN_ORDER.filter(
    (kind) => kindsOf(report).includes(kind) && (choice !== 'review' || kind === 'a11y'),
  );
  const queue = useQuery(reviewQueueQuery(report.id, kinds, choice));
  const [made, setMade] = useState<readonly MadeDecision[]>([]);
  const [at, setAt] = useState<string>();
  const [refused, setRefused] = useState<Refused | null>(null);
  const requests = useRequests(report.id);

  const { causes = [], more = 0 } = queue.data ?? {};
  const left = leftOf(
    causes,
    made.filter(({ isRead, scope }) => !(isRead && scope === 'occurrence')),
  );
  const current = left.find(({ key }) => key === at) ?? neighborOf(causes, left, at);
  const next = current === undefined ? undefined : neighborOf(causes, left, current.key);
  const occurrences = useOccurrences(current, made);
  // The occurrences of the next cause are ready when it is its turn.
  const following = useOccurrences(next, made);

  const make = (verdict: Verdict, scope: Scope, note: string): MadeDecision | undefined => {
    const [occurrence] = occurrences.left;
    if (current === undefined || occurrence === undefined) return undefined;
    const { key, rule } = current;
    const entry = { id: requests.nextId(), key, rule, scope, verdict, note, cause: current, occurrence, isRead: false };
    const after = [...made, entry];
    setRefused(null);
    setMade(after);
    const open = leftOf(causes, after);
    // An occurrence of several leads to the next one.
    setAt(open.some((each) => each.key === key) ? key : neighborOf(causes, open, key)?.key);
    requests.save(entry).catch((error: unknown) => {
      // The current cause stays: the next key is meant for it.
      setMade((before) => before.filter(({ id }) => id !== entry.id));
      setRefused({ made: entry, reason: `${reasonOf(error)} It is back in the queue.` });
    });
    return entry;
  };
  const undo = (entry: MadeDecision): void => {
    setMade((before) => before.filter(({ id }) => id !== entry.id));
    setAt(entry.key);
    requests.undo(entry).catch((error: unknown) => {
      setMade((before) => [...before, entry]);
      setRefused({ made: entry, reason: `The decision could not be undone. ${reasonOf(error)}` });
    });
  };
  const readAgain = async (): Promise<void> => {
    await requests.settled();
    setMade((before) => before.map((entry) => ({ ...entry, isRead: true })));
    await queue.refetch();
  };
  const step = (by: 1 | -1): ReviewedCause | undefined => {
    const to = neighborOf(causes, left, current?.key, by);
    setAt(to?.key);
    return to;
  };
  // Causes that were decided before the queue was read again are no longer in it.
  const known = new Set(causes.map(({ key }) => key));
  const before = new Set(
    made.filter(({ key, scope }) => scope !== 'occurrence' && !known.has(key)).map(({ key }) => key),
  );
  const decided = before.size + causes.length - left.length;
  return {
    queue,
    made,
    refused,
    left,
    current,
    next,
    occurrence: occurrences.left[0],
    nextOccurrence: following.left[0],
    isLoading: occurrences.isLoading,
    progress: { decided, whole: decided + left.length + more },
    more,
    make,
    undo,
    step,
    readAgain,
  };
}

export type Triage = ReturnType<typeof useTriage>;

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

const attemptsMax = 8;
const attemptMs = 400;

/** Sends decisions in the background, and remembers which decision of the service each of them became. */
function useRequests(report: string) {
  const refresh = useStaleDecisions();
  const queries = useQueryClient();
  const saved = useRef(new Map<number, Promise<Item<'decision'>>>());
  /** Rules about which something was decided, which changes the ids of their occurrences. */
  const changed = useRef(new Set<string>());
  const lastId = useRef(0);
  // What was decided changes other screens.
  useEffect(() => () => void refresh(), [refresh]);
  return {
    nextId: () => {
      lastId.current += 1;
      return lastId.current;
    },
    async save(entry: MadeDecision): Promise<void> {
      const request = decideAbout(report, entry, changed.current.has(entry.rule));
      changed.current.add(entry.rule);
      saved.current.set(entry.id, request);
      await request;
      await queries.invalidateQueries({ queryKey: ['sites'] });
    },
    /** Restores what was decided before, or else nothing. */
    async undo(entry: MadeDecision): Promise<void> {
      const decision = await saved.current.get(entry.id);
      const { decision: before } = entry.occurrence;
      if (decision === undefined) return;
      if (before !== null && before.id === decision.id)
        await changeDecision(decision.id, { verdict: before.verdict, note: before.note });
      else await undoDecision(decision.id);
    },
    settled: () => Promise.allSettled(saved.current.values()),
  };
}

/** Saves a decision. If another one has changed the ids of the occurrences in the meantime, finds the occurrence again. */
async function decideAbout(report: string, entry: MadeDecision, isChanged: boolean): Promise<Item<'decision'>> {
  const { verdict, scope, note, cause, occurrence } = entry;
  let { id } = occurrence;
  for (let attempt = isChanged ? 1 : 0; ; attempt += 1) {
    if (attempt > 0) id = (await idNow(report, entry)) ?? id;
    try {
      return await decide(report, { occurrence: id, verdict, scope, note });
    } catch (error) {
      if (!isUnknownOccurrence(error) || attempt >= attemptsMax) throw error;
      await new Promise((resolve) => setTimeout(resolve, attemptMs));
    }
  }

  async function idNow(of: string, { scope: wanted }: MadeDecision): Promise<string | undefined> {
    const found = await readOccurrences(of, cause, wanted === 'occurrence' ? occurrencesAtOnce * 4 : 1);
    if (wanted !== 'occurrence') return found[0]?.id;
    return found.find((each) => nameOf(each) === nameOf(occurrence))?.id;
  }
}

function isUnknownOccurrence(error: unknown): boolean {
  return error instanceof ApiError && error.status === 422 && error.items.some(({ field }) => field === 'occurrence');
}
