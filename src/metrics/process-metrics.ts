import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { VERSION } from '../platform/version.ts';

/** Checks of a page take from milliseconds to minutes. */
const CHECK_BUCKETS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Counts what this process does. */
export interface Meters {
  /** A check has ended. The duration includes repetitions, but not the wait for its turn. */
  onCheck(kind: string, outcome: 'checked' | 'failed' | 'reused', ms: number): void;
  /** A request of the spider got a response, or failed. */
  onFetch(outcome: string): void;
  /** An attempt to deliver a notification has ended. */
  onDelivery(kind: string, outcome: 'delivered' | 'retried' | 'failed'): void;
  /** Old data was deleted. */
  onRetention(reports: number): void;
}

/** Creates the metrics of this process that belong to no other part. */
export function createProcessMetrics({
  command,
  isLongLived,
}: {
  readonly command: 'serve' | 'work';
  readonly isLongLived: boolean;
}): {
  readonly registry: Registry;
  readonly meters: Meters;
} {
  const registry = new Registry();
  const registers = [registry];
  // Default metrics start timers, which commands do not need.
  if (isLongLived) collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'sitewarden_build_info',
    help: '1, with the versions of sitewarden and Node.js, and the command of the process',
    labelNames: ['version', 'node', 'command'],
    registers,
  }).set({ version: VERSION, node: process.versions.node, command }, 1);
  return { registry, meters: createMeters(registers) };
}

function createMeters(registers: Registry[]): Meters {
  const checks = new Histogram({
    name: 'sitewarden_check_duration_seconds',
    help: 'Duration of checks that have ended, by engine and outcome',
    labelNames: ['engine', 'outcome'],
    buckets: CHECK_BUCKETS_SECONDS,
    registers,
  });
  const fetches = new Counter({
    name: 'sitewarden_crawl_requests_total',
    help: 'Requests by the spider, by outcome',
    labelNames: ['outcome'],
    registers,
  });
  const deliveries = new Counter({
    name: 'sitewarden_delivery_attempts_total',
    help: 'Attempts to deliver a notification, by kind of channel and outcome',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const deleted = new Counter({
    name: 'sitewarden_retention_deleted_reports_total',
    help: 'Reports that were deleted because of their age',
    registers,
  });
  const deletedAt = new Gauge({
    name: 'sitewarden_retention_last_timestamp_seconds',
    help: 'When old data was last deleted',
    registers,
  });
  deletedAt.remove();
  return {
    onCheck: (engine, outcome, ms) => checks.observe({ engine, outcome }, ms / 1_000),
    onFetch: (outcome) => fetches.inc({ outcome }),
    onDelivery: (kind, outcome) => deliveries.inc({ kind, outcome }),
    onRetention(reports) {
      deleted.inc(reports);
      deletedAt.setToCurrentTime();
    },
  };
}
