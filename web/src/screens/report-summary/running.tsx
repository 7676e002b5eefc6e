import { useEffect, useState } from 'react';
import type { Item } from '../../api/client.ts';
import { count, plural } from '../../lib/formats.ts';
import { errorsIn, KIND_NAMES } from '../../lib/kinds.ts';
import { useReport } from '../../report/report-context.tsx';
import styles from './screen.module.css';

const STAGES = {
  pending: 'Waiting to start',
  crawling: 'Finding pages',
  checking: 'Checking pages',
  finished: 'Finished',
} as const;

/**
 * The progress of a running report. It has the same height in all stages and stays at the end, so that the results below do not
 * move.
 */
export function Running() {
  const { report } = useReport();
  const { status } = report;
  const isRunning = status !== 'finished' && status !== 'failed';
  // After a re-check, this shows nothing, as it did before.
  const [isFirstRun] = useState(report.finished_at === null);
  if (status === 'failed' || !(isRunning || isFirstRun)) return null;
  return (
    <section className={styles.running} aria-labelledby="running">
      <h2 id="running">{STAGES[status]}</h2>
      {status === 'pending' ? <p>It starts when a worker is free.</p> : null}
      {status === 'crawling' || status === 'checking' ? <SoFar /> : null}
      {status === 'finished' ? (
        <p>
          {plural(report.num_pages, 'page')} found · {plural(checksDone(report), 'check')} done ·{' '}
          {plural(errorsIn(report), 'error')}
        </p>
      ) : null}
    </section>
  );
}

/** The speed of a running report, and the results so far. Events keep it up to date. */
function SoFar() {
  const { report } = useReport();
  const done = checksDone(report);
  const pagesRate = useRate(report.num_pages);
  const checksRate = useRate(done);
  return (
    <p>
      {plural(report.num_pages, 'page')} found
      {report.status === 'crawling' ? ` (maximum ${count(report.max_pages)})${rateWords(pagesRate)}` : ''} ·{' '}
      {plural(done, 'check')} done{rateWords(checksRate)} · {plural(errorsIn(report), 'error')} so far
    </p>
  );
}

function checksDone({ checks }: Item<'report'>): number {
  return KIND_NAMES.map((kind) => checks[kind]?.status).reduce(
    (sum, status) => sum + (status?.checked ?? 0) + (status?.failed ?? 0),
    0,
  );
}

/** The time over which a rate is measured. */
const windowMs = 10_000;
const sampleMs = 1_000;

/** Returns how much a number grows per second, over the last ten seconds; null until there are two samples. */
function useRate(value: number): number | null {
  const [samples, setSamples] = useState<readonly { readonly at: number; readonly value: number }[]>([]);
  useEffect(() => {
    const take = (): void => {
      const at = Date.now();
      setSamples((before) => [...before.filter((sample) => at - sample.at < windowMs), { at, value }]);
    };
    take();
    const timer = setInterval(take, sampleMs);
    return () => clearInterval(timer);
  }, [value]);
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.at - first.at < sampleMs) return null;
  return ((last.value - first.value) / (last.at - first.at)) * 1_000;
}

function rateWords(rate: number | null): string {
  if (rate === null) return '';
  if (rate >= 1) return `, ${count(Math.round(rate))} per second`;
  return rate === 0 ? ', none in the last few seconds' : `, ${count(Math.max(1, Math.round(rate * 60)))} per minute`;
}
