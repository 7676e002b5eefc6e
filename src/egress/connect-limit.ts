import { isIP, type Socket } from 'node:net';
import { HttpFault } from './http-fault.ts';

/**
 * Ends a socket that was just told to connect with HttpFault `connect_timeout` when it takes too long. The look-up of its
 * name, which has a limit of its own, does not count.
 *
 * @param connected the event at which it is connected
 */
export function limitConnecting(
  socket: Socket,
  hostname: string,
  connected: 'connect' | 'secureConnect',
  timeoutMs: number,
): void {
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setTimeout(() => socket.destroy(new HttpFault('connect_timeout')), timeoutMs);
  };
  const end = (): void => clearTimeout(timer);
  if (isIP(hostname) === 0) socket.once('lookup', begin);
  else begin();
  socket.once(connected, end).once('close', end);
}
