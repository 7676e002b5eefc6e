/**
 * Measures many workers on one PostgreSQL: real workers whose HTML check waits instead of checking. Prints the checks saved per
 * second, the durations of claims of these workers and of a process that does nothing else, the processor time of PostgreSQL and
 * of the workers, their connections, and what the connections wait for.
 *
 *   npm run bench:workers -- [--workers N] [--processes N] [--accounts N] [--reports N] [--pages N] [--ms N] [--concurrency N]
 *     [--seconds N] [--rounds N] [--snapshot] [--statements]
 *
 * `--snapshot` opens a snapshot after the first round, and keeps it open as a long backup does. `--statements` prints the
 * statements that took the database the longest.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres.ts';
import { claimChecks } from '../src/queue/claims.ts';
import { openDatabase, withoutEffect } from '../src/store/database.ts';
import { migrate } from '../src/store/migrate.ts';
import { databaseCpuMilliseconds } from './cpu-time.ts';
import { seedQueue } from './queue-data.ts';
import type { FleetFigures, FleetParameters } from './worker-fleet.ts';

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '40' },
    processes: { type: 'string', default: '2' },
    accounts: { type: 'string', default: '10' },
    reports: { type: 'string', default: '200' },
    pages: { type: 'string', default: '500' },
    ms: { type: 'string', default: '50' },
    concurrency: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '2' },
    snapshot: { type: 'boolean', default: false },
    statements: { type: 'boolean', default: false },
  },
});
const [workers, processes, seconds] = [Number(values.workers), Number(values.processes), Number(values.seconds)];
const size = { accounts: Number(values.accounts), reports: Number(values.reports), pages: Number(values.pages) };
const SAMPLE_MS = 100;
/** Samples between two probes. */
const PROBE_EVERY = 2;
/** No worker has this id. */
const PROBE_WORKER = 2_000_000_000;
/** As many as a worker on two cores claims at a time. */
const CLAIMED = 10;
const WARM_UP_MS = 5_000;
/** More than the workers can use. */
const CONNECTIONS_MAX = '3000';

const dataDir = await mkdtemp(join(tmpdir(), 'sitewarden-workers-'));
// As root, the database runs as another user, who must be able to enter the folder.
await chmod(dataDir, 0o755);
const log = pino({ level: 'warn' }, pino.destination(2));
const postgres = await startEmbeddedPostgres({
  directory: join(dataDir, 'postgres'),
  log,
  settings: {
    max_connections: CONNECTIONS_MAX,
    ...(values.statements && { shared_preload_libraries: 'pg_stat_statements' }),
  },
});
const { db, close } = openDatabase(postgres.connectionString, () => undefined, {
  use: 'work',
  limits: { connectionsMax: 1 },
});
await migrate(db);
await seedQueue(db, size);
console.log(
  `${workers} workers in ${processes} processes, ${size.reports} reports of ${size.pages} pages, ` +
    `${values.concurrency} checks of ${values.ms} ms at a time`,
);

const fleets = await Promise.all(Array.from({ length: processes }, (_, index) => startFleet(index)));
const watcher = new pg.Client({ connectionString: postgres.connectionString, application_name: 'watcher' });
await watcher.connect();
await delay(WARM_UP_MS);
const snapshot = new pg.Client({ connectionString: postgres.connectionString, application_name: 'watcher' });
await snapshot.connect();
for (let round = 1; round <= Number(values.rounds); round += 1) {
  console.log(await measure());
  if (values.snapshot && round === 1) {
    await snapshot.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT count(*) FROM accounts');
    console.log('a snapshot is open from now on');
  }
}
await snapshot.end();
if (values.statements) await printStatements();
for (const fleet of fleets) fleet.send('stop');
await Promise.all(fleets.map((fleet) => once(fleet, 'exit')));
await watcher.end();
await close();
await postgres.stop();
await rm(dataDir, { recursive: true, force: true });

async function startFleet(index: number): Promise<ChildProcess> {
  const own = Math.floor((workers + index) / processes);
  const { connectionString } = postgres;
  const [concurrency, checkMs] = [Number(values.concurrency), Number(values.ms)];
  const parameters: FleetParameters = { connectionString, workers: own, concurrency, checkMs };
  const child = fork(join(import.meta.dirname, 'worker-fleet.ts'), [JSON.stringify(parameters)]);
  await once(child, 'message');
  return child;
}

async function figuresOf(fleet: ChildProcess): Promise<FleetFigures> {
  fleet.send('figures');
  const [figures] = await once(fleet, 'message');
  return figures as FleetFigures;
}

/** Claims checks as another process would, and takes that back. Returns how long the claim took, in milliseconds. */
async function probe(): Promise<number> {
  return withoutEffect(db, async (trx) => {
    const from = performance.now();
    await claimChecks(trx, 'html', PROBE_WORKER, CLAIMED);
    return performance.now() - from;
  });
}

async function savedChecks(): Promise<number> {
  const { rows } = await watcher.query('SELECT sum(checked + failed)::integer AS saved FROM report_checks');
  return rows[0].saved;
}

async function printStatements(): Promise<void> {
  await watcher.query('CREATE EXTENSION pg_stat_statements');
  const { rows } = await watcher.query<{ total: number; mean: number; calls: number; query: string }>(`
    SELECT total_exec_time + total_plan_time AS total, (total_exec_time + total_plan_time) / calls AS mean, calls::integer,
      left(regexp_replace(query, '\\s+', ' ', 'g'), 110) AS query
    FROM pg_stat_statements ORDER BY 1 DESC LIMIT 30`);
  for (const { total, mean, calls, query } of rows) {
    const columns = [total.toFixed(0).padStart(8), mean.toFixed(2).padStart(8), String(calls).padStart(7)];
    console.log(`${columns.join(' ')}  ${query}`);
  }
}

async function measure(): Promise<string> {
  await Promise.all(fleets.map(figuresOf));
  const [savedBefore, cpuBefore, from] = [await savedChecks(), databaseCpuMilliseconds(dataDir), performance.now()];
  const waits = new Map<string, number>();
  const probesMs: number[] = [];
  let connectionsMax = 0;
  let samples = 0;
  for (; performance.now() - from < seconds * 1_000; samples += 1) {
    await delay(SAMPLE_MS);
    if (samples % PROBE_EVERY === 0) probesMs.push(await probe());
    const { rows } = await watcher.query<{ what: string; count: number }>(`
      SELECT CASE WHEN state = 'active' THEN coalesce(wait_event_type || ' ' || wait_event, 'running') ELSE state END AS what,
        count(*)::integer AS count
      FROM pg_stat_activity WHERE application_name LIKE 'sitewarden%' GROUP BY 1`);
    connectionsMax = Math.max(
      connectionsMax,
      rows.reduce((sum, { count }) => sum + count, 0),
    );
    for (const { what, count } of rows) waits.set(what, (waits.get(what) ?? 0) + count);
  }
  const took = (performance.now() - from) / 1_000;
  const saved = (await savedChecks()) - savedBefore;
  const databaseMs = databaseCpuMilliseconds(dataDir) - cpuBefore;
  const figures = await Promise.all(fleets.map(figuresOf));
  const claims = figures.flatMap(({ claimsMs }) => claimsMs).toSorted((one, other) => one - other);
  probesMs.sort((one, other) => one - other);
  const at = (share: number, times: readonly number[]): string =>
    `${(times[Math.floor(times.length * share)] ?? Number.NaN).toFixed(1)} ms`;
  const sum = (name: 'cpuMs' | 'statements' | 'warnings'): number =>
    figures.reduce((total, each) => total + each[name], 0);
  const states = [...waits].toSorted(([, one], [, other]) => other - one).slice(0, 7);
  return [
    `  ${(saved / took).toFixed(0)} checks/s saved`,
    `${claims.length} claims: median ${at(0.5, claims)}, p95 ${at(0.95, claims)}; ` +
      `of a process without other work: median ${at(0.5, probesMs)}, p95 ${at(0.95, probesMs)}`,
    `per check: PostgreSQL ${(databaseMs / saved).toFixed(2)} ms, workers ${(sum('cpuMs') / saved).toFixed(2)} ms, ` +
      `${(sum('statements') / saved).toFixed(2)} statements`,
    `${sum('warnings')} warnings, at most ${connectionsMax} connections; on average ${states
      .map(([what, count]) => `${(count / samples).toFixed(1)} ${what}`)
      .join(', ')}`,
  ].join('\n    ');
}
