/**
 * Disables an account at one of two `serve` with one `work` on one database, and measures how long the account can be used at the
 * other. Prints the longest time of all rounds; exits with 1 if anything takes longer than documented.
 *
 *   npm run bench:disable -- [--rounds N]
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { createAccount } from '../src/accounts/accounts.ts';
import { createPasswords } from '../src/accounts/passwords.ts';
import { createToken } from '../src/accounts/tokens.ts';
import { newSecretKey } from '../src/platform/secret-box.ts';
import { putPassword } from '../src/store/accounts/passwords.ts';
import { createInstallation, isReady } from '../test/helpers/command-line.ts';
import { followEvents } from '../test/helpers/event-client.ts';
import { freePort } from '../test/helpers/free-port.ts';
import { linkedPage, pageNumber } from '../test/helpers/linked-pages.ts';
import { startOwnPostgres } from '../test/helpers/own-postgres.ts';
import { until } from '../test/helpers/until.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '10' } } });
const PROMISED_MS = 5_000;
/** After an account was disabled, to see whether its schedules run and its crawls continue. */
const WATCHED_MS = 15_000;
const POLL_MS = 20;
/** One for each process: a host is crawled by one process at a time. */
const SITES = 3;
const PAGES = 500;
const PASSWORD = 'correct horse battery';

const postgres = await startOwnPostgres();
const site = await startSites();
const common = {
  DATABASE_URL: postgres.connectionString,
  SITEWARDEN_SECRET_KEY: newSecretKey().toString('base64'),
  SITEWARDEN_ALLOW_PRIVATE_NETWORKS: 'true',
  SITEWARDEN_API_RATE_LIMIT: '100000',
  SITEWARDEN_LOG_LEVEL: 'warn',
};
const installations = [createInstallation(), createInstallation(), createInstallation()] as const;
const [first, second, third] = installations;
const [one, other] = [await serve(first), await serve(second)];
const working = third.start(['work'], { env: common });
const longest = new Map<string, number>();
let lastRequestMs = 0;
try {
  await Promise.all([one, other].map(({ origin }) => until(() => isReady(origin))));
  for (let round = 0; round < Number(values.rounds); round += 1) await disableOne(round);
  console.log(`2 serve, 1 work, ${values.rounds} rounds; longest time in milliseconds until it ended`);
  for (const [what, ms] of longest) console.log(`${what.padEnd(22)}${String(Math.round(ms)).padStart(7)}`);
  console.log(`last request to a site after ${Math.round(lastRequestMs)} ms`);
  if ([...longest.values()].some((ms) => ms > PROMISED_MS)) process.exitCode = 1;
} finally {
  for (const { child, ended } of [working, one.running, other.running]) {
    child.kill('SIGTERM');
    await ended;
  }
  for (const installation of installations) installation.remove();
  await site.stop();
  await postgres.close();
}

async function serve(installation: (typeof installations)[number]) {
  const port = await freePort();
  const running = installation.start(['serve'], { env: { ...common, PORT: String(port) } });
  return { running, origin: `http://127.0.0.1:${port}` };
}

async function disableOne(round: number): Promise<void> {
  const { db } = postgres;
  const email = `account-${round}@example.com`;
  const { id } = await createAccount(db, { email });
  const { token } = await createToken(db, { accountId: id, scope: 'write' });
  await putPassword(db, id, await createPasswords().hash(PASSWORD));
  const uses = await useAccount(email, token);
  const events = await followEvents(`${other.origin}/api/v1/events`, token);
  const reports = db.selectFrom('reports').select('id').where('account_id', '=', id);
  const running = reports.where('status', 'in', ['pending', 'crawling', 'checking']);
  await until(async () => (await reports.where('num_pages', '>', 1).execute()).length === SITES);

  const from = performance.now();
  const disabled = await fetch(`${one.origin}/api/v1/operator/accounts/${id}/disable`, {
    method: 'POST',
    headers: { authorization: `Bearer ${first.adminToken}` },
  });
  if (disabled.status !== 200) throw new Error(await disabled.text());
  await sql`UPDATE schedules SET next_run_at = now() WHERE account_id = ${id} AND next_run_at IS NOT NULL`.execute(db);
  const note = (what: string, ms: number): void => void longest.set(what, Math.max(longest.get(what) ?? 0, ms));
  const measure = async (what: string, hasEnded: () => Promise<boolean> | boolean): Promise<void> => {
    const sinceMs = (): number => performance.now() - from;
    while (!(await hasEnded()) && sinceMs() < 4 * PROMISED_MS) await delay(POLL_MS);
    note(what, sinceMs());
  };
  await Promise.all([
    ...Object.entries(uses).map(([what, use]) => measure(what, async () => (await use()) >= 400)),
    measure('event stream', () => events.hasEnded()),
    measure('running reports', async () => (await running.execute()).length === 0),
  ]);
  await delay(WATCHED_MS);
  // Requests that crawls and checks have begun end on their own.
  lastRequestMs = Math.max(lastRequestMs, site.lastRequestAt() - from);
  const created = (await reports.execute()).length - SITES;
  if (created > 0) throw new Error(`${created} reports were created for a disabled account`);
}

/** Creates what an account has, and returns ways to use it at the other `serve`: each returns an HTTP status. */
async function useAccount(email: string, token: string): Promise<Record<string, () => Promise<number>>> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const send = async (path: string, attributes: object, method = 'POST') => {
    const body = JSON.stringify({ data: { attributes } });
    const response = await fetch(`${one.origin}/api/v1${path}`, { method, headers, body });
    if (!response.ok) throw new Error(await response.text());
    const { data } = Object(await response.json());
    return data;
  };
  const settings = { max_pages: PAGES, rate_limit: 5, perform_html_checks: true, perform_a11y_checks: false };
  const [shared] = await Promise.all(
    Array.from({ length: SITES }, (_, nth) =>
      send('/reports', { ...settings, starting_url: site.urlOf(nth), shared: true, perform_link_checks: true }),
    ),
  );
  const schedule = { ...settings, starting_url: site.urlOf(0) };
  await send('/schedules', { ...schedule, periodicity: { every: 'day' } });
  const hook = await send('/schedules', { ...schedule, periodicity: { every: 'deploy' }, active: false });
  const signedIn = await fetch(`${other.origin}/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  const cookie = signedIn.headers.getSetCookie().map((text) => text.split(';')[0]);
  const status = async (path: string, init: RequestInit = {}): Promise<number> => {
    const response = await fetch(`${other.origin}${path}`, init);
    await response.arrayBuffer();
    return response.status;
  };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const agent = { ...headers, accept: 'application/json, text/event-stream' };
  const secret = String(shared.attributes.share_url).split('/').at(-1);
  const uses = {
    'API token': () => status('/api/v1/account', { headers }),
    MCP: () => status('/mcp', { method: 'POST', headers: agent, body: JSON.stringify(message) }),
    session: () => status('/api/v1/account', { headers: { cookie: cookie.join('; ') } }),
    'share link': () => status('/api/v1/share', { headers: { authorization: `Bearer ${secret}` } }),
  };
  for (const [what, use] of Object.entries(uses)) {
    const found = await use();
    if (found >= 400) throw new Error(`${what}: ${found}`);
  }
  // A hook that works would create a report each time.
  const { pathname } = new URL(hook.attributes.deploy_hook_url);
  return { ...uses, 'deploy hook': () => status(pathname, { method: 'POST' }) };
}

/** Starts sites at 127.0.1.1 and up. */
async function startSites() {
  let lastRequestAt = 0;
  const server = createServer((request, response) => {
    lastRequestAt = performance.now();
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(linkedPage(pageNumber(request.url ?? '/'), PAGES));
  }).listen(0, '0.0.0.0');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (nth: number) => `http://127.0.1.${nth + 1}:${port}/`,
    lastRequestAt: () => lastRequestAt,
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
