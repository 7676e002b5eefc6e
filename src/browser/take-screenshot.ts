import type { Viewport } from '../domain/check.ts';
import type { CheckNote } from '../domain/check-note.ts';
import type { Screenshot, Thumbnail } from '../domain/screenshot.ts';
import { systemClock } from '../platform/clock.ts';
import { messageOf } from '../platform/errors.ts';
import { inTime } from '../platform/in-time.ts';
import type { BrowserPage } from './page-slot.ts';

/** Limits of the screenshot of a page. Its size is a compromise between detail and cost (decision 0052). */
interface ScreenshotLimits {
  /** How long it may take, in milliseconds. The page has been checked by then, so only its screenshot is lost. */
  readonly timeoutMs: number;
  /** Width of the viewport in the screenshot, in pixels. The scale follows from it and is never above 1. */
  readonly viewportWidthPixels: number;
  /** Maximum width of a screenshot of a page that is wider than the viewport, in widths of the viewport. */
  readonly viewportWidthsMax: number;
  /** Maximum height of the page that a screenshot shows, in CSS pixels. WebP allows at most 16,383 pixels. */
  readonly pageHeightMaxPixels: number;
  /** Maximum bytes of a screenshot. Real pages take 5 to 100 kB; noise of the maximum size would take several megabytes. */
  readonly maxBytes: number;
  /** Quality of WebP, from 0 to 100. */
  readonly quality: number;
}

export const SCREENSHOT_LIMITS: ScreenshotLimits = {
  timeoutMs: 10_000,
  viewportWidthPixels: 320,
  viewportWidthsMax: 2,
  pageHeightMaxPixels: 16_383,
  maxBytes: 1_024 * 1_024,
  quality: 75,
};

/** Limits of the thumbnail of a page, which is shown at half the size on screens of twice the density. */
const THUMBNAIL_LIMITS = {
  timeoutMs: 5_000,
  /** `widthPixels` and `heightPixels`: what it shows has the same proportions on all devices. */
  widthPixels: 320,
  heightPixels: 200,
  /** Real pages take 2 to 12 kB; noise takes 45 kB. */
  maxBytes: 65_536,
  quality: 70,
} as const;

/** A screenshot, or a note with the reason why there is none. */
export type ScreenshotAttempt = { readonly screenshot: Screenshot } | { readonly note: CheckNote };

/** Characters of the browser's reason in a note. */
const reasonMaxCharacters = 200;

/**
 * Takes a screenshot of a whole page in its present state, which the page does not notice.
 * @param options.closesPage whether the page is closed if the screenshot fails or takes too long, so that nothing left over
 *   affects the next page. If so, the screenshot must be the last use of the page. Default: true
 */
export async function takeScreenshot(
  { page, cdp }: BrowserPage,
  viewport: Viewport,
  {
    closesPage = true,
    limits = SCREENSHOT_LIMITS,
  }: { readonly closesPage?: boolean; readonly limits?: ScreenshotLimits } = {},
): Promise<ScreenshotAttempt> {
  const fail = (): void => {
    if (closesPage) void page.close().catch(() => undefined);
  };
  try {
    const attempt = await inTime(capturePage({ page, cdp }, viewport, limits), limits.timeoutMs, () => null);
    if (attempt !== null) return attempt;
    fail();
    return { note: { code: 'screenshot_late', params: { seconds: limits.timeoutMs / 1_000 } } };
  } catch (error) {
    fail();
    return { note: { code: 'screenshot_failed', params: { text: messageOf(error).slice(0, reasonMaxCharacters) } } };
  }
}

/**
 * Takes a thumbnail of a page in its present state, under the same conditions as a screenshot.
 * @returns null if it failed, which does not affect the results of the page
 */
export async function takeThumbnail({ page, cdp }: BrowserPage, viewport: Viewport): Promise<Thumbnail | null> {
  const { timeoutMs, widthPixels, heightPixels, maxBytes, quality } = THUMBNAIL_LIMITS;
  const scale = Math.min(1, widthPixels / viewport.width);
  const shown = { width: viewport.width, height: Math.round((viewport.width * heightPixels) / widthPixels) };
  const taking = capture(cdp, viewport, { ...shown, scale }, quality);
  const image = await inTime(taking, timeoutMs, () => null).catch(() => null);
  if (image === null) void page.close().catch(() => undefined);
  if (image === null || image.byteLength > maxBytes) return null;
  return { image, ...webpSize(image), takenAt: systemClock() };
}

async function capturePage(
  { cdp }: BrowserPage,
  viewport: Viewport,
  limits: ScreenshotLimits,
): Promise<ScreenshotAttempt> {
  const { cssContentSize } = await cdp.send('Page.getLayoutMetrics');
  const { clipped, scale, ...shown } = partToShow(cssContentSize, viewport, limits);
  const image = await capture(cdp, viewport, { ...shown, scale }, limits.quality);
  if (image.byteLength > limits.maxBytes) {
    return { note: { code: 'screenshot_too_large', params: { kilobytes: Math.round(limits.maxBytes / 1_000) } } };
  }
  return { screenshot: { image, ...webpSize(image), scale, clipped, takenAt: systemClock() } };
}

/** Returns an image of the part of a page that begins in its upper left corner. @param part its size in CSS pixels */
async function capture(
  cdp: BrowserPage['cdp'],
  viewport: Viewport,
  { scale, ...part }: Omit<ShownPart, 'clipped'>,
  quality: number,
): Promise<Buffer> {
  const { data } = await cdp.send('Page.captureScreenshot', {
    format: 'webp',
    quality,
    // `mainFrameClipsContent=false` (`chromium-flags.ts`) paints content beyond the viewport. `captureBeyondViewport` would apply
    // all style sheets and fonts of the page again and lay it out twice (decision 0052).
    captureBeyondViewport: false,
    // The browser multiplies the scale by the density of the display.
    clip: { x: 0, y: 0, ...part, scale: scale / viewport.deviceScaleFactor },
  });
  // Painting decodes all images of the page, even beyond the viewport. The browser would keep up to 512 MB of them, and the pool
  // would hold fewer pages because of that.
  void cdp.send('Memory.simulatePressureNotification', { level: 'critical' }).catch(() => undefined);
  return Buffer.from(data, 'base64');
}

/** The part of a page that a screenshot shows, from its upper left corner, in CSS pixels; and how. */
type ShownPart = Readonly<{ width: number; height: number }> & Pick<Screenshot, 'scale' | 'clipped'>;

/** Bounds the size of a screenshot by the part of the page that it shows, so that all pages of a device have the same scale. */
function partToShow(
  page: Readonly<{ width: number; height: number }>,
  viewport: Pick<Viewport, 'width'>,
  { viewportWidthPixels, viewportWidthsMax, pageHeightMaxPixels }: ScreenshotLimits,
): ShownPart {
  const width = Math.min(Math.max(page.width, 1), viewportWidthsMax * viewport.width);
  const height = Math.min(Math.max(page.height, 1), pageHeightMaxPixels);
  const clipped = width < page.width || height < page.height;
  return { width, height, scale: Math.min(1, viewportWidthPixels / viewport.width), clipped };
}

/** Offset of the first chunk's name in a WebP file, after `RIFF`, a length and `WEBP`. */
const CHUNK_OFFSET = 12;

/**
 * Reads the size of a WebP image from its header, in pixels.
 * @throws Error if it is not WebP
 */
function webpSize(image: Buffer): { readonly width: number; readonly height: number } {
  const chunk = image.toString('latin1', CHUNK_OFFSET, CHUNK_OFFSET + 4);
  // The formats are defined in RFC 9649, section 2.
  if (chunk === 'VP8 ') return { width: image.readUInt16LE(26) & 0x3fff, height: image.readUInt16LE(28) & 0x3fff };
  if (chunk === 'VP8L') {
    const bits = image.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (chunk === 'VP8X') return { width: image.readUIntLE(24, 3) + 1, height: image.readUIntLE(27, 3) + 1 };
  throw new Error('The browser returned an image that is not WebP.');
}
