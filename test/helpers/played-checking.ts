import type { TestContext } from 'node:test';
import { pino } from 'pino';
import { type CheckingParts, startChecking } from '../../src/checking/check-pages.ts';
import { createInterpreter } from '../../src/checking/interpreter.ts';
import type { CheckEngine } from '../../src/checks/check-engine.ts';
import { sentenceOf } from '../../src/domain/failures/failure.ts';
import { joinWorkers } from '../../src/queue/worker.ts';
import type { TestStore } from './crawler.ts';
import { credentialStore } from './credential-store.ts';
import { NO_SESSIONS } from './no-sessions.ts';
import { until } from './until.ts';

/** The output of the accessibility check for a page without issues. */
export const NOTHING_FOUND = Buffer.from(
  JSON.stringify({
    notes: [],
    frames: [],
    engineVersion: 'played',
    found: {
      results: { violations: [], incomplete: [] },
      positions: { violations: [], incomplete: [] },
      elements: [],
      full: null,
    },
  }),
);

/** An engine of the accessibility check that is always ready, and runs one check at a time. */
export function playedEngine(parts: Pick<CheckEngine, 'collect'> & Partial<CheckEngine>): CheckEngine {
  return {
    kind: 'a11y',
    concurrency: 1,
    showsPages: true,
    start: async () => undefined,
    isReady: async () => true,
    stop: async () => undefined,
    ...parts,
  };
}

/** Runs the accessibility checks, which find nothing, one at a time until the test ends. */
export async function startPlayedChecking(
  t: Pick<TestContext, 'after'>,
  { db, connectionString }: Pick<TestStore, 'db' | 'connectionString'>,
  collect: (...of: Parameters<CheckEngine['collect']>) => Promise<unknown>,
  parts: Partial<CheckingParts> = {},
): Promise<void> {
  const engine = playedEngine({
    collect: async (input, signal) => {
      await collect(input, signal);
      return NOTHING_FOUND;
    },
  });
  const log = parts.log ?? pino({ level: 'silent' });
  const interpreter = createInterpreter();
  const worker = await joinWorkers(connectionString, db, log);
  const checking = startChecking({
    db,
    credentialStore,
    sessions: NO_SESSIONS,
    worker,
    engine,
    interpreter,
    log,
    ...parts,
  });
  t.after(async () => {
    await checking.stop();
    await interpreter.close();
    await worker.close();
  });
}

/** The errors of the accessibility checks of reports, each once, when all have ended. */
export async function a11yErrorsOf({ db }: Pick<TestStore, 'db'>, ...reportIds: string[]): Promise<(string | null)[]> {
  const checks = db.selectFrom('checks').select('error').where('kind', '=', 'a11y').where('report_id', 'in', reportIds);
  await until(async () => (await checks.where('status', '=', 'pending').execute()).length === 0);
  return [...new Set((await checks.execute()).map(({ error }) => error && sentenceOf(error)))];
}
