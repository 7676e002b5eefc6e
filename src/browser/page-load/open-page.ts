import { errors, type Page } from 'playwright-core';
import { CheckFailure } from '../../domain/check-failure.ts';
import { messageOf } from '../../platform/errors.ts';
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
