import type { Config } from '../config.ts';
import { type Foundation, openFoundation } from '../foundation.ts';
import { knownFault } from './known-fault.ts';
import { quietLogger, runStoppable, type Terminal } from './terminal.ts';

/**
 * Runs a short command on the database of this installation, whether or not a service uses it.
 * @throws AppError of `openFoundation`; disk_full, database_unavailable; what `run` throws
 */
export async function withFoundation<Result>(
  terminal: Terminal,
  run: (foundation: Foundation, config: Config) => Promise<Result>,
): Promise<Result> {
  const config = terminal.config();
  return runStoppable(terminal, async () => {
    const foundation = await openFoundation(config, quietLogger(terminal, config));
    try {
      return await run(foundation, config);
    } catch (error) {
      throw knownFault(error);
    } finally {
      await terminal.closeInTime(foundation.close);
    }
  });
}
