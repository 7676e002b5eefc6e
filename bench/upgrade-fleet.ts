import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres.ts';
import { openDatabase } from '../src/store/database.ts';
import { createInstallation, type Running } from '../test/helpers/command-line.ts';
import { freePort } from '../test/helpers/free-port.ts';
import { installPackage } from '../test/helpers/installed-package.ts';
import { linkedPage, pageNumber } from '../test/helpers/linked-pages.ts';
import { type ProxyName, type RunningProxy, startProxy } from '../test/helpers/proxies.ts';
import { type ReportResult, resultOf } from '../test/helpers/report-result.ts';
import { startTestSite } from '../test/helpers/test-site.ts';
import { until } from '../test/helpers/until.ts';

const projectDirectory = join(import.meta.dirname, '..');
const DRAIN_SECONDS = '2';
/** Caddy asks every second whether a process is ready. */
const NOTICE_MS = 2_000;
const REPORT_MS = 600_000;
const LOOK_MS = 500;
const LOG_CHARACTERS = 3_000;
/** Requests per second to the site: reports must not end before the restarts do. */
const RATE_LIMIT = 10;

/** What a further release might do: columns of the largest tables, and an index. */
const FURTHER_MIGRATIONS = {
  '9000_of_next_release.sql': `ALTER TABLE reports ADD COLUMN of_next_release text;
ALTER TABLE web_pages ADD COLUMN of_next_release integer NOT NULL DEFAULT 0;
ALTER TABLE checks ADD COLUMN of_next_release text;
CREATE TABLE of_next_release (id bigint PRIMARY KEY, report_id uuid REFERENCES reports (id) ON DELETE CASCADE);
`,
  '9001_index_of_next_release.sql': `DROP INDEX CONCURRENTLY IF EXISTS of_next_release_key;
CREATE INDEX CONCURRENTLY of_next_release_key ON web_pages (of_next_release);
`,
} as const;

export interface UpgradeFleet {
  readonly proxy: RunningProxy;
  readonly token: string;
  /** Creates a report, and returns its result when it has ended. */
  runReport(): Promise<ReportResult>;
  /** @param index of two */
  restartServe(index: number): Promise<void>;
  /** Runs the command of the new version, and returns its output. */
  migrate(): Promise<string>;
  upgrade(): Promise<void>;
  /** Replaces a `serve` by one of the old version, as after a crash, and back. */
  restartOld(): Promise<void>;
  /** The end of the output of all processes. */
  log(): string;
  stop(): Promise<void>;
}

interface FleetOptions {
  readonly pages: number;
  readonly proxyName: ProxyName;
  /** The folder of an installed package; undefined: this version. */
  readonly old: string | undefined;
}

/** What to undo at the end, the last first. */
type Undo = (() => unknown)[];

export async function createUpgradeFleet(options: FleetOptions): Promise<UpgradeFleet> {
  const undo: Undo = [];
  try {
    return await create(options, undo);
  } catch (error) {
    await undoAll(undo);
    throw error;
  }
}

async function undoAll(undo: Undo): Promise<void> {
  for (const step of undo.splice(0).reverse()) await step();
}

async function create({ pages, proxyName, old }: FleetOptions, undo: Undo): Promise<UpgradeFleet> {
  const folder = mkdtempSync(join(tmpdir(), 'sitewarden-upgrade-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  // As root, the database runs as another user, who must be able to enter the folder.
  chmodSync(folder, 0o755);
  const log = pino({ level: 'warn' }, pino.destination(2));
  const postgres = await startEmbeddedPostgres({ directory: join(folder, 'postgres'), log });
  undo.push(() => postgres.stop());
  const processes = createProcesses(packVersions(folder, old), postgres.connectionString, folder, undo);
  const ports = [await freePort(), await freePort()];
  const serving: Running[] = [];
  const replaceServe = async (index: number, version: Version): Promise<void> => {
    const running = serving[index];
    if (running !== undefined) await stopped(running);
    serving[index] = await processes.startServe(version, ports[index] ?? 0);
  };
  for (const index of ports.keys()) await replaceServe(index, 'old');
  const working = [processes.startWork('old'), processes.startWork('old')];
  const proxy = await startProxy(
    proxyName,
    ports.map((port) => `127.0.0.1:${port}`),
  );
  undo.push(() => proxy.stop());
  return {
    proxy,
    token: processes.token,
    runReport: await createReports(
      proxy,
      processes.token,
      { pages, connectionString: postgres.connectionString },
      undo,
    ),
    restartServe: (index) => replaceServe(index, 'old'),
    migrate: processes.migrate,
    async upgrade() {
      for (const index of ports.keys()) await replaceServe(index, 'new');
      for (const [index, running] of working.entries()) {
        await stopped(running);
        working[index] = processes.startWork('new');
      }
    },
    async restartOld() {
      await replaceServe(0, 'old');
      await replaceServe(0, 'new');
    },
    log: processes.log,
    stop: () => undoAll(undo),
  };
}

type Version = 'old' | 'new';

/** Starts processes of both versions. `undo` stops those that still run. */
function createProcesses(
  versions: Readonly<Record<Version, string>>,
  connectionString: string,
  folder: string,
  undo: Undo,
) {
  const environment = {
    DATABASE_URL: connectionString,
    SITEWARDEN_SECRET_KEY: randomBytes(32).toString('hex'),
    SITEWARDEN_DRAIN_SECONDS: DRAIN_SECONDS,
    SITEWARDEN_ALLOW_PRIVATE_NETWORKS: 'true',
    SITEWARDEN_TRUSTED_PROXIES: '127.0.0.1',
    SITEWARDEN_LOG_LEVEL: 'warn',
  };
  const installations = {
    old: createInstallation(environment, versions.old),
    new: createInstallation(environment, versions.new),
  };
  const started: Running[] = [];
  undo.push(async () => {
    await Promise.all(started.map(stopped));
    for (const installation of Object.values(installations)) installation.remove();
  });
  const start = (version: Version, command: string, env: Readonly<Record<string, string>>): Running => {
    const running = installations[version].start([command], { env });
    started.push(running);
    return running;
  };
  return {
    token: installations.old.adminToken,
    async startServe(version: Version, port: number): Promise<Running> {
      const running = start(version, 'serve', { PORT: String(port) });
      await until(async () => running.child.exitCode !== null || (await accepts(port)));
      if (running.child.exitCode !== null) throw new Error(`serve ended: ${running.stderr()}`);
      await delay(NOTICE_MS);
      return running;
    },
    startWork: (version: Version): Running =>
      start(version, 'work', { SITEWARDEN_DATA_DIR: mkdtempSync(join(folder, 'work-')) }),
    async migrate(): Promise<string> {
      const { status, stdout, stderr } = await installations.new.run(['migrate']);
      if (status !== 0) throw new Error(stderr);
      return stdout;
    },
    log: () => started.map((running) => running.stderr().slice(-LOG_CHARACTERS)).join('\n'),
  };
}

/** Whether a load balancer would send requests. */
async function accepts(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null);
  return response?.status === 200;
}

async function stopped({ child, ended }: Running): Promise<void> {
  child.kill('SIGTERM');
  await ended;
}

async function createReports(
  proxy: RunningProxy,
  token: string,
  { pages, connectionString }: { readonly pages: number; readonly connectionString: string },
  undo: Undo,
): Promise<UpgradeFleet['runReport']> {
  const site = await startTestSite({
    '*': (request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(linkedPage(pageNumber(request.url ?? '/'), pages));
    },
  });
  const { db, close } = openDatabase(connectionString, () => undefined, { limits: { connectionsMax: 2 } });
  undo.push(site.stop, close);
  return async () => {
    const attributes = { starting_url: `${site.origin}/`, max_pages: pages, rate_limit: RATE_LIMIT, reuse: false };
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const created = await proxy.send('POST', '/api/v1/reports', headers, JSON.stringify({ data: { attributes } }));
    if (created.status !== 201) throw new Error(`${created.status} ${created.text}`);
    const { id } = JSON.parse(created.text).data;
    const read = () => db.selectFrom('reports').select('status').where('id', '=', id).executeTakeFirstOrThrow();
    await until(async () => ['finished', 'failed'].includes((await read()).status), {
      timeoutMs: REPORT_MS,
      pollMs: LOOK_MS,
    });
    return resultOf(db, id);
  };
}

/** Installs this version twice, the second with further migrations, unless the old version is given. */
function packVersions(folder: string, old: string | undefined): { readonly old: string; readonly new: string } {
  const packed = join(folder, 'package');
  for (const [file, ...args] of [
    ['node', '--disable-warning=ExperimentalWarning', join(projectDirectory, 'scripts/package.mjs'), packed],
    ['npm', 'pack', packed, '--pack-destination', folder, '--loglevel=error'],
  ] as const) {
    const { status, stderr } = spawnSync(file === 'node' ? process.execPath : file, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  }
  const file = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  const install = (name: string): string => installPackage(join(folder, file), join(folder, name));
  const next = install('new');
  if (old !== undefined) return { old, new: next };
  const migrations = join(next, 'migrations');
  const last = readdirSync(migrations)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .at(-1);
  const { version } = JSON.parse(readFileSync(join(next, 'package.json'), 'utf8'));
  writeFileSync(join(migrations, 'releases.json'), JSON.stringify({ [version]: last }));
  for (const [name, text] of Object.entries(FURTHER_MIGRATIONS)) writeFileSync(join(migrations, name), text);
  return { old: install('old'), new: next };
}
