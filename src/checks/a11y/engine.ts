import { join } from 'node:path';
import { BrowserFault } from '../../browser/browser-fault.ts';
import { createBrowserPool } from '../../browser/browser-pool.ts';
import type { BrowserLimits } from '../../browser/live-browser.ts';
import type { BrowserPage } from '../../browser/page-slot.ts';
import type { ChildRegistry } from '../../platform/child-registry.ts';
import { CheckFailure, messageOf } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import type { CheckEngine, CheckInput } from '../check-engine.ts';
import type { AxeRaw } from './axe-raw.ts';
import { mainWorld } from './frame-world.ts';
import { fulfilDocument } from './fulfil-document.ts';
import { interpretAxe } from './interpret-axe.ts';
import { A11Y_LIMITS, type A11yLimits } from './limits.ts';
import { openPage } from './open-page.ts';
import { watchRequests } from './request-watch.ts';
import { prepareAxe, runAxe } from './run-axe.ts';
import { settlePage } from './settle-page.ts';

export interface A11yEngineOptions {
  /** Pages at a time. */
  readonly concurrency: number;
  /** The browser that was set; null means: search, else unpack the bundled one. */
  readonly executable: string | null;
  /** Where the bundled browser is unpacked and running browsers keep their profiles. */
  readonly cacheDirectory: string;
  readonly children: ChildRegistry;
  readonly log: Logger;
  /** Address of the proxy for all that pages load; null for none. Default null. */
  readonly proxyServer?: string | null;
  /** When the browser is replaced; the pool's own limits unless given. */
  readonly browserLimits?: Partial<BrowserLimits>;
  /** Other limits than `A11Y_LIMITS`. */
  readonly limits?: Partial<A11yLimits>;
}

/**
 * The accessibility check: axe-core in Chromium, with the report's viewport, on the document as it was fetched. A viewport
 * with a user agent of its own gets what the server answers that user agent, so there the browser requests the document.
 */
export function createA11yEngine(options: A11yEngineOptions): CheckEngine<AxeRaw> {
  const limits = { ...A11Y_LIMITS, ...options.limits };
  const pool = createBrowserPool({
    find: { executable: options.executable, cacheDirectory: options.cacheDirectory },
    profilesDirectory: join(options.cacheDirectory, 'browser-profiles'),
    proxyServer: options.proxyServer ?? null,
    slots: options.concurrency,
    children: options.children,
    log: options.log,
    limits: options.browserLimits ?? {},
  });
  const prepared = new WeakSet<BrowserPage>();

  async function collectOn(browserPage: BrowserPage, input: CheckInput): Promise<AxeRaw> {
    if (!prepared.has(browserPage)) {
      prepared.add(browserPage);
      await prepareAxe(browserPage.cdp);
    }
    return checkPage(browserPage, input, limits);
  }

  return {
    kind: 'a11y',
    concurrency: options.concurrency,
    showsPages: true,
    start: pool.start,
    isReady: pool.isReady,
    stop: pool.stop,
    async collect(input, signal) {
      const { viewport, cacheGroup } = input;
      try {
        if (requestsItself(input)) await input.requestTurn?.near();
        return await pool.withPage(
          { viewport, cacheGroup, timeLimitMs: limits.checkTimeoutMs, signal },
          (browserPage) => collectOn(browserPage, input),
        );
      } catch (error) {
        throw asCheckFailure(error, limits);
      }
    },
    interpret: interpretAxe,
    rawCheck: (raw) => raw.full,
  };
}

/** Whether the document is what the server answers the browser, and not what the spider was answered. */
function requestsItself({ viewport }: CheckInput): boolean {
  return viewport.userAgent !== null;
}

async function checkPage({ page, cdp }: BrowserPage, input: CheckInput, limits: A11yLimits): Promise<AxeRaw> {
  const { frameTree } = await cdp.send('Page.getFrameTree');
  const requests = watchRequests(page);
  const isOwnRequest = requestsItself(input);
  const shown = await fulfilDocument(cdp, frameTree.frame.id, isOwnRequest ? null : input.document);
  try {
    if (isOwnRequest) await input.requestTurn?.take();
    await openPage(page, input.document.url, isOwnRequest, limits).catch((error: unknown) => {
      throw shown.refusal() ?? error;
    });
    await settlePage(page, () => mainWorld(cdp), { requests, departure: shown.departure, limits });
    const raw = await runAxe(page, cdp, await mainWorld(cdp), input.keepsRaw ?? false);
    const replacement = shown.replacedBy();
    if (replacement !== null) throw replaced(replacement);
    return raw;
  } finally {
    requests.end();
    await shown.end().catch(() => undefined);
  }
}

function replaced(address: string): CheckFailure {
  return new CheckFailure(`A script on the page replaced it by another document (${address}) while it was checked.`, {
    permanent: true,
  });
}

function asCheckFailure(error: unknown, limits: A11yLimits): CheckFailure {
  if (error instanceof CheckFailure) return error;
  if (!(error instanceof BrowserFault)) {
    return new CheckFailure(`The accessibility check stopped: ${messageOf(error)}`, { permanent: false, cause: error });
  }
  switch (error.kind) {
    case 'time_limit':
      return new CheckFailure(
        `The accessibility check of the page did not end within ${limits.checkTimeoutMs / 1000} seconds. ` +
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
