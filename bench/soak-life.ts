/** What the users and sites of `bench/soak.ts` do. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { linkedPage, pageNumber } from '../test/helpers/linked-pages.ts';

/** Sites have addresses of their own: a host is crawled by one process at a time. */
export interface SoakSites {
  urlOf(site: number): string;
  stop(): Promise<void>;
}

/** Starts small sites at 127.0.0.2 and up, whose pages change, break and recover as time goes by. */
export async function startSites(pages: number, random: () => number): Promise<SoakSites> {
  const server = createServer((request, response) => {
    const number = pageNumber(request.url ?? '');
    const edition = Math.floor(Date.now() / 60_000);
    // A page in thirty is broken for a minute.
    const isBroken = number > 1 && (number * 7 + edition) % 30 === 0;
    response.writeHead(number === 0 || isBroken ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    const news = `<p>Edition ${number % 2 === 0 ? edition : 0}</p>${edition % 3 === number % 3 ? '<img src="data:,news">' : ''}`;
    const body = linkedPage(number, pages).replace('</main>', `${news}</main>`);
    setTimeout(() => response.end(body), random() * 40);
  });
  await listening(server);
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (site) => `http://127.0.1.${site + 1}:${port}/`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function listening(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '0.0.0.0', resolve));
}

/** A response of the API; status 0 without a response. */
export interface SoakResponse {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a wrong guess shows as a failed request.
  readonly body: any;
}

export type Ask = (method: string, path: string, attributes?: object, token?: string) => Promise<SoakResponse>;

/**
 * Creates the function with which users ask the API.
 * @param api returns its address
 * @param onResponse called with every response
 */
export function createAsk(
  api: () => string,
  adminToken: string,
  onResponse: (method: string, path: string, status: number) => void,
): Ask {
  return async (method, path, attributes, token = adminToken) => {
    const answer = await fetch(`${api()}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json', connection: 'close' },
      ...(attributes === undefined ? {} : { body: JSON.stringify({ data: { attributes } }) }),
      signal: AbortSignal.timeout(60_000),
    })
      .then(async (response) => ({ status: response.status, body: bodyOf(await response.text()) }))
      .catch(() => ({ status: 0, body: {} }));
    onResponse(method, path.replace(/[\da-f]{8}-[\da-f-]{27}|\d+/g, '…'), answer.status);
    return answer;
  };
}

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

export interface Life {
  readonly ask: Ask;
  readonly sites: SoakSites;
  readonly siteCount: number;
  readonly pages: number;
  readonly random: () => number;
}

const EXPORTS = ['json', 'csv', 'html', 'junit', 'sarif'] as const;

/** Does one thing that users do, at random. */
export async function liveOnce({ ask, sites, siteCount, pages, random }: Life): Promise<void> {
  const below = (count: number): number => Math.floor(random() * count);
  const some = <Item>(items: readonly Item[]): Item | undefined => items[below(items.length)];
  const anyReport = async () => some(await rowsOf(ask, `/reports?page[size]=20&page[number]=${1 + below(2)}`));
  const what = random();
  if (what < 0.12) {
    const checks = {
      perform_html_checks: true,
      perform_a11y_checks: random() < 0.25,
      perform_link_checks: random() < 0.2,
    };
    const starting_url = sites.urlOf(below(siteCount));
    await ask('POST', '/reports', {
      starting_url,
      max_pages: pages,
      rate_limit: 50,
      ...checks,
      store_screenshots: random() < 0.1,
    });
  } else if (what < 0.45) {
    const lists = [
      '/reports',
      '/sites',
      '/schedules',
      '/mutings',
      '/account',
      '/installation',
      '/site_tags',
      '/stats?interval=day',
    ];
    await ask('GET', some(lists) ?? '/reports');
  } else if (what < 0.75) {
    const report = await anyReport();
    if (report === undefined) return;
    const lists = [
      'web_pages',
      'common_html_issues',
      'fixes',
      'changes',
      'discovered_urls',
      'changes/pages',
      'rechecks',
    ];
    await ask('GET', `/reports/${report.id}/${some(lists)}`);
  } else if (what < 0.83) {
    const report = await anyReport();
    if (report !== undefined) await ask('GET', `/reports/${report.id}/export?format=${some(EXPORTS)}`);
  } else if (what < 0.88) {
    const report = await anyReport();
    const shared = report && (await ask('PATCH', `/reports/${report.id}`, { shared: true }));
    const secret = String(shared?.body.data?.attributes?.share_url ?? '')
      .split('/')
      .at(-1);
    if (secret !== undefined && secret !== '') await ask('GET', '/share', undefined, secret);
  } else if (what < 0.94) {
    await recheckSome(ask, await anyReport(), below);
  } else if (what < 0.98) {
    const mutings = await rowsOf(ask, '/mutings?page[size]=20');
    const url_match = `127.0.1.${1 + below(siteCount)}`;
    if (mutings.length < 10)
      await ask('POST', '/mutings', { message: some(['alt', 'Duplicate', 'Edition']), url_match });
    else await ask('DELETE', `/mutings/${some(mutings)?.id}`);
  } else {
    const report = await anyReport();
    if (report !== undefined) await ask('DELETE', `/reports/${report.id}`);
  }
}

async function rowsOf(ask: Ask, path: string): Promise<readonly { readonly id: string }[]> {
  const { body } = await ask('GET', path);
  return body.data ?? [];
}

async function recheckSome(
  ask: Ask,
  report: { readonly id: string } | undefined,
  below: (count: number) => number,
): Promise<void> {
  if (report === undefined) return;
  const pages = await rowsOf(ask, `/reports/${report.id}/web_pages`);
  const ids = pages
    .slice(below(pages.length))
    .slice(0, 3)
    .map(({ id }) => id);
  if (ids.length > 0) await ask('POST', `/reports/${report.id}/rechecks`, { web_page_ids: ids });
  if (below(4) === 0 && pages.length > 3) await ask('DELETE', `/reports/${report.id}/web_pages/${pages[0]?.id}`);
}

/** Follows the events of all reports, as an open dashboard does, until it is stopped. Reconnects as browsers do. */
export function followEvents(api: () => string, token: string): { events(): number; stop(): Promise<void> } {
  const stopping = new AbortController();
  let [events, lastId] = [0, ''];
  const following = (async () => {
    while (!stopping.signal.aborted) {
      const headers = { authorization: `Bearer ${token}`, ...(lastId !== '' && { 'last-event-id': lastId }) };
      const response = await fetch(`${api()}/events`, { headers, signal: stopping.signal }).catch(() => null);
      try {
        for await (const chunk of response?.body ?? []) {
          const text = Buffer.from(chunk).toString();
          events += text.match(/^event:/gm)?.length ?? 0;
          lastId =
            text
              .match(/^id: ?(.+)$/gm)
              ?.at(-1)
              ?.slice(3)
              .trim() ?? lastId;
        }
      } catch {
        // The process that served it has ended.
      }
      await delay(1_000, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    events: () => events,
    async stop() {
      stopping.abort();
      await following;
    },
  };
}
