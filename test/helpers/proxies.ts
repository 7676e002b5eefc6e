import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

/** The name in the shipped configurations. */
export const PROXY_HOST = 'checks.example.com';
/** The client, which is not the proxy. */
export const PROXY_CLIENT = '127.0.0.2';

const projectDirectory = join(import.meta.dirname, '../..');
const certificate = join(projectDirectory, 'test/fixtures/tls/cert.pem');
const key = join(projectDirectory, 'test/fixtures/tls/key.pem');

interface Places {
  readonly folder: string;
  /** Hosts and ports. */
  readonly upstreams: readonly string[];
  readonly https: number;
  readonly http: number;
}

/** Each writes the shipped configuration for other places. Returns the arguments of the program. */
const CONFIGURE = {
  nginx({ folder, upstreams, https, http }: Places): readonly string[] {
    const parameters = 'max_fails=1 fail_timeout=1s;';
    const site = adapted('deploy/nginx/sitewarden.conf', [
      [`server 127.0.0.1:3000 ${parameters}`, upstreams.map((one) => `server ${one} ${parameters}`).join('\n')],
      ['listen 443 ', `listen 127.0.0.1:${https} `],
      ['listen [::]:443 ssl http2;', ''],
      ['listen 80;', `listen 127.0.0.1:${http};`],
      ['listen [::]:80;', ''],
      [`/etc/letsencrypt/live/${PROXY_HOST}/fullchain.pem`, certificate],
      [`/etc/letsencrypt/live/${PROXY_HOST}/privkey.pem`, key],
    ]);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const temporary = paths.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
    const main = `pid ${folder}/pid; daemon off; error_log stderr; worker_processes 1; events {}`;
    writeFileSync(join(folder, 'nginx.conf'), `${main} http { ${temporary}\n${site} }`);
    return ['-p', folder, '-c', join(folder, 'nginx.conf')];
  },
  caddy({ folder, upstreams, https, http }: Places): readonly string[] {
    const site = adapted('deploy/caddy/Caddyfile', [
      ['127.0.0.1:3000', upstreams.join(' ')],
      ...(upstreams.length > 1 ? ['health_uri', 'health_interval'] : []).map((name) => [`# ${name}`, name] as const),
      [`${PROXY_HOST} {\n`, `${PROXY_HOST} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}\n`],
    ]);
    const options = `{\n\tadmin off\n\thttps_port ${https}\n\thttp_port ${http}\n\tstorage file_system ${folder}\n}\n`;
    writeFileSync(join(folder, 'Caddyfile'), `${options}${site}`);
    return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
  },
} as const;

export type ProxyName = keyof typeof CONFIGURE;
export const PROXIES = ['nginx', 'caddy'] as const satisfies readonly ProxyName[];

export interface ProxyReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A real proxy with the shipped configuration. */
export interface RunningProxy {
  /** The port that forwards to https. */
  readonly http: number;
  /** Sends a request over https. Resolves when the response begins. */
  open(
    method: string,
    path: string,
    headers?: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<IncomingMessage>;
  /** Resolves when the response has ended. */
  send(method: string, path: string, headers?: Readonly<Record<string, string>>, body?: string): Promise<ProxyReply>;
  /** The end of its output. */
  log(): string;
  stop(): Promise<void>;
}

export function isProxyInstalled(name: ProxyName): boolean {
  return spawnSync(name, [name === 'nginx' ? '-v' : 'version']).error === undefined;
}

/** @param upstreams hosts and ports of `serve` processes; one of them must respond */
export async function startProxy(name: ProxyName, upstreams: readonly string[]): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'sitewarden-proxy-'));
  chmodSync(folder, 0o755);
  const [https, http] = [await freePort(), await freePort()];
  const args = CONFIGURE[name]({ folder, upstreams, https, http });
  const child = spawn(name, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output = `${output}${chunk}`.slice(-10_000);
  });
  const ca = readFileSync(certificate);
  const open: RunningProxy['open'] = async (method, path, headers = {}, body = '') => {
    const outgoing = request({
      ...{ method, path, host: '127.0.0.1', port: https, servername: PROXY_HOST, localAddress: PROXY_CLIENT },
      ...{ agent: false, ca, checkServerIdentity: () => undefined },
      headers: { host: PROXY_HOST, 'content-length': Buffer.byteLength(body), ...headers },
    });
    outgoing.end(body);
    const [response]: IncomingMessage[] = await once(outgoing, 'response');
    return response ?? assert.fail();
  };
  const send: RunningProxy['send'] = async (...request) => {
    const response = await open(...request);
    const text = (await response.setEncoding('utf8').toArray()).join('');
    return { status: response.statusCode ?? 0, headers: response.headers, text };
  };
  const stop = async (): Promise<void> => {
    await ended(child);
    rmSync(folder, { recursive: true, force: true });
  };
  const responds = (): Promise<boolean> =>
    send('GET', '/').then(
      ({ status }) => status === 200,
      () => false,
    );
  await until(async () => child.exitCode !== null || (await responds()));
  if (child.exitCode === null) return { http, open, send, log: () => output, stop };
  await stop();
  throw new Error(`${name} ended: ${output}`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill();
  await exit;
}

/** Returns a shipped file with other addresses and paths. */
function adapted(path: string, changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce(
    (text, [from, to]) => {
      assert.ok(text.includes(from), `${path} does not contain ${from}`);
      return text.replaceAll(from, to);
    },
    readFileSync(join(projectDirectory, path), 'utf8'),
  );
}
