import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVisitor } from '../../src/crawling/visit-url.ts';
import { type FetchedPage, failedPage } from '../../src/domain/fetched-page.ts';
import type { Reservation } from '../../src/spider/memory-budget.ts';

const BUDGET = { take: () => true } as unknown as Reservation;
const CONTEXT = { depth: 0, earlierSaved: Promise.resolve(), budget: BUDGET };
const FORBIDDEN = { code: 'page_forbidden' } as never;

test('a session that ends during the request of one visit does not fail another visit of the same URL', async () => {
  let number = 1;
  const asked: string[] = [];
  const isAskedTwice = Promise.withResolvers<void>();
  const fetch = async (url: string): Promise<FetchedPage> => {
    asked.push(url);
    if (url !== '/page') return { kind: 'redirect', httpStatus: 302, location: '/page' };
    if (asked.filter((each) => each === '/page').length > 1)
      return { kind: 'not_html', httpStatus: 200, contentType: 'text/plain', failure: FORBIDDEN };
    number = 2;
    await isAskedTwice.promise;
    return failedPage({ code: 'login_not_kept', params: { times: 1 } });
  };
  const visitor = createVisitor({
    fetch,
    sentTo: () => null,
    robots: { refusalOf: async () => null, sitemapsFor: async () => ({ robotsUrl: '', sitemaps: [] }) },
    session: { number: () => number, lookAgain: async () => false } as never,
    frontier: {
      outcomeOf: () => undefined,
      redirectStep: () => 'follow',
      canonicalStep: () => 'ignore',
      isListed: () => false,
    } as never,
    membershipOf: () => 'inside',
    includes: () => true,
    deepCrawl: true,
    listedUrlsMax: 1,
    renderer: null,
  });
  const entry = (url: string, position: number) => ({ url, position, linkedFrom: null, depth: 0 }) as never;
  const first = visitor.visit(entry('/a', 1), CONTEXT);
  await new Promise(setImmediate);
  // Has its first session after the first visit has lost it, and waits for the same request.
  const second = visitor.visit(entry('/b', 2), CONTEXT);
  await new Promise(setImmediate);
  isAskedTwice.resolve();
  const ends = await Promise.all([first, second]);
  assert.deepEqual(
    ends.map(({ end, hops }) => [end.kind, hops]),
    [
      ['not_html', ['/page']],
      ['not_html', ['/page']],
    ],
  );
});
