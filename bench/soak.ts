/**
 * Simulated life, compressed: users, dashboards and schedules of small sites, while processes are killed, and the database is
 * stopped, read-only, or out of connections or disk space. At the end, every report must have ended with a result of each
 * check, and `doctor --deep` must find nothing. Prints what happened, and the memory of the processes; exits with 1 if anything
 * is wrong.
 *
 *   npm run bench:soak -- [--minutes N] [--sites N] [--pages N] [--seed N] [--outage SECONDS] [--serve N] [--disk MB]
 *
 * `--serve` sets the number of `serve` processes, of which each request chooses one. `--disk` puts the database on a disk of this
 * size in memory, which is then full at times; requires root on Linux.
 */
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import pg from 'pg';
import { newSecretKey } from '../src/platform/secret-box.ts';
import { createInstallation, groupOf, isJava, isZygote, kill } from '../test/helpers/command-line.ts';
import { type Kept, keepRunning } from '../test/helpers/fleet.ts';
import { freePort } from '../test/helpers/free-port.ts';
import { startOwnPostgres } from '../test/helpers/own-postgres.ts';
import { randomFrom } from '../test/helpers/random.ts';
import { until } from '../test/helpers/until.ts';
import { mountDisk, type SoakDisk } from './soak-disk.ts';
import { createAsk, followEvents, liveOnce, startSites } from './soak-life.ts';
import { memoryOf, printLog } from './soak-watch.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    sites: { type: 'string', default: '60' },
    pages: { type: 'string', default: '6' },
    seed: { type: 'string', default: '1' },
    outage: { type: 'string', default: '30' },
    serve: { type: 'string', default: '1' },
    disk: { type: 'string' },
  },
});
const [minutes, siteCount, pages, seed, outageS] = [
  values.minutes,
  values.sites,
  values.pages,
  values.seed,
  values.outage,
].map(Number) as [number, number, number, number, number];
const USERS = 3;
const DASHBOARDS = 4;
/** Between two disturbances, so that there is time to see that everything works again. */
const PAUSE_MS = { min: 15_000, max: 40_000 } as const;
const SCHEDULE_EVERY_MS = 20_000;
const SAMPLE_EVERY_MS = 5_000;
/** For all reports to end after the last disturbance. */
const END_TIMEOUT_MS = 600_000;
const ERROR_LEVEL = 50;

console.log(`${minutes} minutes, ${siteCount} sites of ${pages} pages, seed ${seed}, outages of ${outageS} s\n`);
const random = randomFrom(seed);
const disk = values.disk === undefined ? null : mountDisk(Number(values.disk));
const postgres = await startOwnPostgres({ max_connections: '60' }, disk?.directory);
const sites = await startSites(pages, random);
const served = Array.from({ length: Number(values.serve) }, () => createInstallation());
const working = createInstallation();
const installations = [...served, working];
const { adminToken } = working;
const common = {
  DATABASE_URL: postgres.connectionString,
  SITEWARDEN_SECRET_KEY: newSecretKey().toString('base64'),
  SITEWARDEN_ALLOW_PRIVATE_NETWORKS: 'true',
  SITEWARDEN_HOST_RATE_LIMIT: '100',
  SITEWARDEN_API_RATE_LIMIT: '100000',
  SITEWARDEN_LOG_FORMAT: 'json',
};
const log: string[] = [];
const servers = await Promise.all(
  served.map(async (installation) => {
    const port = String(await freePort());
    const kept = keepRunning(
      () => installation.start(['serve'], { nodeArgs: [], env: { ...common, PORT: port } }),
      log,
    );
    return { kept, origin: `http://127.0.0.1:${port}` };
  }),
);
/** The address and the process of one of them. */
const anyServer = () => servers[Math.floor(random() * servers.length)] ?? notStarted();
const anyApi = (): string => `${anyServer().origin}/api/v1`;
const work = keepRunning(() => working.start(['work'], { nodeArgs: [], env: common }), log);

/** Requests may fail until the service responds again after a disturbance. */
let isDisturbed = true;
const responses = new Map<string, number>();
const faults = new Map<string, number>();
let requests = 0;
const ask = createAsk(anyApi, adminToken, (method, path, status) => {
  requests += 1;
  const outcome = `${status === 0 ? 'none' : status}${isDisturbed ? ' during disturbances' : ''}`;
  responses.set(outcome, (responses.get(outcome) ?? 0) + 1);
  // A refused request is a mistake of this benchmark.
  const isFault = status === 422 || (!isDisturbed && (status === 0 || status >= 500));
  if (isFault) faults.set(`${status} ${method} ${path}`, (faults.get(`${status} ${method} ${path}`) ?? 0) + 1);
});
await untilServing();

const endsAt = Date.now() + minutes * 60_000;
const isOver = (): boolean => Date.now() >= endsAt;
for (let site = 0; site < siteCount; site += 3) {
  const schedule = { starting_url: sites.urlOf(site), max_pages: pages, rate_limit: 50, perform_html_checks: true };
  await ask('POST', '/schedules', { ...schedule, perform_a11y_checks: false, periodicity: { every: 'day' } });
}
const dashboards = Array.from({ length: DASHBOARDS }, () => followEvents(anyApi, adminToken));
const memory = memoryOf(
  {
    ...Object.fromEntries(servers.map(({ kept }, index) => [`serve ${index + 1}`, () => kept.pid()])),
    work: () => work.pid(),
  },
  { validator: () => children(isJava), browser: () => children((pid) => !isJava(pid)) },
  SAMPLE_EVERY_MS,
);
const disturbances: string[] = [];
let problems: readonly string[] = [];
try {
  await Promise.all([...Array.from({ length: USERS }, () => live()), runSchedules(), disturb()]);
  problems = await problemsAtEnd();
  await patiently(printAll);
} finally {
  await Promise.all(dashboards.map((dashboard) => dashboard.stop()));
  await stopAll();
}
if (problems.length > 0 || faults.size > 0) process.exitCode = 1;

async function live(): Promise<void> {
  while (!isOver()) {
    await liveOnce({ ask, sites, siteCount, pages, random });
    await delay(random() * (isDisturbed ? 3_000 : 300));
  }
}

/** Days go by: some schedules are due at once. */
async function runSchedules(): Promise<void> {
  while (!isOver()) {
    await delay(SCHEDULE_EVERY_MS);
    const due = sql`UPDATE schedules SET next_run_at = now() - interval '1 second' WHERE next_run_at IS NOT NULL AND random() < 0.2`;
    await due.execute(postgres.db).catch(() => undefined);
  }
}

async function disturb(): Promise<void> {
  const all: readonly (readonly [name: string, disturb: () => Promise<void>])[] = [
    ['work killed', () => killed(work)],
    ['serve killed', () => killed(anyServer().kept)],
    ['serve restarted', async () => void process.kill(anyServer().kept.pid() ?? 0, 'SIGTERM')],
    ['work restarted', async () => void process.kill(work.pid() ?? 0, 'SIGTERM')],
    ['validator killed', killChild(isJava)],
    ['browser killed', killChild((pid) => !isJava(pid) && !isZygote(pid))],
    ['database stopped', stoppedDatabase],
    ['database read-only', readOnlyDatabase],
    ['no connections', noConnections],
    ...(disk === null ? [] : ([['disk full', () => fullDisk(disk)]] as const)),
  ];
  for (let round = 0; !isOver(); round += 1) {
    await delay(PAUSE_MS.min + random() * (PAUSE_MS.max - PAUSE_MS.min));
    if (isOver()) return;
    // Each once, then at random.
    const [name, run] =
      all[round < all.length ? (round * 7 + seed) % all.length : Math.floor(random() * all.length)] ?? [];
    if (name === undefined || run === undefined) return;
    disturbances.push(name);
    isDisturbed = true;
    await run();
    await untilServing();
  }
}

async function killed(kept: Kept): Promise<void> {
  kill(kept.pid() ?? 0);
}

function killChild(isWanted: (pid: number) => boolean): () => Promise<void> {
  return async () => {
    const pids = children(isWanted);
    const pid = pids[Math.floor(random() * pids.length)];
    if (pid !== undefined) kill(pid);
  };
}

function children(isWanted: (pid: number) => boolean): number[] {
  return installations.flatMap((each) => each.recordedChildren().flatMap((leader) => groupOf(leader).filter(isWanted)));
}

async function stoppedDatabase(): Promise<void> {
  await postgres.stop();
  await delay(outageS * 1_000);
  await postgres.start();
}

async function readOnlyDatabase(): Promise<void> {
  await postgres.setReadOnly(true);
  await delay(outageS * 1_000);
  await postgres.setReadOnly(false);
}

/** Another program takes every connection that is free, and those that become free. */
async function noConnections(): Promise<void> {
  const taken: pg.Client[] = [];
  const until = Date.now() + outageS * 1_000;
  while (Date.now() < until) {
    const client = new pg.Client({ connectionString: postgres.connectionString });
    client.on('error', () => undefined);
    await client.connect().then(
      () => taken.push(client),
      () => delay(250),
    );
  }
  await Promise.all(taken.map((client) => client.end().catch(() => undefined)));
}

/** Another program fills the disk. The database server may stop, and is then started by the operator. */
async function fullDisk({ fill, empty }: SoakDisk): Promise<void> {
  const until = Date.now() + outageS * 1_000;
  while (Date.now() < until) {
    fill();
    await delay(100);
  }
  empty();
  await patiently(async () => {
    const isRunning = await sql`SELECT`.execute(postgres.db).then(
      () => true,
      () => false,
    );
    if (!isRunning) await postgres.start();
  });
}

/** Waits until each `serve` is ready, twice: a process that was killed may respond once more. */
async function untilServing(): Promise<void> {
  const isServing = async ({ origin }: { readonly origin: string }): Promise<boolean> => {
    const response = await fetch(`${origin}/health/ready`).catch(() => null);
    const { parts } = Object(await response?.json().catch(() => null));
    return parts?.database === true && parts.writable === true && parts.queue === true;
  };
  const areServing = async (): Promise<boolean> => (await Promise.all(servers.map(isServing))).every(Boolean);
  await until(areServing, { pollMs: 200 });
  await delay(3_000);
  await until(areServing, { pollMs: 200 });
  isDisturbed = false;
}

async function problemsAtEnd(): Promise<readonly string[]> {
  isDisturbed = true;
  await untilServing();
  const found: string[] = [];
  const unfinished = async (): Promise<number> => {
    const { rows } = await sql<{ count: number }>`SELECT count(*) FROM reports WHERE deleted_at IS NULL
      AND (status NOT IN ('finished', 'failed') OR insights_pending)`.execute(postgres.db);
    return rows[0]?.count ?? 0;
  };
  await until(async () => (await unfinished().catch(() => 1)) === 0, {
    timeoutMs: END_TIMEOUT_MS,
    pollMs: 1_000,
  }).catch(() => undefined);
  const left = await patiently(unfinished);
  if (left > 0) found.push(`${left} reports have not ended`);
  const doctor = await working.run(['doctor', '--deep', '--format', 'json'], { nodeArgs: [], env: common });
  const { findings = null, recounted, parts } = JSON.parse(doctor.stdout || '{}');
  console.log(`doctor --deep: ${JSON.stringify(recounted)}`);
  if (findings === null) found.push(`doctor failed: ${JSON.stringify(parts)} ${doctor.stderr}`);
  for (const finding of findings ?? []) found.push(JSON.stringify(finding));
  return found;
}

/** Repeats a question: on a busy machine, connecting may take longer than a pool waits. */
async function patiently<Result>(ask: () => Promise<Result>): Promise<Result> {
  for (let left = 10; ; left -= 1) {
    try {
      return await ask();
    } catch (error) {
      if (left === 0) throw error;
      await delay(2_000);
    }
  }
}

async function printAll(): Promise<void> {
  const count = async (table: string): Promise<number> =>
    (await sql<{ count: number }>`SELECT count(*) FROM ${sql.table(table)}`.execute(postgres.db)).rows[0]?.count ?? 0;
  const { rows: states } = await sql<{ status: string; count: number; checks: number }>`
    SELECT c.status || coalesce(' ' || (c.error->>'code'), '') AS status, count(*) FROM checks c GROUP BY 1 ORDER BY 2 DESC`.execute(
    postgres.db,
  );
  const { rows: reports } = await sql`SELECT status, count(*) FROM reports GROUP BY 1`.execute(postgres.db);
  console.log(`disturbances: ${disturbances.length}: ${disturbances.join(', ')}`);
  console.log(`requests: ${requests}: ${[...responses].map(([status, of]) => `${of} × ${status}`).join(', ')}`);
  console.log(`events received: ${dashboards.map((dashboard) => dashboard.events()).join(', ')}`);
  console.log(
    `reports: ${JSON.stringify(reports)}, pages ${await count('web_pages')}, issues ${await count('issues')}`,
  );
  console.log(`checks: ${states.map((row) => `${row.count} ${row.status}`).join(', ')}`);
  memory.print();
  for (const [fault, of] of faults) console.log(`FAULT: ${of} × ${fault}`);
  for (const problem of problems) console.log(`PROBLEM: ${problem}`);
}

async function stopAll(): Promise<void> {
  memory.stop();
  await work.stop();
  await Promise.all(servers.map(({ kept }) => kept.stop()));
  const file = join(tmpdir(), `sitewarden-soak-${seed}.log`);
  await writeFile(file, log.join(''));
  printLog(log.join(''), ERROR_LEVEL);
  console.log(`The log is in ${file}`);
  await sites.stop();
  for (const installation of installations) installation.remove();
  await postgres.close();
  disk?.unmount();
}

function notStarted(): never {
  throw new Error('--serve must be at least 1.');
}
