import type { CDPSession, Page } from 'playwright-core';
import { BrowserFault } from '../../browser/browser-fault.ts';
import type { BrowserPool } from '../../browser/browser-pool.ts';
import { CheckFailure, messageOf } from '../../platform/errors.ts';
import type { CheckEngine, CheckInput } from '../check-engine.ts';
import type { AxeRaw } from './axe-raw.ts';
import { mainWorld } from './frame-world.ts';
import { fulfilDocument } from './fulfil-document.ts';
import { interpretAxe } from './interpret-axe.ts';
import { a11yCheckTimeoutMs, a11yLoadTimeoutMs } from './limits.ts';
import { watchRequests } from './request-watch.ts';
import { runAxe } from './run-axe.ts';
import { settlePage } from './settle-page.ts';

export interface A11yEngineOptions {
  readonly pool: BrowserPool;
  /** Whether passes and inapplicable rules are in the raw check, too: 1 MB a page, and slower. Default false. */
  readonly fullResults?: boolean;
}

/**
 * The accessibility check: axe-core in Chromium, on the document as it was fetched, shown with the report's viewport.
 * The engine starts and stops the pool that it is given.
 */
export function createA11yEngine(options: A11yEngineOptions): CheckEngine<AxeRaw> {
  const { pool, fullResults = false } = options;
  return {
    kind: 'a11y',
    concurrency: pool.slots,
    start: pool.start,
    isReady: pool.isReady,
    stop: pool.stop,
    async collect(input, signal) {
      const { viewport, cacheGroup } = input;
      try {
        return await pool.withPage({ viewport, cacheGroup, timeLimitMs: a11yCheckTimeoutMs, signal }, ({ page, cdp }) =>
          checkPage(page, cdp, input, fullResults),
        );
      } catch (error) {
        throw asCheckFailure(error);
      }
    },
    interpret: interpretAxe,
  };
}

async function checkPage(page: Page, cdp: CDPSession, input: CheckInput, fullResults: boolean): Promise<AxeRaw> {
  const { frameTree } = await cdp.send('Page.getFrameTree');
  const requests = watchRequests(page);
  const endFulfilling = await fulfilDocument(cdp, frameTree.frame.id, input.document);
  try {
    await openPage(page, input.document.url);
    await settlePage(page, () => mainWorld(cdp), requests);
    return await runAxe(page, cdp, await mainWorld(cdp), fullResults);
  } finally {
    requests.end();
    await endFulfilling().catch(() => undefined);
  }
}

async function openPage(page: Page, url: string): Promise<void> {
  try {
    await page.goto(url, { waitUntil: 'commit', timeout: a11yLoadTimeoutMs });
  } catch (error) {
    const reason = messageOf(error);
    if (/Download is starting/.test(reason)) {
      throw new CheckFailure(
        'Browsers offer the page as a download instead of showing it (see its Content-Disposition).',
        {
          permanent: true,
          cause: error,
        },
      );
    }
    const code = /net::ERR_[A-Z_]+/.exec(reason)?.[0];
    if (code === undefined) throw error;
    throw new CheckFailure(`The browser refused to show the page (${code}).`, { permanent: true, cause: error });
  }
}

function asCheckFailure(error: unknown): CheckFailure {
  if (error instanceof CheckFailure) return error;
  if (!(error instanceof BrowserFault)) {
    return new CheckFailure(`The accessibility check stopped: ${messageOf(error)}`, { permanent: false, cause: error });
  }
  switch (error.kind) {
    case 'time_limit':
      return new CheckFailure(
        `The accessibility check of the page did not end within ${a11yCheckTimeoutMs / 1000} seconds. ` +
          'The page is very large, or a script keeps it busy.',
        { permanent: true, cause: error },
      );
    case 'memory':
    case 'windows':
      return new CheckFailure(error.message, { permanent: true, cause: error });
    case 'crashed':
    case 'browser_gone':
    case 'aborted':
      return new CheckFailure(error.message, { permanent: false, cause: error });
  }
}
