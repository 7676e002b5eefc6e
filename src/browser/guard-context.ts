import type { BrowserContext } from 'playwright-core';
import type { Viewport } from '../domain/check.ts';
import { defaultUserAgent } from './devices.ts';
import type { RunningChromium } from './launch-chromium.ts';

/**
 * A context with which pages of one report are shown: its HTTP cache is theirs alone. Downloads are denied, and
 * permissions are never granted.
 *
 * Service workers are not registered: a first visitor's page is not controlled by one while it loads, and a worker
 * outlives its page, fetching and storing while the next page is already being checked.
 */
export async function guardedContext(chromium: RunningChromium, viewport: Viewport): Promise<BrowserContext> {
  // Not the browser's own, which differs from machine to machine, and is not known where the API is served.
  const userAgent = chromium.userAgentFor(viewport.userAgent ?? defaultUserAgent());
  const context = await chromium.browser.newContext({
    viewport: { width: viewport.width, height: viewport.height },
    ...(viewport.screen && { screen: viewport.screen }),
    deviceScaleFactor: viewport.deviceScaleFactor,
    isMobile: viewport.isMobile,
    hasTouch: viewport.hasTouch,
    userAgent,
    acceptDownloads: false,
    serviceWorkers: 'block',
  });
  // A dialog stops the page's script until it is answered.
  context.on('dialog', (dialog) => void dialog.dismiss().catch(() => undefined));
  return context;
}
