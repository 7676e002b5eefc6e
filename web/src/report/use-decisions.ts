import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { New } from 'sitewarden-client';
import { decide, undoDecision } from '../api/changes/decisions.ts';
import { VERDICT_WORDS } from '../lib/decisions.ts';
import { useChange } from '../live/use-change.ts';
import { useToast } from '../parts/toast.tsx';
import { useReader, useReport } from './report-context.tsx';

/** Whether the reader may decide about issues of the open report. The site of a guest's report is the guest's own. */
export function useMayDecide(): boolean {
  const { report } = useReport();
  const { account, mayChange, mayMute } = useReader();
  const { guest_token: guest } = report;
  return (
    mayChange &&
    mayMute &&
    report.related.site !== undefined &&
    (guest === undefined || guest === account?.guest_account?.id)
  );
}

/** Returns a function that marks everything that a decision changes as stale. Events of the report do the same later. */
export function useStaleDecisions(): () => Promise<void> {
  const queries = useQueryClient();
  return useCallback(
    () =>
      queries.invalidateQueries({
        predicate: ({ queryKey: [type, , part] }) =>
          type === 'sites' || (type === 'report' && (part === 'issues' || part === 'pages')),
      }),
    [queries],
  );
}

/** Returns a function that undoes a decision, restores what it replaced, and says whether that worked. */
export function useUndo(): (...made: Parameters<typeof undoDecision>) => Promise<boolean> {
  const change = useChange();
  const refresh = useStaleDecisions();
  const say = useToast();
  return async (...made) => {
    const isDone = await change(() => undoDecision(...made));
    if (isDone) say('Decision undone. Counts will update shortly.');
    await refresh();
    return isDone;
  };
}

/** Returns a function that decides about issues of the open report, and offers to undo it. @throws ApiError */
export function useDecide(): (decision: New<'decision'>) => Promise<void> {
  const { report } = useReport();
  const refresh = useStaleDecisions();
  const undo = useUndo();
  const say = useToast();
  return async (wanted) => {
    const { decision, replaced } = await decide(report, wanted);
    say(`Decided: ${VERDICT_WORDS[decision.verdict].words}. Counts will update shortly.`, {
      title: 'Undo',
      run: () => void undo(decision.id, replaced),
    });
    await refresh();
  };
}
