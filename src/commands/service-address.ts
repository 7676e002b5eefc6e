import type { Config } from '../config.ts';
import { AppError } from '../platform/errors.ts';

/**
 * Returns the service that an option names, and the token for it.
 * @throws AppError invalid_usage if the address is not a URL, or the token is not set
 */
export function serviceAt(
  option: string,
  address: string,
  { token }: Pick<Config, 'token'>,
): { readonly url: string; readonly token: string } {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const example = 'https://checks.example.com';
    throw new AppError(
      'invalid_usage',
      `${option} must be the address of a service, such as ${example}, not "${address}".`,
    );
  }
  if (token === null) {
    throw new AppError('invalid_usage', `${option} requires SITEWARDEN_TOKEN, an API token of that service.`);
  }
  return { url: url.href.replace(/\/$/, ''), token };
}

/** Returns where a browser on this machine, or the configured public address, reaches the service, without a trailing slash. */
export function publicAddress({ baseUrl, host, port }: Pick<Config, 'baseUrl' | 'host' | 'port'>): string {
  if (baseUrl !== null) return baseUrl;
  // Addresses that stand for all addresses of a machine cannot be opened.
  const name = ['0.0.0.0', '::'].includes(host) ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
