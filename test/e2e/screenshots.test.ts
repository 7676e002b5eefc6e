import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { rowCounts } from '../helpers/row-counts.ts';
import { type Item, startTestApp, type TestApp } from '../helpers/start-app.ts';
import { siteWith } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

const page = (colour: string, ...links: readonly string[]): string =>
  `<!DOCTYPE html><html lang=en><title>x</title><body style="background:${colour}"><img src=x>${links.map((href) => `<a href="${href}"></a>`).join('')}`;

describe('reports with store_screenshots', () => {
  let running: TestApp;
  before(async () => {
    running = await startTestApp();
  });
  after(() => running?.close());

  const report = async (origin: string, attributes: object = {}): Promise<Item> => {
    const settings = {
      starting_url: `${origin}/`,
      rate_limit: 100,
      perform_html_checks: false,
      perform_a11y_checks: true,
    };
    const all = { ...settings, store_screenshots: true, ...attributes };
    return running.finished((await running.ask('/reports', 'POST', all)).data.id);
  };
  const pagesOf = async ({ id }: Item): Promise<Item[]> => running.all(`/reports/${id}/web_pages`);
  const screenshotOf = async (item: Item) =>
    (await running.ask(item.relationships.screenshot.links.related)).data.attributes;
  const imagesStored = async (): Promise<number> => (await rowCounts(running.app.db))['screenshot_images'] ?? 0;

  test('have an image of each page, once for equal pages, until the last of them is deleted', async (t) => {
    const site = await siteWith(t, {
      '/': page('white', '/a', '/b', '/missing'),
      '/a': page('teal'),
      '/b': page('teal'),
    });
    const first = await report(site.origin);
    const [home, one, two, missing] = await pagesOf(first);
    assert.ok(home && one && two && missing);
    assert.ok(!('screenshot' in missing.relationships));
    const { image_url: homeUrl, ...facts } = await screenshotOf(home);
    assert.deepEqual([facts.width, facts.height, facts.scale, facts.clipped], [320, 240, 0.4, false]);
    for (const item of [home, one, two]) {
      const response = await fetch((await screenshotOf(item)).image_url);
      assert.equal(response.headers.get('content-type'), 'image/webp');
      const image = Buffer.from(await response.arrayBuffer());
      assert.equal(image.toString('latin1', 8, 12), 'WEBP');
    }
    assert.equal(await imagesStored(), 2);

    const second = await report(site.origin, { max_pages: 2 });
    assert.equal(await imagesStored(), 2, 'an unchanged site adds no images');
    await running.ask(`/reports/${second.id}/web_pages/${(await pagesOf(second))[0]?.id}`, 'DELETE');
    await running.ask(`/reports/${first.id}`, 'DELETE');
    assert.equal((await fetch(homeUrl)).status, 404);
    await until(async () => (await imagesStored()) === 1);
    await running.ask(`/reports/${second.id}`, 'DELETE');
    await until(async () => (await imagesStored()) === 0);
  });

  test('have the image of the last check: a re-check replaces it, and a failed re-check removes it', async (t) => {
    let answer: string | null = page('white');
    const site = await siteWith(t, {
      '/': (_request, response) => {
        response.statusCode = answer === null ? 500 : 200;
        response.setHeader('content-type', 'text/html').end(answer ?? 'Broken');
      },
    });
    const { id } = await report(site.origin);
    const [home] = await pagesOf({ id } as Item);
    assert.ok(home);
    const path = `/reports/${id}/web_pages/${home.id}`;
    const recheck = async (): Promise<Item> => {
      await running.ask(path, 'PATCH', { status: 'pending' });
      await running.finished(id);
      return (await running.ask(path)).data;
    };
    const before = await screenshotOf(home);
    answer = page('teal');
    const changed = await screenshotOf(await recheck());
    assert.notEqual(changed.image_url, before.image_url);
    assert.equal((await fetch(before.image_url)).status, 404);
    assert.equal((await fetch(changed.image_url)).status, 200);
    assert.equal(await imagesStored(), 1);
    answer = null;
    assert.ok(!('screenshot' in (await recheck()).relationships));
    assert.equal(await imagesStored(), 0);
  });

  test('take none for other checks, and other reports take none', async (t) => {
    const site = await siteWith(t, { '/': page('white') });
    await report(site.origin, { store_screenshots: false });
    await report(site.origin, { perform_html_checks: true, perform_a11y_checks: false });
    assert.equal(await imagesStored(), 0);
  });
});
