import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { groupMembers } from '../../src/browser/chromium-process.ts';
import { viewportOf } from '../../src/browser/devices.ts';
import type { BrowserPage } from '../../src/browser/page-slot.ts';
import { SCREENSHOT_LIMITS, takeScreenshot } from '../../src/browser/take-screenshot.ts';
import { createA11yEngine } from '../../src/checks/a11y/engine.ts';
import type { AxeRaw } from '../../src/checks/a11y/interpret-axe.ts';
import type { FetchedDocument, Viewport } from '../../src/domain/check.ts';
import { DEFAULT_VIEWPORT } from '../../src/domain/check.ts';
import type { Screenshot } from '../../src/domain/screenshot.ts';
import { recordChildren, testPool } from '../helpers/browser.ts';
import { IPHONE_15 } from '../helpers/devices.ts';
import { bytesOf, readProcessFile } from '../helpers/memory.ts';
import { PATIENT_PAGES, patienceMs } from '../helpers/patience.ts';
import { decodePicture } from '../helpers/picture.ts';
import { siteWith } from '../helpers/test-site.ts';

const children = recordChildren();
const pool = testPool({ children });
const engine = createA11yEngine({ pool, limits: PATIENT_PAGES });
const { signal } = new AbortController();

type Colour = readonly [red: number, green: number, blue: number];
const RED: Colour = [255, 0, 0];
const GREEN: Colour = [0, 160, 0];
const BLUE: Colour = [0, 0, 255];
const WHITE: Colour = [255, 255, 255];

/** A block at a position in the document, in CSS pixels. */
interface Block {
  readonly box: readonly [x: number, y: number, width: number, height: number];
  readonly colour: Colour;
}

function documentOf(body: string): FetchedDocument {
  const text = `<!DOCTYPE html><html lang=en><meta name=viewport content="width=device-width"><title>Blocks</title>${body}`;
  const url = 'http://blocks.test/';
  return { url, httpStatus: 200, contentType: 'text/html; charset=utf-8', headers: [], body: Buffer.from(text) };
}

function blocksIn(blocks: readonly Block[], more = ''): FetchedDocument {
  const parts = blocks.map(({ box: [x, y, width, height], colour }) => {
    const style = `left:${x}px;top:${y}px;width:${width}px;height:${height}px`;
    return `<div style="position:absolute;${style};background:rgb(${colour})"></div>`;
  });
  return documentOf(`<body style="margin:0">${parts.join('')}${more}`);
}

/** Checks a document, and returns its screenshot and the notes. */
async function check(
  document: FetchedDocument,
  viewport: Viewport = DEFAULT_VIEWPORT,
): Promise<{ readonly screenshot: Screenshot | null; readonly raw: AxeRaw }> {
  const taken: Screenshot[] = [];
  const keepScreenshot = (screenshot: Screenshot): void => void taken.push(screenshot);
  const answer = await engine.collect({ document, viewport, cacheGroup: 'a', keepScreenshot }, signal);
  return { screenshot: taken.at(-1) ?? null, raw: JSON.parse(Buffer.from(answer).toString('utf8')) };
}

async function screenshotOf(document: FetchedDocument, viewport?: Viewport): Promise<Screenshot> {
  const { screenshot, raw } = await check(document, viewport);
  assert.ok(screenshot, JSON.stringify(raw.notes));
  return screenshot;
}

/** Asserts that each block has its color in the image within its box, and not outside it. */
async function assertBlocks(screenshot: Screenshot, blocks: readonly Block[]): Promise<void> {
  const { scale } = screenshot;
  const picture = await decodePicture(pool, screenshot.image);
  assert.deepEqual([picture.width, picture.height], [screenshot.width, screenshot.height], 'the size in the header');
  // Edges are blurred by scaling and by WebP, which stores colors for blocks of 2 by 2 pixels.
  const edge = 4 / scale;
  for (const { box, colour } of blocks) {
    const [x, y, width, height] = box;
    const within = [
      [x + edge, y + edge],
      [x + width - edge, y + edge],
      [x + edge, y + height - edge],
      [x + width - edge, y + height - edge],
    ];
    const outside = [
      [x - edge, y + height / 2],
      [x + width + edge, y + height / 2],
      [x + width / 2, y - edge],
      [x + width / 2, y + height + edge],
    ];
    const seen = (points: readonly (readonly number[])[]) =>
      points
        .map(([left = 0, top = 0]) => [left * scale, top * scale] as const)
        .filter(([left, top]) => left < picture.width && top < picture.height)
        .map(([left, top]) => picture.colour(left, top));
    for (const found of seen(within)) assert.ok(isLike(found, colour), `${found} in ${box} instead of ${colour}`);
    for (const found of seen(outside)) assert.ok(isLike(found, WHITE), `${found} next to ${box}`);
  }
}

function isLike(found: Colour, colour: Colour): boolean {
  return found.every((value, index) => Math.abs(value - (colour[index] ?? 0)) < 40);
}

/** Returns the megabytes of shared memory in the pages of this browser, in segments of the size of a large image. */
function decodedImageMegabytes(): number {
  const pages = children.started.flatMap(groupMembers).filter(({ isRenderer }) => isRenderer);
  const mappings = pages.flatMap(({ pid }) => readProcessFile(pid, 'smaps').split(/\n(?=[0-9a-f]+-[0-9a-f]+ )/));
  const large = mappings.filter((mapping) => /org\.chromium/.test(mapping) && bytesOf(mapping, 'Size') > 2_000_000);
  return large.reduce((sum, mapping) => sum + bytesOf(mapping, 'Rss'), 0) / 1_000_000;
}

/** Opens an empty page of the pool. */
function withPage<T>(use: (page: BrowserPage) => Promise<T>): Promise<T> {
  const request = { purpose: 'check', viewport: DEFAULT_VIEWPORT, cacheGroup: 'b', timeLimitMs: patienceMs } as const;
  return pool.withPage({ ...request, signal }, use);
}

/** Writes a document into an empty page. */
function writeInto(page: BrowserPage['page'], { body }: FetchedDocument): Promise<unknown> {
  return page.evaluate(`document.write(${JSON.stringify(Buffer.from(body).toString())})`);
}

const BLOCKS: readonly Block[] = [
  { box: [40, 60, 200, 100], colour: RED },
  { box: [520, 900, 240, 160], colour: GREEN },
  { box: [100, 2_400, 300, 60], colour: BLUE },
];
const NARROW_BLOCKS: readonly Block[] = [
  { box: [40, 60, 200, 100], colour: RED },
  { box: [140, 1_900, 160, 160], colour: GREEN },
];

describe('the screenshot of a page', () => {
  before(() => engine.start());
  after(() => engine.stop());

  test('shows all of the page as it was checked, from the top and in its layout, at the scale that it states', async () => {
    // Another element is as high as the viewport.
    const tall: Block = { box: [560, 1_300, 150, DEFAULT_VIEWPORT.height], colour: RED };
    const blocks = [...BLOCKS, tall];
    const images = blocks.map((block) => {
      const [x, y, width, height] = block.box;
      const size = `width:${width}px;height:${block === tall ? '100vh' : `${height}px`}`;
      return `<div role=img style="position:absolute;left:${x}px;top:${y}px;${size};background:rgb(${block.colour})"></div>`;
    });
    const scripts = `<script>onload = () => scrollTo(0, 1500); onresize = () => document.body.replaceChildren()</script>`;
    const { screenshot, raw } = await check(documentOf(`<body style="margin:0">${images.join('')}${scripts}`));
    assert.ok(screenshot);
    const { width, height, scale, clipped } = screenshot;
    assert.deepEqual({ width, height, scale, clipped }, { width: 320, height: 984, scale: 0.4, clipped: false });
    await assertBlocks(screenshot, blocks);
    // The boxes of the elements that axe finds.
    const rule = raw.found.results.violations.findIndex(({ id }) => id === 'role-img-alt');
    assert.deepEqual(
      raw.found.positions.violations[rule]?.map(({ box }) => box),
      blocks.map(({ box }) => [...box]),
    );
  });

  test('does not lay the page out again', async () => {
    const attempt = await withPage(async (shown) => {
      const { page, cdp } = shown;
      const countLayouts = async () => {
        const { metrics } = await cdp.send('Performance.getMetrics');
        return metrics.find(({ name }) => name === 'LayoutCount')?.value;
      };
      await cdp.send('Performance.enable');
      await writeInto(page, blocksIn(BLOCKS));
      await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
      const before = await countLayouts();
      const taken = await takeScreenshot(shown, DEFAULT_VIEWPORT);
      assert.equal(await countLayouts(), before);
      return taken;
    });
    assert.ok('screenshot' in attempt);
    await assertBlocks(attempt.screenshot, BLOCKS);
  });

  test('shows all of a page that fits into the viewport', async () => {
    const blocks: readonly Block[] = [
      { box: [40, 60, 100, 80], colour: RED },
      { box: [240, 480, 100, 100], colour: GREEN },
    ];
    await assertBlocks(await screenshotOf(blocksIn(blocks)), blocks);
    await assertBlocks(await screenshotOf(blocksIn(blocks), viewportOf(IPHONE_15, false)), blocks);
  });

  test('does not make content beyond the viewport visible to the page', async () => {
    const seen = await withPage(async ({ page }) => {
      await writeInto(page, blocksIn(BLOCKS));
      return page.evaluate(`new Promise((answer) => {
        const observer = new IntersectionObserver((entries) => answer({
          intersecting: entries.map(({ isIntersecting }) => isIntersecting),
          root: entries[0].rootBounds.height,
          viewport: innerHeight,
          element: document.elementFromPoint(150, 2420),
          scrollable: (scrollTo(0, 1000), scrollY),
        }));
        for (const block of document.querySelectorAll('div')) observer.observe(block);
      })`);
    });
    const { height } = DEFAULT_VIEWPORT;
    const expected = {
      intersecting: [true, false, false],
      root: height,
      viewport: height,
      element: null,
      scrollable: 1_000,
    };
    assert.deepEqual(seen, expected);
  });

  test('leaves no decoded images in memory', { skip: process.platform !== 'linux' }, async () => {
    const before = decodedImageMegabytes();
    // 10 different images of 4 MB each, all but the first few beyond the viewport.
    const images = await screenshotOf(
      documentOf(`<body><script>
        for (let number = 0; number < 10; number += 1) {
          const canvas = Object.assign(document.createElement('canvas'), { width: 1000, height: 1000 });
          canvas.getContext('2d').fillStyle = 'rgb(' + number * 16 + ',0,0)';
          canvas.getContext('2d').fillRect(0, 0, 1000, 1000);
          document.body.append(Object.assign(new Image(), { src: canvas.toDataURL(), width: 400, alt: 'Image' }));
        }
      </script>`),
    );
    assert.ok(images.height > 1_000);
    await screenshotOf(blocksIn(BLOCKS));
    const left = decodedImageMegabytes() - before;
    assert.ok(left < 15, `${left} MB`);
  });

  test('has the scale of a device, independent of the density of its display', async () => {
    const phone = viewportOf(IPHONE_15, false);
    assert.ok(phone);
    // What no device of another density and size shows.
    const elsewhere = '@media not ((min-resolution: 2dppx) and (device-width: 393px)) { div { display: none } }';
    const screenshot = await screenshotOf(blocksIn(NARROW_BLOCKS, `<style>${elsewhere}</style>`), phone);
    assert.deepEqual([screenshot.width, screenshot.scale], [320, 320 / phone.width]);
    await assertBlocks(screenshot, NARROW_BLOCKS);
    const desktop = { ...DEFAULT_VIEWPORT, width: 1_600, height: 900, deviceScaleFactor: 2 };
    const wide = await screenshotOf(blocksIn(BLOCKS), desktop);
    assert.deepEqual([wide.width, wide.scale], [320, 0.2]);
    await assertBlocks(wide, BLOCKS);
  });

  test('keeps what the page has loaded for the next one', async (t) => {
    const headers = { 'content-type': 'text/css', 'cache-control': 'max-age=600' };
    const site = await siteWith(t, {
      '/': '<!DOCTYPE html><title>Style</title><link rel="stylesheet" href="style.css">',
      '/style.css': { headers, body: 'p { color: red }' },
    });
    const fromMemory = await withPage(async ({ page, cdp }) => {
      let count = 0;
      await cdp.send('Network.enable');
      cdp.on('Network.requestServedFromCache', () => {
        count += 1;
      });
      await page.goto(site.origin);
      assert.ok('screenshot' in (await takeScreenshot({ page, cdp }, DEFAULT_VIEWPORT)));
      await page.goto('about:blank');
      await page.goto(site.origin);
      return count;
    });
    assert.equal(fromMemory, 1);
  });

  test('of a page that is too long or too wide shows its beginning, and says so', async () => {
    const corner: Block = { box: [1_700, 40_000, 100, 100], colour: BLUE };
    const screenshot = await screenshotOf(blocksIn([...BLOCKS, corner]));
    const { width, height, scale, clipped } = screenshot;
    assert.deepEqual({ scale, clipped, width }, { scale: 0.4, clipped: true, width: 640 });
    assert.equal(height, Math.round(SCREENSHOT_LIMITS.pageHeightMaxPixels * scale));
    await assertBlocks(screenshot, BLOCKS);
  });

  test('is the same each time, and does not change what the next page is like', async () => {
    const page = documentOf(
      '<body><p id=size></p><script>size.textContent = [innerWidth, innerHeight, devicePixelRatio]</script><img src=x>',
    );
    const plain = async () => {
      const answer = await engine.collect({ document: page, viewport: DEFAULT_VIEWPORT, cacheGroup: 'a' }, signal);
      return Buffer.from(answer).toString('utf8');
    };
    const [before, one] = [await plain(), await screenshotOf(blocksIn(BLOCKS))];
    const [after, two] = [await plain(), await screenshotOf(blocksIn(BLOCKS))];
    assert.equal(after, before);
    assert.deepEqual(Buffer.from(one.image), Buffer.from(two.image));
  });

  test('that is too large is omitted with a note, and the result kept', async () => {
    const noise = documentOf(`<body style="margin:0">
    <canvas width=400 height=6000 style="display:block;width:800px;image-rendering:pixelated"></canvas><script>
      const context = document.querySelector('canvas').getContext('2d');
      const image = context.createImageData(400, 6000);
      let random = 1;
      for (let at = 0; at < image.data.length; at += 1) {
        random ^= random << 13;
        random ^= random >>> 17;
        random ^= random << 5;
        image.data[at] = at % 4 === 3 ? 255 : random;
      }
      context.putImageData(image, 0, 0);
    </script><img src=x>`);
    const { screenshot, raw } = await check(noise);
    assert.ok(screenshot === null);
    assert.deepEqual(
      raw.notes.map(({ code }) => code),
      ['screenshot_too_large'],
    );
    assert.ok(raw.found.results.violations.some(({ id }) => id === 'image-alt'));
  });

  test('that takes too long is given up with a note, and the page closed unless it is used further', async () => {
    const late = { note: { code: 'screenshot_late', params: { seconds: 0.001 } } };
    const takeLate = (page: BrowserPage, closesPage: boolean) => {
      // The response to this comes when the script has ended.
      void page.page.evaluate('for (const end = Date.now() + 1000; Date.now() < end; );').catch(() => undefined);
      return takeScreenshot(page, DEFAULT_VIEWPORT, { closesPage, limits: { ...SCREENSHOT_LIMITS, timeoutMs: 1 } });
    };
    await withPage(async (page) => {
      assert.deepEqual(await takeLate(page, false), late);
      assert.ok('screenshot' in (await takeScreenshot(page, DEFAULT_VIEWPORT)));
    });
    assert.deepEqual(await withPage((page) => takeLate(page, true)), late);
    await assertBlocks(await screenshotOf(blocksIn(BLOCKS)), BLOCKS);
  });
});
