import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { DevtoolsSession } from '../browser/devtools-session.ts';
import type { BrowserPage } from '../browser/page-slot.ts';
import { inTimeOr } from '../platform/in-time.ts';
import { shownLoadMs, shownPauseMs, shownTimeoutMs, shownWidthPixels } from './limits.ts';
import { showsSecret } from './shows-secret.ts';

/**
 * Takes a screenshot of a page after a step, in WebP.
 * @returns null if the page shows a secret, or the screenshot fails or takes too long
 */
export function showPage(page: BrowserPage, secrets: readonly string[]): Promise<Buffer | null> {
  return inTimeOr(show(page, secrets), shownTimeoutMs, null);
}

async function show({ page, cdp }: BrowserPage, secrets: readonly string[]): Promise<Buffer | null> {
  // The screenshot should show the effect of the step.
  await delay(shownPauseMs);
  await page.waitForLoadState('load', { timeout: shownLoadMs }).catch(() => undefined);
  if (await showsSecret(page, secrets)) return null;
  return capture(page, cdp);
}

async function capture(page: Page, cdp: DevtoolsSession): Promise<Buffer> {
  const { width, height } = page.viewportSize() ?? { width: 800, height: 600 };
  const scale = Math.min(1, shownWidthPixels / width);
  const clip = { x: 0, y: 0, width, height, scale };
  const { cssVisualViewport } = await cdp.send('Page.getLayoutMetrics');
  const [x, y] = [cssVisualViewport.pageX, cssVisualViewport.pageY];
  const { data } = await cdp.send('Page.captureScreenshot', { format: 'webp', quality: 60, clip: { ...clip, x, y } });
  return Buffer.from(data, 'base64');
}
