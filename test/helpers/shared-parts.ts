import { join } from 'node:path';
import { pino } from 'pino';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';

/** Parts that the files of a test run share: the global set-up starts them, and passes them in the environment. */

/** The directory for everything that tests write to disk. */
export const testDataDirectory = join(import.meta.dirname, '../../.test-data');

/** Tests need no data after a power cut, so the server need not wait for the disk. */
const fastSettings = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_connections: '400',
  file_copy_method: 'clone',
};

/**
 * Starts the PostgreSQL of all tests, or joins it when it runs: of a run in memory (`scripts/test-memory.mjs`), else of this
 * directory.
 */
export function joinTestCluster(): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({
    directory: join(process.env['TEST_MEMORY'] ?? testDataDirectory, 'postgres'),
    log: pino({ level: 'warn' }, pino.destination(2)),
    settings: fastSettings,
  });
}

export interface SharedParts {
  /** Of the cluster. */
  readonly connectionString: string;
  /** The name of a template database at the current schema, without connections. */
  readonly template: string;
  /** Responds to GET with the URL of a warm HTML validator, which the first request starts. */
  readonly validatorDesk: string;
}

const VARIABLE = 'SITEWARDEN_TEST_PARTS';

export function announceSharedParts(parts: SharedParts): void {
  process.env[VARIABLE] = JSON.stringify(parts);
}

/** Null in files that run without the global set-up, with `node --test FILE`. */
export const sharedParts: SharedParts | null = JSON.parse(process.env[VARIABLE] ?? 'null');

/** `SITEWARDEN_VNU_URL` of the validator that all tests share. Without it, each service starts its own. */
export async function sharedValidator(): Promise<{ readonly SITEWARDEN_VNU_URL?: string }> {
  if (sharedParts === null) return {};
  const answer = await fetch(sharedParts.validatorDesk);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return { SITEWARDEN_VNU_URL: text };
}
