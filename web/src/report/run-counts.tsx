import type { Item } from '../api/client.ts';
import { average, count, percent } from '../lib/formats.ts';
import { SeverityCount } from '../parts/severity.tsx';

/** A run of a site, with its counts now if they have changed since it ended. */
type Run = Pick<Item<'site'>['runs'][number], 'errors' | 'errors_per_page' | 'critical' | 'passed' | 'checked' | 'now'>;

/** The errors that a run found, and its errors now if they differ. */
export function RunErrors({
  run,
  of = 'error',
  words = false,
}: {
  readonly run: Run;
  readonly of?: 'error' | 'critical';
  readonly words?: boolean;
}) {
  const name = of === 'error' ? 'errors' : 'critical';
  const { now } = run;
  return (
    <>
      <SeverityCount of={of} count={run[name]} words={words} />
      {now === null || now[name] === run[name] ? null : <span className="soft small"> now {count(now[name])}</span>}
    </>
  );
}

/** The errors per page that a run found, and now if they differ. */
export function RunAverage({ run: { errors_per_page: found, now } }: { readonly run: Run }) {
  const words = found === null ? '' : average(found);
  const wordsNow = now?.errors_per_page == null ? '' : average(now.errors_per_page);
  return (
    <>
      {words}
      {wordsNow === '' || wordsNow === words ? null : <span className="soft small"> now {wordsNow}</span>}
    </>
  );
}

/** The pages that passed, and those that pass now if they differ. */
export function RunPassing({ run, isStopped = false }: { readonly run: Run; readonly isStopped?: boolean }) {
  const { passed, checked, now } = run;
  if (checked === 0 && now === null) return null;
  return (
    <>
      {count(passed)} of {count(checked)}{' '}
      <span className="soft">{isStopped ? 'checked' : `${percent(passed, checked)}%`}</span>
      {now === null || (now.passed === passed && now.checked === checked) ? null : (
        <span className="soft small">
          {' '}
          now {count(now.passed)} of {count(now.checked)}
        </span>
      )}
    </>
  );
}
