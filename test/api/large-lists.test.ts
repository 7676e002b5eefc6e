import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { keptIssues } from '../../src/checking/interpret-check.ts';
import { HTML } from '../../src/checks/html/description.ts';
import type { FoundIssue } from '../../src/domain/check.ts';
import { storableFailure } from '../../src/store/storable.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import { saying } from '../helpers/failures.ts';
import { occurrence } from '../helpers/sample-report.ts';
import { type SeedIssue, type SeedPage, seedReport } from '../helpers/seed.ts';

/** The worst text that a site can send: control characters take six bytes in JSON. */
const WORST = '\u0001'.repeat(20_000);
const LIST_MAX_BYTES = 2_000_000;

function found(message: string, howMany: number): FoundIssue {
  const occurrences = Array.from({ length: howMany }, (_, index) => occurrence(index + 1));
  const common = { subType: null, ruleId: null, helpUrl: null, impact: null, tags: ['css'], url: 'http://x/' };
  return { ...common, type: 'error', message, howMany: howMany, occurrences };
}

describe('lists of a hundred rows stay under 2 MB, regardless of what a site sends', () => {
  let api: TestApi;
  let report: string;
  let page: number;
  /** A common issue with a hundred occurrences of the longest markup. */
  let worst: number;
  before(async () => {
    api = await startApi();
    const kept = keptIssues(
      Array.from({ length: 100 }, (_, index) => found(`${index} ${WORST}`, 300)),
      HTML.texts,
      null,
    );
    const issues = kept.map(({ type, message, occurrences }): SeedIssue => {
      return { kind: { type, message }, occurrences: Array.isArray(occurrences) ? occurrences : [] };
    });
    // It comes last, after a hundred others.
    const markup = '\u0001'.repeat(4_096);
    const coordinates = { ...occurrence(1).coordinates, hilite_start: 0, hilite_length: markup.length };
    const numbers = Array.from({ length: 100 }, (_, index) => String(index).padStart(16, '0'));
    const occurrences = numbers.map(() => ({ extract: markup, coordinates }));
    issues.push({ kind: { type: 'error', message: 'Worst' }, occurrences, clusters: numbers });
    const failed = { status: 'failed', error: storableFailure(saying(WORST)) } as const;
    const url = (index: number): string => `https://example.com/${index}/${'x'.repeat(2_000)}`;
    const pages = Array.from({ length: 100 }, (_, index): SeedPage => {
      const html = index === 0 ? ({ status: 'checked', issues } as const) : failed;
      return { url: url(index), linkedFrom: url(0), title: '\u0001'.repeat(500), checks: { html, a11y: failed } };
    });
    const seeded = await seedReport(api.db, { account_id: api.people.ownerId }, ['html', 'a11y'], pages);
    report = `/api/v1/reports/${seeded.reportId}`;
    page = seeded.pageIds.get(url(0)) ?? 0;
    worst = seeded.commonIds.get('Worst') ?? 0;
    await api.db
      .updateTable('web_pages')
      .set({ content_type: 'x/'.repeat(30_000) })
      .execute();
  });
  after(() => api?.close());

  test('common issues, and web pages', async () => {
    for (const path of ['common_html_issues', 'web_pages']) {
      const { document, text } = await api.get(`${report}/${path}?page[size]=100`);
      assert.equal(document.data.length, 100);
      assert.ok(Buffer.byteLength(text) < LIST_MAX_BYTES, `${path}: ${text.length}`);
    }
  });

  test('occurrences and clusters', async () => {
    for (const path of ['occurrences', 'clusters']) {
      const { document, text } = await api.get(`${report}/common_html_issues/${worst}/${path}?page[size]=100`);
      assert.equal(document.data.length, 100);
      assert.ok(Buffer.byteLength(text) < LIST_MAX_BYTES, `${path}: ${text.length}`);
    }
  });

  test('issues of a page have their first occurrences in lists, and all of them on their own', async () => {
    const { document, text } = await api.get(`${report}/web_pages/${page}/html_issues?page[size]=100`);
    assert.ok(Buffer.byteLength(text) < LIST_MAX_BYTES, String(text.length));
    assert.equal(document.data.length, 100);
    for (const { attributes, links } of document.data) {
      const { html, how_many, omitted } = attributes;
      assert.equal(how_many, 300);
      assert.equal(html.length + omitted, 300);
      assert.ok(html.length > 0 && omitted > 0);
      const whole = (await api.get(links.self)).document.data.attributes;
      assert.deepEqual([whole.html.length, whole.omitted], [300, 0]);
      assert.deepEqual(whole.html.slice(0, html.length), html);
    }
    const few = await api.get(`${report}/web_pages/${page}/html_issues?page[size]=5`);
    assert.ok(few.document.data.every((issue: { attributes: { omitted: number } }) => issue.attributes.omitted === 0));
  });
});

test('long messages keep start and end, equal ones become one, and short ones stay unchanged', () => {
  const [long, short] = [`Saw “${'“'.repeat(120_000)}” when expecting a name.`, `Bad value “${'é'.repeat(4_000)}”.`];
  const [kept, other, ...more] = keptIssues(
    [found(long, 2), found(short, 1), found(`${long.slice(0, 60_000)}x${long.slice(60_001)}`, 1)],
    HTML.texts,
    null,
  );
  assert.deepEqual(more, []);
  assert.equal(kept?.message.length, 4_096);
  assert.match(kept?.message ?? '', /^Saw ““+…““*” when expecting a name\.$/);
  assert.equal(other?.message, short);
  assert.equal(kept?.howMany, 3);
});
