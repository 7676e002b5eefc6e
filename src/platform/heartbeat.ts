import { writeFile } from 'node:fs/promises';
import { messageOf } from './errors.ts';
import type { Logger } from './logger.ts';

const BEAT_MS = 10_000;

/**
 * Writes a file now and every 10 seconds while the event loop runs: the probes of a process that listens on no port check when
 * the file was last written. A failure is logged. Does not keep the process alive.
 */
export function startHeartbeat(file: string, log: Pick<Logger, 'warn'>): void {
  const beat = (): void => {
    void writeFile(file, '').catch((error: unknown) =>
      log.warn({ reason: messageOf(error) }, 'Could not write the heartbeat'),
    );
  };
  beat();
  setInterval(beat, BEAT_MS).unref();
}
