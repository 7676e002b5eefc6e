/** Limits of the screenshot of a page. Its size is a compromise between what can be seen and what it costs (decision 0052). */
export interface ScreenshotLimits {
  /** How long it may take, in milliseconds. The page has been checked by then, and only its picture is lost. */
  readonly timeoutMs: number;
  /** Width of the viewport in the picture, in pixels. The scale follows from it and is never above 1. */
  readonly viewportWidthPixels: number;
  /** Widths of the viewport that a picture shows of a page that is wider. */
  readonly viewportWidthsMax: number;
  /** Height of the page that a picture shows, in CSS pixels. WebP allows no picture of more than 16,383 pixels. */
  readonly pageHeightMaxPixels: number;
  /** Bytes of a picture. Those of real pages have 5 to 100 kB; noise of the greatest size would have several megabytes. */
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
