import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { a11yEffect } from '../../src/checks/a11y/effects.ts';
import { a11yRemedy } from '../../src/checks/a11y/remedies.ts';
import { htmlEffect } from '../../src/checks/html/effects.ts';
import { HTML_TAGS } from '../../src/checks/html/interpret.ts';
import { htmlRemedy } from '../../src/checks/html/remedies.ts';
import { listCommonIssues } from '../../src/store/issues/common-issues.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import {
  A11Y_ISSUE_TYPES,
  ABOUT,
  element,
  HOME,
  HTML_ISSUE_TYPES,
  LOCATION_OF_A,
  occurrence,
  SITE,
  seedSample,
} from '../helpers/sample-report.ts';
import { type Seeded, type SeedPage, seedReport } from '../helpers/seed.ts';

/** The insights of a report before they have been computed. */
const NO_MARKS = { change: null };
const OF_OCCURRENCE = { ...NO_MARKS, recheck: null };
const NOT_COMPARED = {
  ...NO_MARKS,
  ...{ changed_occurrences: null, how_many_before: null, first_seen_at: null, outside_standard: false, verdict: null },
};

const FINGERPRINT = /^[0-9a-f]{32}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;

/** Returns attributes of an issue without the fingerprints of its occurrences, which must all differ. */
function withoutFingerprints(attributes: Record<string, unknown>, name: string) {
  const found = attributes[name] as readonly { readonly fingerprint: string }[];
  for (const { fingerprint } of found) assert.match(fingerprint, FINGERPRINT);
  assert.equal(new Set(found.map(({ fingerprint }) => fingerprint)).size, found.length);
  return { ...attributes, [name]: found.map(({ fingerprint: _, ...occurrence }) => occurrence) };
}

describe('issues', () => {
  let api: TestApi;
  let sample: Seeded;
  let report: string;

  before(async () => {
    api = await startApi();
    sample = await seedSample(api.db, { account_id: api.people.ownerId });
    report = `/api/v1/reports/${sample.reportId}`;
  });
  after(() => api?.close());

  const messages = async (path: string): Promise<string[]> =>
    (await api.walk(path)).map((item) => item.attributes.message ?? item.attributes.help);

  test('common HTML issues have their attributes; errors come first, then the most frequent', async () => {
    const items = await api.walk(`${report}/common_html_issues?page[size]=1`);
    for (const { attributes } of items) assert.match(attributes.fingerprint, FINGERPRINT);
    assert.deepEqual(
      items.map(({ type, attributes: { fingerprint: _, ...attributes } }) => [type, attributes]),
      [
        { ...wordsOf(HTML_ISSUE_TYPES.duplicateId), issue_sub_type: null, how_many: 3, num_web_pages: 2 },
        { ...wordsOf(HTML_ISSUE_TYPES.fatal), issue_sub_type: 'fatal', how_many: 1, num_web_pages: 1 },
        { ...wordsOf(HTML_ISSUE_TYPES.info), issue_sub_type: 'info', how_many: 3, num_web_pages: 1 },
      ].map((attributes) => ['common_html_issue', { report_id: sample.reportId, ...NOT_COMPARED, ...attributes }]),
    );
    const [first] = items;
    const self = `${api.origin}${report}/common_html_issues/${first?.id}`;
    const pages = `${api.origin}${report}/web_pages?filter%5Bcommon_html_issue_id%5D=${first?.id}`;
    assert.deepEqual(first?.links, { self });
    assert.deepEqual(first?.relationships, {
      web_pages: { links: { related: pages } },
      clusters: { links: { related: `${self}/clusters` } },
      occurrences: { links: { related: `${self}/occurrences` } },
    });
    assert.deepEqual((await api.get(self)).document, { data: first, jsonapi: { version: '1.0' } });
    assert.deepEqual(
      (await api.walk(pages)).map((page) => page.attributes.url),
      [HOME, ABOUT],
    );
  });

  function wordsOf(kind: { type: string; message: string; tags: readonly string[] }) {
    const { type: issue_type, message, tags } = kind;
    const { words: effect_on_visitors, hindrance } = htmlEffect(message, tags);
    return { issue_type, message, tags: [...tags], remedy: htmlRemedy(tags), effect_on_visitors, hindrance };
  }

  test('common accessibility issues have their attributes, worst first', async () => {
    const items = await api.walk(`${report}/common_a11y_issues?page[size]=1`);
    const expected = [
      { kind: A11Y_ISSUE_TYPES.imageAlt, impact_order: 4, how_many: 1 },
      { kind: A11Y_ISSUE_TYPES.contrast, impact_order: 3, how_many: 2 },
      { kind: A11Y_ISSUE_TYPES.region, impact_order: 2, how_many: 2 },
    ];
    for (const [index, item] of items.entries()) {
      const { inserted_at, updated_at, fingerprint, ...attributes } = item.attributes;
      assert.match(inserted_at, TIME);
      assert.match(updated_at, TIME);
      assert.match(fingerprint, FINGERPRINT);
      const { kind, ...numbers } = expected[index] ?? assert.fail();
      assert.deepEqual(attributes, {
        report_id: sample.reportId,
        issue_type: kind.type,
        rule_id: kind.ruleId,
        help: kind.message,
        help_url: kind.helpUrl,
        impact: kind.impact,
        tags: [...kind.tags],
        remedy: a11yRemedy(kind.ruleId),
        effect_on_visitors: a11yEffect(kind.ruleId, kind.type),
        hindrance: numbers.impact_order > 2 ? 'severe' : 'some',
        num_web_pages: 1,
        ...NOT_COMPARED,
        ...numbers,
      });
      assert.equal(item.type, 'common_a11y_issue');
      assert.deepEqual((await api.get(item.links.self)).document.data, item);
      assert.equal((await api.walk(item.relationships.web_pages.links.related)).length, 1);
    }
    assert.equal(items.length, 3);
  });

  test('HTML issues of a page have their attributes, in document order', async () => {
    const page = `${report}/web_pages/${sample.pageIds.get(HOME)}`;
    const items = await api.walk(`${page}/html_issues?page[size]=1`);
    assert.deepEqual(
      items.map((item) => item.attributes.message),
      [HTML_ISSUE_TYPES.info.message, HTML_ISSUE_TYPES.duplicateId.message, HTML_ISSUE_TYPES.fatal.message],
    );
    const [first] = items;
    const { inserted_at, updated_at, fingerprint, ...attributes } = first?.attributes ?? {};
    assert.match(inserted_at, TIME);
    assert.match(updated_at, TIME);
    assert.match(fingerprint, FINGERPRINT);
    assert.deepEqual(withoutFingerprints(attributes, 'html'), {
      issue_type: 'warning',
      issue_sub_type: 'info',
      message: HTML_ISSUE_TYPES.info.message,
      ...NO_MARKS,
      html: [occurrence(1), occurrence(2), occurrence(3)].map((found) => ({ ...found, ...OF_OCCURRENCE })),
      tags: ['Script'],
      remedy: null,
      effect_on_visitors: null,
      decision: null,
      hindrance: 'some',
      how_many: 3,
      omitted: 0,
    });
    assert.equal(first?.type, 'html_issue');
    const { common_issue: common, ...related } = first?.relationships ?? assert.fail();
    assert.deepEqual(related, {
      report: { links: { related: api.origin + report } },
      web_page: { links: { related: api.origin + page } },
    });
    const kind = (await api.get(common.links.related)).document.data;
    assert.deepEqual([kind.type, kind.attributes.message], ['common_html_issue', first?.attributes.message]);
    assert.deepEqual(first?.links, { self: `${api.origin}${page}/html_issues/${first?.id}` });
    assert.deepEqual((await api.get(first?.links.self)).document.data, first);
  });

  test('accessibility issues of a page have their attributes, and the URL of a frame', async () => {
    const page = `${report}/web_pages/${sample.pageIds.get(HOME)}`;
    const [contrast, imageAlt, ...rest] = await api.walk(`${page}/a11y_issues`);
    assert.deepEqual(rest, []);
    const { inserted_at, updated_at, fingerprint, ...attributes } = contrast?.attributes ?? {};
    assert.match(inserted_at, TIME);
    assert.match(updated_at, TIME);
    assert.match(fingerprint, FINGERPRINT);
    assert.deepEqual(withoutFingerprints(attributes, 'occurrences'), {
      issue_type: 'error',
      rule_id: 'color-contrast',
      help: A11Y_ISSUE_TYPES.contrast.message,
      help_url: A11Y_ISSUE_TYPES.contrast.helpUrl,
      url: HOME,
      html: [element('a').html, element('b').html],
      targets: [['a'], ['b']],
      ...NO_MARKS,
      occurrences: [LOCATION_OF_A, { line: null, column: null, made_by_script: false, box: null }].map((found) => ({
        ...found,
        reached_by: null,
        ...OF_OCCURRENCE,
      })),
      failure_summary: 'Fix any of the following: alt',
      impact: 'serious',
      impact_order: 3,
      tags: ['wcag2aa', 'wcag143'],
      remedy: a11yRemedy('color-contrast'),
      effect_on_visitors: a11yEffect('color-contrast', 'error'),
      decision: null,
      hindrance: 'severe',
      how_many: 2,
      omitted: 0,
    });
    assert.equal(contrast?.type, 'a11y_issue');
    assert.equal(imageAlt?.attributes.url, `${SITE}/frame`);
    assert.deepEqual(Object.keys(contrast?.relationships), ['report', 'web_page', 'common_issue']);
    assert.deepEqual((await api.get(contrast?.links.self)).document.data, contrast);
  });

  test('the sums are right: of a page over its issues, and of a common issue over its pages', async () => {
    for (const kind of ['html', 'a11y'] as const) {
      const totals = new Map<string, number>();
      for (const page of await api.walk(`${report}/web_pages`)) {
        const issues = await api.walk(page.relationships[`${kind}_issues`].links.related);
        const counts = { errors: 0, warnings: 0 };
        for (const { attributes } of issues) {
          counts[attributes.issue_type === 'error' ? 'errors' : 'warnings'] += attributes.how_many;
          assert.equal(attributes.html.length, attributes.how_many);
          const text = attributes.message ?? attributes.help;
          totals.set(text, (totals.get(text) ?? 0) + attributes.how_many);
        }
        const { errors, warnings } = page.attributes[`${kind}_check`];
        assert.deepEqual(counts, { errors, warnings });
      }
      const common = await api.walk(`${report}/common_${kind}_issues`);
      assert.deepEqual(
        new Map(common.map(({ attributes }) => [attributes.message ?? attributes.help, attributes.how_many])),
        new Map(
          common.map(({ attributes }) => attributes.message ?? attributes.help).map((text) => [text, totals.get(text)]),
        ),
      );
      assert.equal(common.length, totals.size);
    }
  });

  const lists = () => {
    const page = `${report}/web_pages/${sample.pageIds.get(HOME)}`;
    return {
      common: `${report}/common_html_issues`,
      page: `${page}/html_issues`,
      a11y: `${report}/common_a11y_issues`,
    };
  };

  test('the text filter takes every character literally, and ignores case', async () => {
    const { common, page, a11y } = lists();
    for (const list of [common, page]) {
      assert.deepEqual(await messages(`${list}?filter[message]=DUPLICATE+id`), [HTML_ISSUE_TYPES.duplicateId.message]);
      assert.deepEqual(await messages(`${list}?filter[message]=%E2%80%9Cmain`), [HTML_ISSUE_TYPES.duplicateId.message]);
      for (const literal of ['%25', '_', '%5C']) {
        assert.deepEqual(
          await messages(`${list}?filter[message]=${literal}`),
          [HTML_ISSUE_TYPES.fatal.message],
          literal,
        );
      }
      assert.deepEqual(await messages(`${list}?filter[message]=id%25main`), []);
      assert.equal((await messages(`${list}?filter[message]=`)).length, 3);
      assert.deepEqual((await api.get(`${list}?filter[help]=x`)).errors, ['400 invalid_parameter filter[help]']);
    }
    assert.deepEqual(await messages(`${a11y}?filter[help]=LANDMARKS`), [A11Y_ISSUE_TYPES.region.message]);
    const onPage = `${report}/web_pages/${sample.pageIds.get(ABOUT)}/a11y_issues`;
    assert.deepEqual(await messages(`${onPage}?filter[help]=landmarks`), [A11Y_ISSUE_TYPES.region.message]);
    assert.deepEqual(await messages(`${onPage}?filter[help]=contrast`), []);
    assert.deepEqual((await api.get(`${onPage}?filter[message]=x`)).errors, ['400 invalid_parameter filter[message]']);
  });

  test('filters find text in messages of every length, and all tags', async () => {
    // Digests do not compress, so the index is as large as it can be.
    const noise = (length: number) =>
      Array.from({ length: length / 64 }, (_, n) => createHash('sha256').update(`${n}`).digest('hex')).join('');
    const found = ['“É', noise(960), noise(1_024), noise(100 * 1_024)].map((text) => `${text} ÉTÉ`);
    const kinds = found.map((message) => ({ type: 'error', message, tags: HTML_TAGS }) as const);
    const issues = kinds.map((kind) => ({ kind, occurrences: [occurrence(1)] }));
    const pages = [{ url: HOME, checks: { html: { status: 'checked', issues } } }] as const;
    const { reportId, pageIds } = await seedReport(api.db, { account_id: api.people.ownerId }, ['html'], pages);
    const inReport = `/api/v1/reports/${reportId}`;
    for (const list of [`${inReport}/common_html_issues`, `${inReport}/web_pages/${pageIds.get(HOME)}/html_issues`]) {
      const sorted = async (query: string) => (await messages(`${list}?${query}`)).sort();
      assert.deepEqual(await sorted('filter[message]=%C3%A9t%C3%A9'), found.toSorted());
      assert.deepEqual(await sorted('filter[message]=%C3%A9t%C3%A9&filter[tags][list]=TABLE'), found.toSorted());
      assert.deepEqual(await sorted('filter[message]=%E2%80%9C%C3%A9'), found.slice(0, 1));
      assert.deepEqual(await sorted(`filter[message]=${noise(1_024).slice(-64)}`), found.slice(2).toSorted());
      assert.deepEqual(await sorted('filter[message]=no+such'), []);
    }
  });

  test('issues are filtered by tags and by whether they are muted', async () => {
    const { common, page, a11y } = lists();
    for (const list of [common, page]) {
      const tagged = (mode: string, tags: string) =>
        messages(`${list}?filter[tags][mode]=${mode}&filter[tags][list]=${tags}`);
      assert.deepEqual(await tagged('any', 'SCRIPT'), [HTML_ISSUE_TYPES.info.message]);
      assert.deepEqual(await tagged('all', 'id,duplicate+attribute'), [HTML_ISSUE_TYPES.duplicateId.message]);
      assert.deepEqual(await tagged('all', 'id,syntax'), []);
      assert.deepEqual(await tagged('none', 'id,script'), [HTML_ISSUE_TYPES.fatal.message]);
      assert.deepEqual((await tagged('none', '')).length, 3);
      assert.deepEqual(await messages(`${list}?filter[muted]=true`), []);
      assert.equal((await messages(`${list}?filter[muted]=false`)).length, 3);
      assert.equal((await messages(`${list}?filter[muted]=all`)).length, 3);
      for (const query of ['filter[tags][mode]=most', 'filter[muted]=yes', 'filter[tags]=id', 'sort=message']) {
        assert.equal((await api.get(`${list}?${query}`)).status, 400, query);
      }
    }
    assert.deepEqual(await messages(`${a11y}?filter[tags][list]=WCAG2A`), [A11Y_ISSUE_TYPES.imageAlt.message]);
  });

  test('issues that need review come after every error, unless the impact alone decides', async () => {
    const { imageAlt } = A11Y_ISSUE_TYPES;
    const review = { ...imageAlt, type: 'warning', message: 'Review', impact: 'critical' } as const;
    const mild = { ...imageAlt, message: 'Mild', impact: 'minor' } as const;
    const severe = { ...imageAlt, message: 'Severe', impact: 'serious' } as const;
    const issues = [review, mild, severe].map((kind) => ({ kind, occurrences: [element('a')] }));
    const pages: SeedPage[] = [{ url: HOME, checks: { a11y: { status: 'checked', issues } } }];
    const { reportId } = await seedReport(api.db, { account_id: api.people.ownerId }, ['a11y'], pages);
    const list = `/api/v1/reports/${reportId}/common_a11y_issues`;
    assert.deepEqual(await messages(list), ['Review', 'Severe', 'Mild']);
    assert.deepEqual(await messages(`${list}?sort=severity-desc`), ['Severe', 'Mild', 'Review']);
    assert.deepEqual(await messages(`${list}?sort=severity`), ['Review', 'Mild', 'Severe']);
    const { rows } = await listCommonIssues(api.db, reportId, 'a11y', {}, { number: 1, size: 9 });
    assert.deepEqual(
      rows.map(({ message }) => message),
      ['Severe', 'Mild', 'Review'],
    );
  });

  test('common issues are filtered by type and impact, and sorted by their counts', async () => {
    const { common, a11y } = lists();
    const { duplicateId, fatal, info } = HTML_ISSUE_TYPES;
    const { contrast, imageAlt, region } = A11Y_ISSUE_TYPES;
    const cases: [list: string, query: string, expected: readonly { readonly message: string }[]][] = [
      [common, 'filter[issue_type]=warning', [info]],
      [common, 'filter[issue_type]=error', [duplicateId, fatal]],
      [common, 'filter[issue_type]=error,warning', [duplicateId, fatal, info]],
      [common, 'filter[issue_type]=error&filter[message]=main', [duplicateId]],
      [common, 'filter[issue_type]=error&filter[muted]=true', []],
      [common, 'sort=num_web_pages,-how_many', [info, fatal, duplicateId]],
      [common, 'sort=how_many', [fatal, info, duplicateId]],
      [a11y, 'filter[impact]=critical,moderate', [imageAlt, region]],
      [a11y, 'filter[impact]=minor', []],
      [a11y, 'filter[impact]=critical,moderate&filter[issue_type]=warning', [region]],
      [a11y, 'sort=impact_order', [region, contrast, imageAlt]],
      [a11y, 'sort=how_many-asc,impact_order-asc', [imageAlt, region, contrast]],
      [a11y, 'sort=-how_many,-impact_order&filter[muted]=all', [contrast, region, imageAlt]],
    ];
    for (const [list, query, expected] of cases) {
      assert.deepEqual(
        await messages(`${list}?${query}`),
        expected.map(({ message }) => message),
        query,
      );
    }
    for (const query of ['filter[impact]=critical', 'sort=impact_order', 'filter[issue_type]=info', 'sort=message']) {
      assert.equal((await api.get(`${common}?${query}`)).status, 400, query);
    }
    const onPage = `${report}/web_pages/${sample.pageIds.get(HOME)}/html_issues`;
    assert.equal((await api.get(`${onPage}?filter[issue_type]=error`)).status, 400);
  });

  test('the list of a disabled check is empty', async () => {
    const account_id = api.people.ownerId;
    const { reportId } = await seedReport(api.db, { account_id }, ['html'], [{ url: HOME, checks: {} }]);
    const reply = await api.get(`/api/v1/reports/${reportId}/common_a11y_issues`);
    assert.equal(reply.status, 200);
    assert.deepEqual(reply.document.data, []);
  });

  test('resources that do not exist, have another type or belong to another report are not found', async () => {
    const home = sample.pageIds.get(HOME);
    const [onAbout] = await api.walk(`${report}/web_pages/${sample.pageIds.get(ABOUT)}/html_issues`);
    const [onHome] = await api.walk(`${report}/web_pages/${home}/html_issues`);
    const commonHtml = sample.commonIds.get(HTML_ISSUE_TYPES.fatal.message);
    const other = await seedSample(api.db, { account_id: api.people.ownerId });
    const paths = [
      `web_pages/${home}/html_issues/${onAbout?.id}`,
      `web_pages/${home}/a11y_issues/${onHome?.id}`,
      `web_pages/${other.pageIds.get(HOME)}/html_issues`,
      `web_pages/${home}/html_issues/x`,
      `common_a11y_issues/${commonHtml}`,
      `common_html_issues/${other.commonIds.get(HTML_ISSUE_TYPES.fatal.message)}`,
      'common_html_issues/0',
      'common_html_issues/99999999999999999999',
    ];
    for (const path of paths) assert.deepEqual((await api.get(`${report}/${path}`)).errors, ['404 not_found'], path);
    assert.equal((await api.get(`${report}/common_html_issues/${commonHtml}`)).status, 200);
  });

  test('excluded URLs are listed newest first, and have no URLs of their own', async () => {
    const { reportId } = await seedSample(api.db, { account_id: api.people.ownerId });
    const rows = ['/private', `${SITE}/old`].map((url) => ({ report_id: reportId, url, reason: 'exclusion' as const }));
    await api.db.insertInto('excluded_urls').values(rows).execute();
    const items = await api.walk(`/api/v1/reports/${reportId}/excluded_urls?page[size]=1`);
    assert.deepEqual(
      items.map((item) => item.attributes.url),
      [`${SITE}/old`, '/private'],
    );
    const [item] = items;
    assert.match(item?.attributes.inserted_at, TIME);
    assert.deepEqual(Object.keys(item ?? {}).sort(), ['attributes', 'id', 'type']);
    assert.deepEqual(Object.keys(item?.attributes).sort(), ['inserted_at', 'reason', 'url']);
    assert.equal(item?.type, 'excluded_url');
    assert.equal(item?.attributes.reason, 'exclusion');
    assert.deepEqual((await api.get(`${report}/excluded_urls?filter[url]=x`)).errors, [
      '400 invalid_parameter filter[url]',
    ]);
  });
});
