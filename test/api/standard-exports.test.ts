import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import { STANDARD_IDS, type Standard } from '../../packages/client/standards.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import { ANSWERED_404 } from '../helpers/failures.ts';
import { htmlValidator } from '../helpers/html-validator.ts';
import { A11Y_ISSUE_TYPES, element, GONE, HOME } from '../helpers/sample-report.ts';
import { type SeedPage, seedReport } from '../helpers/seed.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into files freely; a wrong guess fails the test.
type Anything = any;

/** Text of a site that would mean something else in HTML. */
const HOSTILE = '<script>alert(1)</script> & " \' [x] \u202E';

/** As an export shows it. */
const ON_SITE = '&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot; &#39; [x]';

const KINDS = {
  contrast: {
    ...A11Y_ISSUE_TYPES.contrast,
    tags: ['wcag2aa', 'wcag143', 'TTv5', 'TT13.c', 'EN-301-549', 'EN-9.1.4.3', 'RGAAv4', 'RGAA-3.2.1'],
  },
  imageAlt: {
    ...A11Y_ISSUE_TYPES.imageAlt,
    message: HOSTILE,
    tags: ['wcag2a', 'wcag111', 'section508', 'TTv5', 'TT7.a', 'EN-301-549', 'EN-9.1.1.1', 'RGAAv4', 'RGAA-1.1.1'],
  },
  areaAlt: {
    ...A11Y_ISSUE_TYPES.imageAlt,
    ruleId: 'area-alt',
    message: 'Active area elements must have alternative text',
    tags: ['wcag2a', 'wcag244', 'wcag412', 'EN-301-549', 'EN-9.2.4.4', 'EN-9.4.1.2', 'TTv5', 'RGAAv4', 'RGAA-1.1.2'],
  },
  region: {
    ...A11Y_ISSUE_TYPES.region,
    type: 'error',
    tags: ['best-practice', 'RGAAv4', 'RGAA-9.2.1'],
  },
  review: {
    ...A11Y_ISSUE_TYPES.contrast,
    type: 'warning',
    message: 'Contrast to review',
    tags: ['wcag2aa', 'wcag143', 'EN-301-549', 'EN-9.1.4.3', 'RGAAv4', 'RGAA-3.2.1', 'TTv5', 'TT13.c'],
  },
} as const;

const PAGES: readonly SeedPage[] = [
  {
    url: HOME,
    checks: {
      a11y: {
        status: 'checked',
        issues: Object.values(KINDS).map((kind, index) => ({ kind, occurrences: [element(`e${index}`)] })),
      },
    },
  },
  { url: GONE, linkedFrom: HOME, httpStatus: 404, checks: { a11y: { status: 'failed', error: ANSWERED_404 } } },
];

/** The catalog of OpenACR for each standard, the numbers of its criteria by level, and its other chapters. */
const CATALOGS: Readonly<Record<Standard, readonly [catalog: string, criteria: readonly number[], others: number]>> = {
  'wcag20-a': ['2.5-edition-wcag-2.0-508-en', [25], 0],
  'wcag20-aa': ['2.5-edition-wcag-2.0-508-en', [25, 13], 0],
  'wcag20-aaa': ['2.5-edition-wcag-2.0-508-en', [25, 13, 23], 0],
  'wcag21-a': ['2.4-edition-wcag-2.1-en', [30], 0],
  'wcag21-aa': ['2.4-edition-wcag-2.1-en', [30, 20], 0],
  'wcag21-aaa': ['2.4-edition-wcag-2.1-en', [30, 20, 28], 0],
  'wcag22-a': ['2.5-edition-wcag-2.2-en', [31], 0],
  'wcag22-aa': ['2.5-edition-wcag-2.2-en', [31, 24], 0],
  'wcag22-aaa': ['2.5-edition-wcag-2.2-en', [31, 24, 31], 0],
  'en-301-549': ['2.4-edition-wcag-2.1-508-eu-en', [30, 20], 9],
  'section-508': ['2.5-edition-wcag-2.0-508-en', [25, 13], 4],
  'rgaa-4': ['2.4-edition-wcag-2.1-en', [30, 20], 0],
  'trusted-tester-5': ['2.5-edition-wcag-2.0-508-en', [25, 13], 4],
};

/** Returns the criteria that the rule `area-alt` tests in an EARL file, as their ids and titles. */
function criteriaOfAreaAlt(graph: readonly Anything[]): string[][] {
  const { isPartOf } = graph.find(({ title }) => title === 'area-alt');
  const nodes = isPartOf.map((id: string) => graph.find((node) => node['@id'] === id));
  return nodes.map(({ '@id': id, title }: Anything) => [id, title]);
}

/** Returns the visible text of a page without what people must replace. */
function stated(html: string): string {
  return html
    .replace(/<mark>\[.*?\]<\/mark>/gs, '')
    .replace(/<style>.*?<\/style>|<[^>]+>/gs, ' ')
    .replaceAll(ON_SITE, '')
    .replace(/\s+/g, ' ');
}

describe('documents for a standard', () => {
  const validate = htmlValidator();
  let api: TestApi;
  const reports = new Map<Standard | null, string>();
  const download = async (standard: Standard | null, format: string): Promise<string> =>
    (await api.get(`/api/v1/reports/${reports.get(standard)}/export?format=${format}`)).text;
  const earl = async (standard: Standard | null): Promise<Anything[]> =>
    JSON.parse(await download(standard, 'earl'))['@graph'];

  before(async () => {
    api = await startApi();
    for (const standard of [...STANDARD_IDS, null]) {
      const { reportId } = await seedReport(api.db, { account_id: api.people.ownerId, standard }, ['a11y'], PAGES);
      reports.set(standard, reportId);
    }
  });
  after(() => api?.close());

  test('openacr: has the criteria of the standard, each once', async () => {
    for (const [standard, [catalog, numbers, others]] of Object.entries(CATALOGS)) {
      const document: Anything = parse(await download(standard as Standard, 'openacr'));
      const chapters: Anything[] = Object.values(document.chapters);
      assert.equal(document.catalog, catalog, standard);
      const tables = chapters.filter(({ criteria }) => criteria !== undefined);
      assert.deepEqual(
        tables.map(({ criteria }) => criteria.length),
        numbers,
        standard,
      );
      assert.equal(chapters.length - tables.length, others, standard);
      const criteria = tables.flatMap((table) => table.criteria.map(({ num }: Anything) => num));
      assert.equal(new Set(criteria).size, criteria.length, standard);
      assert.match(document.notes, /Measured against (?:WCAG 2|EN 301 549|Section 508|RGAA 4|Trusted Tester 5)/);
    }
  });

  test('a failure fails the stricter versions of its criterion, too', async () => {
    const levels = async (standard: Standard): Promise<string[]> => {
      const { chapters }: Anything = parse(await download(standard, 'openacr'));
      const criteria: Anything[] = Object.values<Anything>(chapters).flatMap((chapter) => chapter.criteria ?? []);
      return ['1.4.3', '1.4.6', '2.4.4', '2.4.9'].map(
        (number) => criteria.find(({ num }) => num === number)?.components[0].adherence.level,
      );
    };
    assert.deepEqual(await levels('wcag22-aaa'), Array(4).fill('does-not-support'));
    const supported = ['does-not-support', undefined, 'does-not-support', undefined];
    assert.deepEqual(await levels('wcag22-aa'), supported);
    assert.match(
      stated(await download('wcag22-aaa', 'statement')),
      /WCAG 1\.4\.6 Contrast \(Enhanced\) People with low vision/,
    );
    assert.doesNotMatch(stated(await download('en-301-549', 'statement')), /1\.4\.6/);
  });

  test('every document says which rules have not run, and names failures without a criterion', async () => {
    const { notes }: Anything = parse(await download('rgaa-4', 'openacr'));
    assert.match(
      notes,
      /Failures of RGAA 4 that map to no criterion in this catalog: All page content .*pages: 1\)\.$/,
    );
    assert.doesNotMatch(notes, /have not run/);
    const owned = { account_id: api.people.ownerId, standard: 'wcag20-a' } as const;
    const path = `/api/v1/reports/${(await seedReport(api.db, owned, ['a11y'], PAGES)).reportId}`;
    assert.equal((await api.send('PATCH', path, { attributes: { standard: 'wcag22-aa' } })).status, 200);
    const now = async (format: string): Promise<string> => (await api.get(`${path}/export?format=${format}`)).text;
    const untested = 'Rules of the standard that have not run: css-orientation-lock, target-size.';
    assert.ok(parse(await now('openacr')).notes.endsWith(`Measured against WCAG 2.2 AA. ${untested}`));
    assert.ok((await now('earl')).includes(`"description":"Measured against WCAG 2.2 AA. ${untested}"`));
    const statement = stated(await now('statement'));
    assert.match(
      statement,
      /35 of the 55 success criteria were not tested at all: .*WCAG 2\.5\.8 Target Size \(Minimum\)/,
    );
    assert.ok(statement.includes(untested));
  });

  test('earl: rules refer to the criteria of the standard, which are part of it', async () => {
    const check = async (standard: Standard, url: string, ...expected: readonly string[][]) => {
      const graph = await earl(standard);
      const [kind, ...criteria] = criteriaOfAreaAlt(graph);
      assert.deepEqual([kind, ...criteria], [['_:a11y', 'Accessibility'], ...expected], standard);
      for (const [id] of criteria) assert.deepEqual(graph.find((node) => node['@id'] === id).isPartOf, [url]);
      assert.ok(graph.find((node) => node['@id'] === url).title);
      assert.match(graph.find((node) => node['@id'] === '_:site').description, /^Measured against /);
      const ids = graph.flatMap((node) => node['@id'] ?? []);
      assert.equal(new Set(ids).size, ids.length, standard);
    };
    const wcag = (page: string, ...anchors: readonly [string, string]): string[][] => [
      [`https://www.w3.org/TR/${page}/#${anchors[0]}`, 'WCAG 2.4.4 Link Purpose (In Context)'],
      [`https://www.w3.org/TR/${page}/#${anchors[1]}`, 'WCAG 4.1.2 Name, Role, Value'],
    ];
    const old = wcag('WCAG20', 'navigation-mechanisms-refs', 'ensure-compat-rsv');
    await check('wcag20-aa', 'https://www.w3.org/TR/WCAG20/', ...old);
    await check('section-508', 'https://www.access-board.gov/ict/', ...old);
    const now = ['link-purpose-in-context', 'name-role-value'] as const;
    await check('wcag21-aa', 'https://www.w3.org/TR/WCAG21/', ...wcag('WCAG21', ...now));
    await check('wcag22-aa', 'https://www.w3.org/TR/WCAG22/', ...wcag('WCAG22', ...now));
    await check(
      'en-301-549',
      'https://www.etsi.org/deliver/etsi_en/301500_301599/301549/03.02.01_60/en_301549v030201p.pdf',
      ['urn:sitewarden:en-301-549:9.2.4.4', 'EN 9.2.4.4 Link Purpose (In Context)'],
      ['urn:sitewarden:en-301-549:9.4.1.2', 'EN 9.4.1.2 Name, Role, Value'],
    );
    await check('rgaa-4', 'https://accessibilite.numerique.gouv.fr/', [
      'https://accessibilite.numerique.gouv.fr/methode/criteres-et-tests/#1.1.2',
      'RGAA 1.1.2',
    ]);
    const outcomes = (await earl('en-301-549')).flatMap(({ result }) => result?.outcome ?? []);
    assert.deepEqual(new Set(outcomes), new Set(['earl:failed', 'earl:cantTell', 'earl:untested']));
  });

  test('statement: is one valid page for each standard, in which only placeholders could claim conformity', async () => {
    for (const standard of reports.keys()) {
      const html = await download(standard, 'statement');
      const { messages } = JSON.parse((await validate(html)).toString());
      assert.deepEqual(messages, [], standard ?? 'none');
      assert.doesNotMatch(html, /<(?:script|link|img|iframe)|url\(|@import|\u202E/);
      const text = stated(html);
      assert.match(text, /This website is not fully compliant with /);
      assert.doesNotMatch(
        text,
        /(?<!not )fully compliant|partially compliant|is compliant|conforms|\[/,
        standard ?? '',
      );
      const titles = [...html.matchAll(/<h4>((?:WCAG|EN|RGAA|Trusted|Section) .*?)<\/h4>/g)].map(([, title]) => title);
      assert.ok(titles.length > 0, standard ?? 'none');
      assert.equal(new Set(titles).size, titles.length);
    }
  });

  test('statement: has the parts of the model, failures by criterion, and what was not tested', async () => {
    const html = await download('en-301-549', 'statement');
    assert.deepEqual(
      [...html.matchAll(/<h[234]>(.*?)<\/h[234]>/g)].map(([, title]) => title),
      [
        'Draft: what a person must do before publication',
        'Commitment and scope',
        'Compliance status',
        'Non-accessible content',
        '(a) Non-compliance with the national legislation',
        'EN 9.1.1.1 Non-text Content',
        'EN 9.1.4.3 Contrast (Minimum)',
        'EN 9.2.4.4 Link Purpose (In Context)',
        'EN 9.4.1.2 Name, Role, Value',
        '(b) Disproportionate burden',
        '(c) The content is not within the scope of the applicable legislation',
        'Preparation of this accessibility statement',
        'What was not tested',
        'Criteria',
        'Pages and content',
        'Results that a person must review',
        'Feedback and contact information',
        'Enforcement procedure',
      ],
    );
    assert.match(
      html,
      /<li>People who use a screen reader don&#39;t hear [^<]+\. Found on 1 of 1 checked page\. <mark>\[Where it is/,
    );
    assert.ok(html.includes(`Rule: ${ON_SITE}]</mark>`));
    const text = stated(html);
    assert.match(text, /automated checks by sitewarden \S+ of 1 page, on .*Measured against EN 301 549\./);
    assert.match(
      text,
      /success criteria of WCAG 2\.1, to which EN 301 549 refers, were not tested at all: EN 9\.1\.2\.1 Audio-only.* other chapters of EN 301 549/,
    );
    assert.match(text, /1 page that could not be checked: https:\/\/example\.com\/gone : /);
    assert.match(text, /such as PDF and office files/);
    // Muted because it does not belong to the standard.
    assert.doesNotMatch(text, /contained by landmarks/);
  });

  test('statement: the failures of standards beyond European law are not called failures of the legislation', async () => {
    const titles: (string | undefined)[] = [];
    // One after the other: at most four downloads may be in progress.
    for (const standard of ['en-301-549', 'wcag21-aa', 'wcag21-aaa', 'section-508', null] as const) {
      titles.push(/<h3>\(a\) (.*?)<\/h3>/.exec(await download(standard, 'statement'))?.[1]);
    }
    const national = 'Non-compliance with the national legislation';
    assert.deepEqual(titles, [
      ...[national, national, 'Non-compliance with WCAG 2.1 AAA', 'Non-compliance with Section 508'],
      'Non-compliance with WCAG 2.2 AA',
    ]);
    const html = await download('section-508', 'statement');
    assert.match(html, /<mark>\[The law that applies to the website, and which of these failures it requires/);
  });

  test('statement: without a standard, it counts what no standard requires, and asks for one', async () => {
    const text = stated(await download(null, 'statement'));
    assert.match(text, /Choose the standard that the law names/);
    assert.match(text, /Not listed: 1 issue type that WCAG 2\.2 AA does not require to be fixed/);
  });

  test('statement: finding nothing, or checking nothing, shows no conformity', async () => {
    const standard = 'en-301-549';
    const seed = async (page: SeedPage, kinds: readonly ('a11y' | 'html')[]): Promise<string> => {
      const report = await seedReport(api.db, { account_id: api.people.ownerId, standard }, kinds, [page]);
      return stated((await api.get(`/api/v1/reports/${report.reportId}/export?format=statement`)).text);
    };
    const checked = { status: 'checked' } as const;
    assert.match(
      await seed({ url: HOME, checks: { a11y: checked } }, ['a11y']),
      /Automated checks found no failures of EN 301 549\. This does not show that the website complies with it\./,
    );
    const unchecked = await seed({ url: HOME, checks: { html: checked } }, ['html']);
    assert.match(unchecked, /There are no results of an accessibility check\./);
    assert.match(unchecked, /50 of the 50 success criteria of WCAG 2\.1, to which .* refers, were not tested at all/);
  });
});
