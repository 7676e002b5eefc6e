import { type Foundation, openFoundation } from '../app.ts';
import { type Config, configOfProcess } from '../config.ts';
import { createLogger } from '../platform/logger.ts';
import { closeInTime, endingInOrder } from './until-stopped.ts';

/** Runs a short command on the database of this installation, whether or not a server is running on it. */
export async function withFoundation<Result>(
  run: (foundation: Foundation, config: Config) => Promise<Result>,
): Promise<Result> {
  const config = configOfProcess();
  return endingInOrder(async () => {
    const foundation = await openFoundation(config, quietLogger(config));
    try {
      return await run(foundation, config);
    } finally {
      await closeInTime(foundation.close);
    }
  });
}

/** Short commands say what they did themselves; only what went wrong is logged. */
export function quietLogger(config: Config) {
  return createLogger({ level: config.logLevel === 'info' ? 'error' : config.logLevel, format: config.logFormat });
}
