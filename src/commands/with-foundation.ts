import { type Config, configOfProcess } from '../config.ts';
import { type Foundation, openFoundation } from '../foundation.ts';
import { createLogger } from '../platform/logger.ts';
import { closeInTime, runStoppable } from './until-stopped.ts';

/** Runs a short command on the database of this installation, whether or not a service uses it. */
export async function withFoundation<Result>(
  run: (foundation: Foundation, config: Config) => Promise<Result>,
): Promise<Result> {
  const config = configOfProcess();
  return runStoppable(async () => {
    const foundation = await openFoundation(config, quietLogger(config));
    try {
      return await run(foundation, config);
    } finally {
      await closeInTime(foundation.close);
    }
  });
}

/** Creates a logger for short commands. They print their results, so it logs errors only. */
export function quietLogger(config: Config) {
  return createLogger({ level: config.logLevel === 'info' ? 'error' : config.logLevel, format: config.logFormat });
}
