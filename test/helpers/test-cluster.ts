import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';

/** Everything that tests leave on disk while they run. */
export const testDataDirectory = join(import.meta.dirname, '../../.test-data');

const clusterDirectory = join(testDataDirectory, 'postgres');
/** Where the test run's set-up tells test files about the cluster. */
const announcementFile = join(testDataDirectory, 'postgres.json');

/** Tests need no data after a power cut, so the server need not wait for the disk. */
const fastSettings = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: '200' };

/** Starts the PostgreSQL of all tests, or joins it when it runs. */
export function joinTestCluster(): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({
    directory: clusterDirectory,
    log: pino({ level: 'warn' }, pino.destination(2)),
    settings: fastSettings,
  });
}

/** What a test run has for its files. */
export interface AnnouncedCluster {
  readonly connectionString: string;
  /** The name of a database at the newest schema, to be copied; nobody is connected to it. */
  readonly template: string;
}

export function announceTestCluster(cluster: AnnouncedCluster): void {
  mkdirSync(dirname(announcementFile), { recursive: true });
  writeFileSync(`${announcementFile}.new`, JSON.stringify({ runner: process.pid, ...cluster }), { mode: 0o600 });
  renameSync(`${announcementFile}.new`, announcementFile);
}

export function withdrawTestCluster(): void {
  rmSync(announcementFile, { force: true });
}

/** What this run's set-up announced, or null when there was none or it was another run's. */
export function announcedTestCluster(): AnnouncedCluster | null {
  try {
    const { runner, ...cluster }: AnnouncedCluster & { runner: number } = JSON.parse(
      readFileSync(announcementFile, 'utf8'),
    );
    return runner === process.ppid ? cluster : null;
  } catch {
    return null;
  }
}
