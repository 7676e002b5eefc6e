import { isIP, type Socket } from 'node:net';
import { HttpFault } from './http-fault.ts';

/**
 * Destroys a connecting socket with HttpFault `connect_timeout` when it takes too long. The name lookup does not count, since it
 * has its own limit.
 * @param connected the event that ends the time limit
 */
export function limitConnectTime(
  socket: Socket,
  hostname: string,
  connected: 'connect' | 'secureConnect',
  timeoutMs: number,
): void {
  let timer: NodeJS.Timeout | undefined;
  const start = (): void => {
    timer = setTimeout(() => socket.destroy(new HttpFault('connect_timeout')), timeoutMs);
  };
  const end = (): void => clearTimeout(timer);
  if (isIP(hostname) === 0) socket.once('lookup', start);
  else start();
  socket.once(connected, end).once('close', end);
}
