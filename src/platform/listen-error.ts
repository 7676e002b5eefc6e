import { once } from 'node:events';
import { createServer } from 'node:net';
import { AppError, codeOf, messageOf } from './errors.ts';

interface Address {
  readonly host: string;
  readonly port: number;
  /** The settings to change. */
  readonly settings: string;
}

/**
 * Fails if a port is in use, before other parts are started.
 * @throws AppError port_in_use
 */
export async function requireFreePort(address: Address): Promise<void> {
  const probe = createServer().listen(address.port, address.host);
  await once(probe, 'listening').catch((cause: unknown) => {
    throw listenError(address, cause);
  });
  await new Promise((resolve) => probe.close(resolve));
}

export function listenError({ host, port, settings }: Address, cause: unknown): AppError {
  const reason = codeOf(cause) === 'EADDRINUSE' ? 'the port is in use' : messageOf(cause);
  return new AppError(
    'port_in_use',
    `Cannot listen on ${host}:${port}: ${reason}. Set ${settings} to a different value.`,
    { cause },
  );
}
