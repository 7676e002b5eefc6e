import { type Severity, SeverityGlyph } from '../parts/severity.tsx';

/** How a run ended. */
export interface EndedRun {
  readonly status: string;
  /** Whether it ended before it was complete. */
  readonly stopped: boolean;
  /** By `fail_on` of its schedule; null without one. */
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
  crawl_error_code: code,
  verdict,
}: {
  readonly status: string;
  readonly crawl_error_code: string | null;
  readonly verdict: { readonly passed: boolean } | null;
}): EndedRun {
  const stopped = code === 'report_stopped' || code === 'crawl_broke_off';
  return { status, stopped, verdict: verdict === null ? null : verdict.passed ? 'passed' : 'failed' };
}
