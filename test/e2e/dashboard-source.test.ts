import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import { WITHOUT_BROWSER } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** The source of a page of 2 MB with 5,000 occurrences: only what is on the screen is drawn. */

const OCCURRENCES = 5_000;
const HEAD = '<!DOCTYPE html>\n<html lang="en">\n<head><title>Large</title></head>\n<body>\n<h1>Large</h1>\n';
/** A source of almost 2,000,000 characters, as many as are shown. */
const BODY = Array.from(
  { length: OCCURRENCES },
  (_, index) => `<p nonsense>Paragraph ${index + 1}. ${'All of it is text. '.repeat(19)}</p>\n`,
).join('');
const LINE_OF_FIRST = HEAD.split('\n').length;
/** A screen has room for some 30 lines. */
const DRAWN_MAX = 80;

let site: TestSite;
let dashboard: Dashboard;
let path: string;

before(async () => {
  site = await startTestSite({ '/': `${HEAD}${BODY}</body>\n</html>\n` });
  dashboard = await startDashboard({}, WITHOUT_BROWSER);
  const { ask, finished } = dashboard.service;
  const { data } = await ask('/reports', 'POST', { starting_url: `${site.origin}/`, max_pages: 1 });
  const report = await finished(data.id);
  assert.equal(report.attributes.checks.html.issues.errors, OCCURRENCES);
  const [page] = (await ask(`/reports/${data.id}/web_pages`)).data;
  path = `/reports/${data.id}/pages/${page.id}`;
});
after(async () => {
  await dashboard?.close();
  await site?.stop();
});

const linesIn = (page: Page) => page.locator('li[aria-setsize]');

/** Waits for a line to be drawn and visible, and returns its text. */
async function lineText(page: Page, line: number): Promise<string> {
  const item = page.locator(`li[aria-posinset="${line}"]`).first();
  await item.waitFor();
  assert.ok((await linesIn(page).count()) <= DRAWN_MAX, 'only what is on the screen is drawn');
  return (await item.textContent()) ?? '';
}

/** Opens the page and waits for its source. */
async function openPage(search = ''): Promise<Page> {
  const page = await dashboard.open(path + search);
  await dashboard.settled(page);
  await linesIn(page).first().waitFor();
  return page;
}

describe('the source of a large page', () => {
  test('draws only what is on the screen, and says how much there is', async () => {
    const page = await openPage();
    assert.match(await lineText(page, 1), /<!DOCTYPE html>/);
    assert.equal(await linesIn(page).first().getAttribute('aria-setsize'), String(LINE_OF_FIRST + OCCURRENCES + 2));
    assert.match(
      await lineText(page, LINE_OF_FIRST),
      /line 6, error 1 of 5000: Attribute “nonsense” not allowed on element “p” at this point: <p nonsense>Paragraph 1\./,
    );
    assert.deepEqual(await dashboard.axe(page), []);
    assert.deepEqual(await dashboard.validate(page), []);
    assert.deepEqual(dashboard.takeFaults(), []);
    await dashboard.leave(page);
  });

  test('goes from its issues to its source and back by F6', async () => {
    const page = await openPage();
    const paneWithFocus = 'document.activeElement.getAttribute("aria-label") ?? "source"';
    for (const pane of ['Issues', 'source', 'Issues']) {
      await page.keyboard.press('F6');
      assert.equal(await page.evaluate(paneWithFocus), pane);
    }
    await page.keyboard.press('Shift+F6');
    assert.equal(await page.evaluate(paneWithFocus), 'source');
    await dashboard.leave(page);
  });

  test('goes from occurrence to occurrence by keys, and keeps the occurrence in its URL', async () => {
    const page = await openPage();
    await page
      .getByRole('button', { name: /Attribute “nonsense”/ })
      .first()
      .click();
    await page.keyboard.press('n');
    await page.waitForURL(/occurrence=2$/);
    assert.match(await lineText(page, LINE_OF_FIRST + 1), /error 2 of 5000/);
    await page.keyboard.press('p');
    await page.waitForURL(/issue=html-\d+$/);
    await page.goBack();
    await page.waitForURL(/occurrence=2$/);
    assert.deepEqual(dashboard.takeFaults(), []);
    await dashboard.leave(page);
  });

  test('opens at the last occurrence, and marks exactly what the validator highlights', async () => {
    const first = await openPage();
    await first
      .getByRole('button', { name: /Attribute “nonsense”/ })
      .first()
      .click();
    await first.waitForURL(/issue=/);
    const page = await openPage(`${new URL(first.url()).search}&occurrence=${OCCURRENCES}`);
    assert.match(await lineText(page, LINE_OF_FIRST + OCCURRENCES - 1), /error 5000 of 5000: .*Paragraph 5000\./);
    const mark = page.locator(`li[aria-posinset="${LINE_OF_FIRST + OCCURRENCES - 1}"] mark`);
    assert.equal(await mark.textContent(), '<p nonsense>');
    assert.ok(await mark.isVisible());
    assert.ok(await page.getByText(`occurrence ${OCCURRENCES.toLocaleString('en')} of`).isVisible());
    assert.deepEqual(dashboard.takeFaults(), []);
    await Promise.all([dashboard.leave(first), dashboard.leave(page)]);
  });

  test('finds text in lines that are not drawn', async () => {
    const page = await openPage();
    await page.getByLabel('Find in source').fill('paragraph 4321.');
    assert.match(await lineText(page, LINE_OF_FIRST + 4_320), /Paragraph 4321\./);
    await page.getByText('1 of 1', { exact: true }).waitFor();
    await page.getByLabel('Find in source').fill('Paragraph 123');
    await page.getByText('1 of 11', { exact: true }).waitFor();
    await page.getByLabel('Find in source').press('Shift+Enter');
    assert.match(await lineText(page, LINE_OF_FIRST + 1_238), /Paragraph 1239\./);
    await page.getByLabel('Wrap').click();
    assert.match(await lineText(page, LINE_OF_FIRST + 1_238), /Paragraph 1239\./);
    assert.deepEqual(dashboard.takeFaults(), []);
    await dashboard.leave(page);
  });

  test('fits a phone, with the issues in a separate view', async () => {
    const page = await dashboard.open(path, { width: 360, scheme: 'dark' });
    await dashboard.settled(page);
    await page
      .getByRole('button', { name: /Attribute “nonsense”/ })
      .first()
      .click();
    assert.match(await lineText(page, LINE_OF_FIRST), /error 1 of 5000/);
    await page.getByRole('button', { name: 'Next occurrence' }).click();
    assert.match(await lineText(page, LINE_OF_FIRST + 1), /error 2 of 5000/);
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    assert.ok(Number(await page.evaluate(overflow)) <= 0, 'nothing scrolls sideways');
    assert.deepEqual(await dashboard.axe(page), []);
    assert.deepEqual(await dashboard.validate(page), []);
    await dashboard.leave(page);
  });
});
