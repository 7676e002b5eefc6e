import { createServer } from 'node:net';

/**
 * Returns a port of 127.0.0.1 that is currently free. Another process can take it before it is used.
 * @param wanted 0 for any port
 * @throws Error of the system if the wanted port is not free
 */
export function freePort(wanted = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(wanted, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
