import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { groupMembers } from '../browser/chromium-process.ts';
import type { CheckEngine } from '../checks/check-engine.ts';
import { measureResting } from '../checks/measure-resting.ts';
import type { StartedChildren } from '../platform/child-registry.ts';
import type { Database, PoolUse } from '../store/database.ts';
import { measureBackups } from './measure-backups.ts';
import { measureInstallation } from './measure-installation.ts';

/** Usually a connection is free at once. */
const WAIT_BUCKETS_SECONDS = [0.001, 0.01, 0.1, 1, 5, 10];

interface MeasuredParts {
  readonly workDb: Database;
  readonly children: StartedChildren;
  readonly pools: Readonly<Record<string, PoolUse>>;
  readonly engines: readonly CheckEngine[];
  /** Returns whether each part works. */
  ready(): Promise<Readonly<Record<string, boolean>>>;
  readonly isWorker: boolean;
  /** Milliseconds after 00:00 UTC. */
  readonly scheduleTimeMs: number;
  readonly backupDir: string | null;
}

/** Adds the metrics of all parts. The metrics of the installation are the same in all processes, so workers leave them out. */
export function measureParts(registry: Registry, { workDb: db, isWorker, ...parts }: MeasuredParts): void {
  measureReadiness(registry, parts.ready);
  measureResting(registry, parts.engines);
  measureChildren(registry, parts.children);
  measurePools(registry, parts.pools);
  if (isWorker) return;
  measureInstallation(registry, { ...parts, db });
  measureBackups(registry, db, parts);
}

/** Shows which parts work, as `/health/ready` does. */
function measureReadiness(registry: Registry, ready: MeasuredParts['ready']): void {
  new Gauge({
    name: 'sitewarden_part_ready',
    help: '1 while the part is working or idle, as in /health/ready',
    labelNames: ['part'],
    registers: [registry],
    async collect() {
      for (const [part, isReady] of Object.entries(await ready())) this.set({ part }, isReady ? 1 : 0);
    },
  });
}

/** Shows the processes that this one has started: the browser and the validator. */
function measureChildren(registry: Registry, children: StartedChildren): void {
  const registers = [registry];
  new Counter({
    name: 'sitewarden_child_starts_total',
    help: 'Starts of the browser and the validator of this process',
    labelNames: ['part'],
    registers,
    collect() {
      this.reset();
      for (const [part, starts] of children.starts()) this.inc({ part }, starts);
    },
  });
  new Gauge({
    name: 'sitewarden_child_memory_bytes',
    help: 'Memory of the browser and the validator of this process',
    labelNames: ['part'],
    registers,
    collect() {
      this.reset();
      for (const { part, pid } of children.present()) {
        this.inc(
          { part },
          groupMembers(pid).reduce((sum, { bytes }) => sum + bytes, 0),
        );
      }
    },
  });
}

/** Shows the use of the connections to the database. */
function measurePools(registry: Registry, pools: Readonly<Record<string, PoolUse>>): void {
  const registers = [registry];
  new Gauge({
    name: 'sitewarden_database_connections',
    help: 'Connections to the database, by pool and state',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, { connections }] of Object.entries(pools)) {
        const { total, idle } = connections();
        this.set({ pool, state: 'idle' }, idle);
        this.set({ pool, state: 'used' }, total - idle);
      }
    },
  });
  new Gauge({
    name: 'sitewarden_database_connections_max',
    help: 'Maximum number of connections to the database, by pool',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, { connectionsMax }] of Object.entries(pools)) this.set({ pool }, connectionsMax);
    },
  });
  new Gauge({
    name: 'sitewarden_database_waiting',
    help: 'Queries waiting for a connection to the database, by pool',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, { connections }] of Object.entries(pools)) this.set({ pool }, connections().waiting);
    },
  });
  const waits = new Histogram({
    name: 'sitewarden_database_wait_seconds',
    help: 'How long queries have waited for a connection to the database, by pool',
    labelNames: ['pool'],
    buckets: WAIT_BUCKETS_SECONDS,
    registers,
  });
  for (const [pool, use] of Object.entries(pools)) use.onWait((ms) => waits.observe({ pool }, ms / 1_000));
}
