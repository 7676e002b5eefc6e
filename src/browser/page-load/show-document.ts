import type { Page } from 'playwright-core';
import { CheckFailure } from '../../domain/check-failure.ts';
import type { CheckNote } from '../../domain/check-note.ts';
import { messageOf } from '../../platform/errors.ts';
import type { StepAside } from '../page-place.ts';
import type { BrowserPage } from '../page-slot.ts';
import { type FrameWorld, mainWorld } from './frame-world.ts';
import { type FulfilledDocument, fulfilDocument, type ShownDocument, watchOpening } from './fulfil-document.ts';
import type { PageLoadLimits } from './limits.ts';
import { watchRequests } from './request-watch.ts';
import { settlePage } from './settle-page.ts';

export interface DocumentToShow {
  readonly url: string;
  readonly document: ShownDocument;
  /** CSS selector of the element to wait for in a page with scripts; null to wait until the page is settled. */
  readonly waitFor: string | null;
  readonly stepAside: StepAside;
}

/** A page that is settled. */
export interface ShownPage extends BrowserPage {
  readonly main: FrameWorld;
  /** Notes on how it settled. */
  readonly notes: readonly CheckNote[];
  /** The first URL that the page tried to navigate to, by a script or `refresh`; null for none. */
  navigationTarget(): string | null;
}

/**
 * Shows a document in a page, waits until it is settled, and calls `use` with it.
 * @throws CheckFailure when the page cannot be shown, does not settle, or replaces itself with another document
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
      const { navigation, navigationTarget } = fulfilled;
      const notes = await settlePage(page, cdp, { requests, opening, navigation, stepAside, waitFor, limits });
      return use({ page, cdp, main: await mainWorld(cdp), notes, navigationTarget });
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

/** Repeats work when the page has reloaded itself and so interrupted it. */
async function whileReloading<T>({ loads }: FulfilledDocument, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const before = loads();
    try {
      return await work();
    } catch (error) {
      if (error instanceof CheckFailure || loads() === before) throw error;
    }
  }
}

function replaced(url: string): CheckFailure {
  return new CheckFailure({ code: 'replaces_itself', params: { url } }, { permanent: true });
}

/**
 * Navigates to the page and waits until its document is committed.
 * @throws CheckFailure when the page cannot be shown
 */
async function openPage(page: Page, url: string, limits: PageLoadLimits): Promise<void> {
  const timeout = limits.loadTimeoutMs;
  try {
    await page.goto(url, { waitUntil: 'commit', timeout });
  } catch (error) {
    const { errors } = await import('playwright-core');
    const message = messageOf(error);
    const text = /net::ERR_[A-Z_]+|invalid URL/.exec(message)?.[0];
    if (error instanceof errors.TimeoutError) {
      // The document is local, so only the browser can be slow, because of any page.
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
