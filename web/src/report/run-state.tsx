import { type Severity, SeverityGlyph } from '../parts/severity.tsx';

/** How a run ended. */
export interface EndedRun {
  readonly status: string;
  /** Whether it ended before it was complete. */
  readonly stopped: boolean;
  /** According to `fail_on` of its schedule; null without it. */
  readonly verdict: 'passed' | 'failed' | null;
}

/** How a run ended, as a sign and in words. */
export function RunState({ run, hasWords = true }: { readonly run: EndedRun; readonly hasWords?: boolean }) {
  const { of, words } = stateOf(run);
  return (
    <>
      <SeverityGlyph of={of} /> <span className={hasWords ? undefined : 'visually-hidden'}>{words}</span>
    </>
  );
}

function stateOf({ status, stopped, verdict }: EndedRun): { readonly of: Severity; readonly words: string } {
  if (status === 'failed') return { of: 'failed', words: 'failed' };
  if (verdict === 'failed') return { of: 'failed', words: 'did not pass' };
  if (stopped) return { of: 'unchecked', words: 'stopped early' };
  return { of: 'passed', words: verdict === 'passed' ? 'passed' : 'finished' };
}

/** Returns how a report has ended. */
export function endOf({
  status,
  stopped_early: reason,
  verdict,
}: {
  readonly status: string;
  readonly stopped_early: string | null;
  readonly verdict: { readonly passed: boolean } | null;
}): EndedRun {
  return { status, stopped: reason !== null, verdict: verdict === null ? null : verdict.passed ? 'passed' : 'failed' };
}
