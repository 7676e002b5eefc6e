import { useEffect, useState } from 'react';
import type { Item } from '../../api/client.ts';
import { count, plural } from '../../lib/formats.ts';
import { errorsIn, KIND_NAMES } from '../../lib/kinds.ts';
import { useReport } from '../../report/report-context.tsx';
import { ChecksProgress } from '../../report/report-head.tsx';
import styles from './screen.module.css';

const STAGES = {
  pending: 'Waiting to start',
  crawling: 'Finding pages',
  checking: 'Checking pages',
} as const;

/** The progress of a running report: its stage, its speed, and the results so far. Events keep it up to date. */
export function Running() {
  const { report } = useReport();
  const done = checksDone(report);
  const pagesRate = useRate(report.num_pages);
  const checksRate = useRate(done);
  const { status } = report;
  if (status === 'finished' || status === 'failed') return null;
  return (
    <section className={styles.running} aria-labelledby="running">
      <h2 id="running">{STAGES[status]}</h2>
      {status === 'pending' ? <p>It starts when a worker is free.</p> : null}
      {/* While pages are being found, the number of checks is unknown. */}
      {status === 'checking' ? <ChecksProgress report={report} /> : null}
      <p>
        {plural(report.num_pages, 'page')} found
        {status === 'crawling' ? ` (maximum ${count(report.max_pages)})` : ''}
        {status === 'crawling' && pagesRate !== null ? `, ${rateWords(pagesRate)}` : ''} · {plural(done, 'check')} done
        {checksRate === null ? '' : `, ${rateWords(checksRate)}`} · {plural(errorsIn(report), 'error')} so far
      </p>
    </section>
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

function rateWords(rate: number): string {
  if (rate >= 1) return `${count(Math.round(rate))} per second`;
  return rate === 0 ? 'none in the last few seconds' : `${count(Math.max(1, Math.round(rate * 60)))} per minute`;
}
