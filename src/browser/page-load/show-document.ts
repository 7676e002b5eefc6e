import { errors, type Page } from 'playwright-core';
import { CheckFailure } from '../../domain/check-failure.ts';
import type { CheckNote } from '../../domain/check-note.ts';
import { messageOf } from '../../platform/errors.ts';
import type { StepAside } from '../page-place.ts';
import type { BrowserPage } from '../page-slot.ts';
import { type FrameWorld, mainWorld } from './frame-world.ts';
import { type FulfilledDocument, fulfilDocument, type ShownDocument } from './fulfil-document.ts';
import type { PageLoadLimits } from './limits.ts';
import { watchOpening } from './opening-watch.ts';
import { watchRequests } from './request-watch.ts';
import { settlePage } from './settle-page.ts';

export interface DocumentToShow {
  readonly url: string;
  readonly document: ShownDocument;
  /** A CSS selector of what a page with scripts is waited for; null for its rest. */
  readonly waitFor: string | null;
  readonly stepAside: StepAside;
}

/** A page that has come to rest. */
export interface ShownPage extends BrowserPage {
  readonly main: FrameWorld;
  /** What is to be known about how it came to rest. */
  readonly notes: readonly CheckNote[];
  /** Where the page, once parsed, wanted to lead itself by a script or `refresh`; null when it stayed. */
  leadsTo(): string | null;
}

/**
 * Shows a document in a page, waits until it has come to rest, and gives it to `use`.
 * @throws CheckFailure when the page is not shown, does not let itself be used, or puts another document in its own place
 */
export async function showDocument<T>(
  { page, cdp }: BrowserPage,
  { url, document, waitFor, stepAside }: DocumentToShow,
  limits: PageLoadLimits,
  use: (shown: ShownPage) => Promise<T>,
): Promise<T> {
  const { frameTree } = await cdp.send('Page.getFrameTree');
  const requests = watchRequests(page);
  const opening = watchOpening(cdp, frameTree.frame.id);
  const fulfilled = await fulfilDocument(cdp, frameTree.frame.id, document);
  try {
    await openPage(page, url, limits);
    const result = await whileReloading(fulfilled, async () => {
      const { departure, leadsTo } = fulfilled;
      const notes = await settlePage(page, cdp, { requests, opening, departure, stepAside, waitFor, limits });
      return use({ page, cdp, main: await mainWorld(cdp), notes, leadsTo });
    });
    const replacement = fulfilled.replacedBy();
    if (replacement !== null) throw replaced(replacement);
    return result;
  } finally {
    requests.end();
    opening.end();
    await fulfilled.end().catch(() => undefined);
  }
}

/** Work on a page that may load itself again, a few times, and takes all that goes on in it along: then it begins anew. */
async function whileReloading<T>({ timesGiven }: FulfilledDocument, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const before = timesGiven();
    try {
      return await work();
    } catch (error) {
      if (error instanceof CheckFailure || timesGiven() === before) throw error;
    }
  }
}

function replaced(address: string): CheckFailure {
  return new CheckFailure({ code: 'replaces_itself', params: { url: address } }, { permanent: true });
}

/**
 * Opens a page, as far as that its document begins to be shown.
 * @throws CheckFailure when it is not shown
 */
async function openPage(page: Page, url: string, limits: PageLoadLimits): Promise<void> {
  const timeout = limits.loadTimeoutMs;
  try {
    await page.goto(url, { waitUntil: 'commit', timeout });
  } catch (error) {
    const message = messageOf(error);
    const text = /net::ERR_[A-Z_]+|invalid URL/.exec(message)?.[0];
    if (error instanceof errors.TimeoutError) {
      // It waits for nothing but the browser, which other pages may keep busy.
      const params = { seconds: timeout / 1_000 };
      throw new CheckFailure({ code: 'page_late', params }, { permanent: false, blame: 'anybody', cause: error });
    }
    if (/Download is starting/.test(message)) {
      throw new CheckFailure({ code: 'page_is_download', params: {} }, { permanent: true, cause: error });
    }
    if (text === undefined) throw error;
    throw new CheckFailure({ code: 'page_not_shown', params: { text } }, { permanent: true, cause: error });
  }
}
