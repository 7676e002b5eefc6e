import type { Config } from '../config.ts';

/** Returns where a browser on this machine, or the configured public address, reaches the service, without a trailing slash. */
export function publicAddress({ baseUrl, host, port }: Pick<Config, 'baseUrl' | 'host' | 'port'>): string {
  if (baseUrl !== null) return baseUrl;
  // The addresses that stand for all of a machine's are no address to open.
  const name = ['0.0.0.0', '::'].includes(host) ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
