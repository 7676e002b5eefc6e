import assert from 'node:assert/strict';
import { test } from 'node:test';
import { viewportOf } from '../../src/browser/devices.ts';
import { createA11yEngine } from '../../src/checks/a11y/engine.ts';
import { DEFAULT_VIEWPORT, type Viewport } from '../../src/domain/check.ts';
import type { Screenshot, Thumbnail } from '../../src/domain/screenshot.ts';
import { recordChildren, testPool } from '../helpers/browser.ts';
import { IPHONE_15 } from '../helpers/devices.ts';
import { PATIENT_PAGES } from '../helpers/patience.ts';
import { decodePicture } from '../helpers/picture.ts';

const pool = testPool({ children: recordChildren() });
const engine = createA11yEngine({ pool, limits: PATIENT_PAGES });
const { signal } = new AbortController();

/** A page with a red upper half of the part that thumbnails show, a blue lower half, and much below it. */
const BODY =
  '<style>body { margin: 0 } div { height: 31.25vw }</style>' +
  '<div style="background: red"></div><div style="background: blue"></div><p style="height: 9000px">More</p>';

/** Checks the page, and returns its thumbnail and its screenshot if one is taken. */
async function take(body: string, viewport: Viewport, withScreenshot = false) {
  const text = `<!DOCTYPE html><html lang=en><meta name=viewport content="width=device-width"><title>x</title>${body}`;
  const url = 'http://thumbnail.test/';
  const headers: [string, string][] = [];
  const document = { url, httpStatus: 200, contentType: 'text/html', headers, body: Buffer.from(text) };
  const [thumbnails, screenshots]: [Thumbnail[], Screenshot[]] = [[], []];
  const keepThumbnail = (taken: Thumbnail): void => void thumbnails.push(taken);
  const keepScreenshot = withScreenshot ? (taken: Screenshot): void => void screenshots.push(taken) : undefined;
  await engine.collect({ document, viewport, cacheGroup: 'a', keepThumbnail, keepScreenshot }, signal);
  return { thumbnail: thumbnails.at(-1), screenshot: screenshots.at(-1) };
}

test('a thumbnail shows the upper part of a page in one size, regardless of the device', async (t) => {
  await pool.start();
  t.after(() => pool.stop());
  const phone = viewportOf(IPHONE_15, false);
  assert.ok(phone);
  for (const viewport of [DEFAULT_VIEWPORT, phone]) {
    const { thumbnail } = await take(BODY, viewport);
    assert.ok(thumbnail);
    assert.deepEqual([thumbnail.width, thumbnail.height], [320, 200]);
    const picture = await decodePicture(pool, thumbnail.image);
    const [red, , blue] = picture.colour(160, 50);
    assert.ok(red > 200 && blue < 50, 'red above');
    const [redBelow, , blueBelow] = picture.colour(160, 150);
    assert.ok(redBelow < 50 && blueBelow > 200, 'blue below');
  }

  // The screenshot stays the same, and so does a page that is smaller than the thumbnail.
  const [alone, both] = [await take('<p>Short', DEFAULT_VIEWPORT), await take(BODY, DEFAULT_VIEWPORT, true)];
  assert.deepEqual([alone.thumbnail?.width, alone.thumbnail?.height], [320, 200]);
  assert.ok(both.thumbnail && both.screenshot);
  assert.equal(both.screenshot.width, 320);
  assert.ok(both.screenshot.height > 2_000);

  // Noise is the largest image there is.
  const noise = `<canvas width="1280" height="800"></canvas><script>
    const context = document.querySelector('canvas').getContext('2d');
    let seed = 7;
    for (let y = 0; y < 800; y += 4) for (let x = 0; x < 1280; x += 4) {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      context.fillStyle = '#' + (seed & 0xffffff).toString(16).padStart(6, '0');
      context.fillRect(x, y, 4, 4);
    }</script>`;
  const { thumbnail: largest } = await take(noise, DEFAULT_VIEWPORT);
  t.diagnostic(`${alone.thumbnail?.image.byteLength} bytes of a short page, ${largest?.image.byteLength} of noise`);
  assert.ok(largest);
});
