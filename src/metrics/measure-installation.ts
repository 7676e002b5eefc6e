import { Gauge, type Registry } from 'prom-client';
import { CHECK_KINDS } from '../checks/registry.ts';
import { inTimeOr } from '../platform/in-time.ts';
import { shareAnswer } from '../platform/share-answer.ts';
import type { Database } from '../store/database.ts';
import { type InstallationFigures, readInstallationFigures } from '../store/installation-figures.ts';
import { livingWorkers } from '../store/living-workers.ts';
import { REPORT_STATUSES } from '../store/schema.ts';

/** How long results are reused, because metrics can be requested at any frequency. */
const KEPT_MS = 5_000;
/** A database that takes longer must not hold up the metrics of this process: Prometheus waits 10 seconds. */
const TIMEOUT_MS = 3_000;

interface InstallationParts {
  readonly db: Database;
  /** Milliseconds after 00:00 UTC. */
  readonly scheduleTimeMs: number;
}

interface Figures extends InstallationFigures {
  readonly workers: number;
}

/**
 * Shows the state of the whole installation, which is the same in all processes that show it. Left out if the database is
 * unavailable.
 */
export function measureInstallation(registry: Registry, { db, scheduleTimeMs }: InstallationParts): void {
  const read = shareAnswer(async () => {
    const [figures, workers] = await Promise.all([readInstallationFigures(db, scheduleTimeMs), livingWorkers(db)]);
    return { ...figures, workers: workers.length };
  }, KEPT_MS);
  const gauge = (
    name: string,
    help: string,
    valuesOf: (figures: Figures) => readonly (readonly [labels: Record<string, string>, value: number])[],
    ...labelNames: string[]
  ): void => {
    new Gauge({
      name: `sitewarden_${name}`,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const figures = await inTimeOr(read(), TIMEOUT_MS, null);
        this.reset();
        if (labelNames.length === 0) this.remove();
        for (const [labels, value] of figures === null ? [] : valuesOf(figures)) this.set(labels, value);
      },
    });
  };
  gauge('paused', '1 while the installation is paused', ({ isPaused }) => [[{}, isPaused ? 1 : 0]]);
  gauge('workers', 'Processes that work on reports', ({ workers }) => [[{}, workers]]);
  const byState = 'Reports by state; deleted ones until their data is removed';
  gauge('reports', byState, reportsByState, 'state');
  const ofEngine =
    (figureOf: (checks: InstallationFigures['checks'][number]) => number) =>
    ({ checks }: Figures) =>
      CHECK_KINDS.map((engine) => {
        const figures = checks.find(({ kind }) => kind === engine);
        return [{ engine }, figures === undefined ? 0 : figureOf(figures)] as const;
      });
  gauge(
    'checks_waiting',
    'Checks waiting for a process',
    ofEngine(({ waiting }) => waiting),
    'engine',
  );
  gauge(
    'checks_running',
    'Checks that a process has claimed',
    ofEngine(({ running }) => running),
    'engine',
  );
  const age = 'Age of the oldest check that has not ended';
  gauge(
    'checks_oldest_seconds',
    age,
    ofEngine(({ oldestAgeS }) => oldestAgeS),
    'engine',
  );
  const waiting = 'Pending notifications, including notifications that will be retried';
  gauge('deliveries_waiting', waiting, ({ deliveries }) => [[{}, deliveries.waiting]]);
  const overdue = 'How long the oldest notification that is due has been waiting';
  gauge('deliveries_overdue_seconds', overdue, ({ deliveries }) => [[{}, deliveries.overdueS]]);
  const failing = 'Notification channels that have failed since their last delivery, including paused channels';
  gauge('channels_failing', failing, ({ failingChannels }) => [[{}, failingChannels]]);
  const late = 'How long the most overdue schedule has been due';
  gauge('schedules_overdue_seconds', late, ({ schedulesOverdueS }) => [[{}, schedulesOverdueS]]);
}

function reportsByState({ reports }: Figures) {
  return [...REPORT_STATUSES, 'deleted'].map((state) => {
    const count = reports.find((figures) => figures.state === state)?.count ?? 0;
    return [{ state }, count] as const;
  });
}
