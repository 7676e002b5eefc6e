import { errors, type Page } from 'playwright-core';
import { CheckFailure, messageOf } from '../../platform/errors.ts';
import type { PageLoadLimits } from './limits.ts';

/**
 * Opens a page, as far as that its document begins to be shown.
 * @throws CheckFailure when it is not shown
 */
export async function openPage(page: Page, url: string, limits: PageLoadLimits): Promise<void> {
  const timeout = limits.loadTimeoutMs;
  try {
    await page.goto(url, { waitUntil: 'commit', timeout });
  } catch (error) {
    const message = messageOf(error);
    const code = /net::ERR_[A-Z_]+|invalid URL/.exec(message)?.[0];
    if (error instanceof errors.TimeoutError) {
      const late = `The page did not arrive in the browser within ${timeout / 1000} seconds.`;
      // It waits for nothing but the browser, which other pages may keep busy.
      throw new CheckFailure(late, { permanent: false, blame: 'anybody' });
    }
    if (/Download is starting/.test(message)) {
      throw failure(
        'Browsers offer the page as a download instead of showing it (see its Content-Disposition).',
        error,
      );
    }
    if (code === undefined) throw error;
    throw failure(`The browser refused to show the page (${code}).`, error);
  }
}

function failure(message: string, cause: unknown): CheckFailure {
  return new CheckFailure(message, { permanent: true, cause });
}
