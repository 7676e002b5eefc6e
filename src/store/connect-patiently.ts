import { messageOf } from '../platform/errors.ts';

/** Event loop utilization at or above which a process is too busy to see responses in time. */
const BUSY_UTILIZATION = 0.9;
/** The messages of `pg` when it stops waiting for a connection, or for the response to a query. */
const TIMEOUT = /connection timeout|timeout expired|Query read timeout/;

/**
 * Connects. Tries once more after a timeout if this process was too busy to see the response of the server, for example because
 * it was loading modules on a busy machine.
 * @param isEnding whether the connection is no longer needed
 */
export async function connectPatiently<Connection>(
  connect: () => Promise<Connection>,
  isEnding = (): boolean => false,
): Promise<Connection> {
  const before = performance.eventLoopUtilization();
  try {
    return await connect();
  } catch (error) {
    const { utilization } = performance.eventLoopUtilization(before);
    if (utilization < BUSY_UTILIZATION || isEnding() || !TIMEOUT.test(messageOf(error))) throw error;
    return connect();
  }
}
