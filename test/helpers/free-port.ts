import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Linux assigns ports from 32768 to connections, and to servers that accept any port. */
const [minPort, endPort] = [20_000, 32_768];
const attempts = 100;

/** Finds a port of 127.0.0.1 for a process that listens on it later. Other tests are unlikely to take it in between. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = randomInt(minPort, endPort);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await new Promise((closed) => server.close(closed));
    return port;
  }
  assert.fail(`${attempts} random ports from ${minPort} to ${endPort - 1} were in use.`);
}
