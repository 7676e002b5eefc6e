import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { Ajv } from 'ajv';
import { parse } from 'csv-parse/sync';
import { strFromU8, unzipSync } from 'fflate';
import { parse as parseJunit } from 'junit2json';
import { type KyselyPlugin, sql } from 'kysely';
import readWorkbook from 'read-excel-file/node';
import { validateXML } from 'xmllint-wasm';
import { exportReport } from '../../src/exports/formats.ts';
import { writeHtml } from '../../src/exports/html.ts';
import { OCCURRENCE_COLUMNS } from '../../src/exports/occurrence-rows.ts';
import { readReport } from '../../src/exports/report-model.ts';
import { writeSarif } from '../../src/exports/sarif.ts';
import { type Cell, writeWorkbook } from '../../src/exports/workbook.ts';
import { findReport } from '../../src/store/reports/reports.ts';
import { printNothing, startApi, type TestApi } from '../helpers/api.ts';
import { ANSWERED_404 } from '../helpers/failures.ts';
import { htmlValidator } from '../helpers/html-validator.ts';
import {
  A11Y_ISSUE_TYPES,
  ABOUT,
  element,
  GONE,
  HOME,
  HTML_ISSUE_TYPES,
  occurrence,
  seedSamplePath,
} from '../helpers/sample-report.ts';
import { type SeedPage, seedReport } from '../helpers/seed.ts';

/** Texts of a site that would mean something else in some format. */
const HOSTILE =
  '=1+1 <script>alert(1)</script> ]]> & " \' | ` ``` @someone #1 \\ [x](javascript:alert(1)) ;=2 ;-cmd|x \\|@team \u0001\u0007\u202E\r\n+1';
// biome-ignore lint/suspicious/noExplicitAny: tests look into files freely; a wrong guess fails the test.
type Anything = any;
const fixture = (name: string) => readFileSync(new URL(`../fixtures/export-schemas/${name}`, import.meta.url), 'utf8');

/** What the sheet of pages shows for a failed check. */
const UNCHECKED = ['failed', 0, 0, 'The page returned 404'];

/** Returns a row without the apostrophes that CSV files have before formulas. */
function unquoted(row: Record<string, string>): string {
  return JSON.stringify(row, (_, value) => (typeof value === 'string' ? value.replace(/(^|;)'/g, '$1') : value));
}

/** The official schema uses draft 4, whose `id` the validator does not know. Nothing else in it differs. */
const validateSarif = (() => {
  const { $schema: _, id: __, ...schema } = JSON.parse(fixture('sarif-2.1.0.json'));
  return new Ajv({
    strict: false,
    unicodeRegExp: false,
    formats: { uri: URL.canParse, 'uri-reference': isReference, 'date-time': true },
  }).compile(schema);
})();

function isSarif(log: unknown): boolean {
  return validateSarif(log);
}

function isReference(text: string): boolean {
  return URL.canParse(text, 'https://example.com/') && !/[\s<>"{}|\\^`]/.test(text);
}

/** The columns of csv with the contents of columns of the other sheets of xlsx. */
const CSV_COLUMNS: Readonly<Record<string, string>> = {
  ...{ Check: 'check', Type: 'type', Impact: 'impact', Rule: 'rule_id', Issue: 'message', Selector: 'selector' },
  ...{ Markup: 'markup', 'How to fix it': 'how_to_fix', Help: 'help_url', Tags: 'tags', Change: 'change' },
  ...{ 'Fingerprint of the issue': 'issue_fingerprint', 'Effect on visitors': 'effect_on_visitors' },
};

describe('formats of exports', () => {
  const validate = htmlValidator();
  let api: TestApi;
  let path: string;
  let hostile: string;
  before(async () => {
    api = await startApi();
    path = await seedSamplePath(api);
    const kind = { ...HTML_ISSUE_TYPES.duplicateId, message: HOSTILE };
    const html = {
      ...occurrence(3),
      extract: HOSTILE,
      coordinates: { ...occurrence(3).coordinates, hilite_start: 0, hilite_length: 200 },
    };
    const page: SeedPage = {
      url: 'https://example.com/javascript:%22%3Cx%3E?a=1&b=%7C',
      title: HOSTILE,
      checks: {
        html: { status: 'checked', issues: [{ kind, occurrences: [html] }] },
        a11y: {
          status: 'checked',
          issues: [{ kind: { ...A11Y_ISSUE_TYPES.contrast, message: `${HOSTILE}!` }, occurrences: [element(HOSTILE)] }],
        },
      },
    };
    const owned = { account_id: api.people.ownerId };
    hostile = `/api/v1/reports/${(await seedReport(api.db, owned, ['html', 'a11y'], [page])).reportId}`;
  });
  after(() => api?.close());

  const file = async (format: string, report = path): Promise<Buffer> => {
    const reply = await api.get(`${report}/export?format=${format}`);
    assert.equal(reply.status, 200, reply.text);
    return reply.bytes;
  };
  const download = async (format: string, report = path): Promise<string> => (await file(format, report)).toString();

  test('sarif: needs as many statements for many pages and issue types as for one', async () => {
    const statementsFor = async (size: number): Promise<number> => {
      const kinds = Array.from({ length: size }, (_, kind) => ({
        ...HTML_ISSUE_TYPES.duplicateId,
        message: `Kind ${kind}`,
      }));
      const issues = kinds.map((kind) => ({ kind, occurrences: [occurrence(1)] }));
      const pages = kinds.map((_, page) => ({
        url: `https://example.com/${page}`,
        checks: { html: { status: 'checked', issues } } as const,
      }));
      const { reportId } = await seedReport(api.db, { account_id: api.people.ownerId }, ['html'], pages);
      await sql`INSERT INTO diffs (report_id, with_id, is_previous, report_state, with_state)
        SELECT id, id, true, updated_at, updated_at FROM reports WHERE id = ${reportId}`.execute(api.db);
      const report = await findReport(api.db, reportId);
      assert.ok(report);
      let statements = 0;
      const counter: KyselyPlugin = {
        transformQuery({ node }) {
          statements += 1;
          return node;
        },
        transformResult: async ({ result }) => result,
      };
      const db = api.db.withPlugin(counter);
      const chunks = await Array.fromAsync(exportReport(report, 'sarif', { db, diff: null, print: printNothing }));
      assert.equal(JSON.parse(chunks.join('')).runs[0].results.length, size ** 2);
      return statements;
    };
    assert.equal(await statementsFor(8), await statementsFor(1));
  });

  test('sarif: is valid against the official schema, with levels, occurrences and paths', async () => {
    for (const report of [path, hostile]) {
      const log = JSON.parse(await download('sarif', report));
      assert.ok(isSarif(log), JSON.stringify(validateSarif.errors?.slice(0, 5)));
      for (const { ruleId, ruleIndex, locations } of log.runs[0].results) {
        assert.equal(log.runs[0].tool.driver.rules[ruleIndex].id, ruleId);
        assert.ok(!URL.canParse(locations[0].physicalLocation.artifactLocation.uri), 'a path has no scheme');
      }
    }
    const { runs } = JSON.parse(await download('sarif'));
    const [{ tool, results, invocations, automationDetails }] = runs;
    // Each site has its own category in code scanning.
    assert.match(automationDetails.id, /^sitewarden\/[\w.:-]+\/$/);
    assert.ok(!isSarif({ version: '2.1.0', runs: [{ tool, results: [{ level: 'bad' }] }] }));
    const ruleIds = tool.driver.rules.map(({ id }: { id: string }) => id);
    assert.ok(ruleIds.includes('a11y/image-alt') && ruleIds.includes('a11y/region/review'), ruleIds.join());
    const occurrences = results.map(({ ruleId, level, locations: [{ physicalLocation: at }] }: Anything) =>
      [ruleId.replace(/-[\da-f]{8}$/, ''), level, at.artifactLocation.uri, at.region?.startLine].join(' '),
    );
    assert.deepEqual(occurrences, [
      'html/duplicate-id-main error index.html 4',
      'html/duplicate-id-main error index.html 5',
      'html/duplicate-id-main error About_us?q=100%25 7',
      'html/cannot-recover-100-broken-tag-end error index.html 9',
      'a11y/image-alt error index.html ',
      'a11y/color-contrast error index.html 3',
      'a11y/color-contrast error index.html ',
      'html/the-type-attribute-is-unnecessary note index.html 1',
      'html/the-type-attribute-is-unnecessary note index.html 2',
      'html/the-type-attribute-is-unnecessary note index.html 3',
      'a11y/region/review note About_us?q=100%25 ',
      'a11y/region/review note About_us?q=100%25 ',
    ]);
    const alt = tool.driver.rules.find(({ id }: { id: string }) => id === 'a11y/image-alt');
    assert.equal(alt.helpUri, A11Y_ISSUE_TYPES.imageAlt.helpUrl);
    assert.match(
      alt.fullDescription.text,
      /^Images must have alternative text\. People who use a screen reader don't hear/,
    );
    assert.match(alt.help.text, /^Describe the image in “alt”; .* See https:/);
    assert.deepEqual(
      invocations[0].toolExecutionNotifications.map(({ message }: Anything) => message.text),
      [
        `HTML could not be checked: The page returned 404. ${GONE}`,
        `Accessibility could not be checked: The page returned 404. ${GONE}`,
      ],
    );
  });

  test('sarif: has as many results as GitHub accepts, worst first, and says how many it omits', async () => {
    const pages = Array.from({ length: 6 }, (_, number) => ({
      url: `https://example.com/${number}`,
      checks: {
        html: {
          status: 'checked',
          issues: [
            { kind: HTML_ISSUE_TYPES.info, occurrences: [1, 2, 3].map(occurrence) },
            { kind: HTML_ISSUE_TYPES.fatal, occurrences: [1, 2, 3].map(occurrence) },
          ],
        },
      } as const,
    }));
    const { reportId } = await seedReport(api.db, { account_id: api.people.ownerId }, ['html'], pages);
    const report = await findReport(api.db, reportId);
    assert.ok(report);
    const limits = { resultsMax: 25, charactersMax: 100_000 };
    const shortened = await Array.fromAsync(writeSarif(readReport(api.db, report), null, limits));
    const [{ results, invocations }] = JSON.parse(shortened.join('')).runs;
    assert.equal(results.length, 25);
    assert.equal(results.filter(({ level }: { level: string }) => level === 'error').length, 18);
    assert.match(
      invocations[0].toolExecutionNotifications[0].message.text,
      /^11 of 36 results are not included, because GitHub accepts 25000 per run/,
    );
  });

  test('junit: is valid against the schema of Jenkins, with a test case for each page', async () => {
    for (const report of [path, hostile]) {
      const xml = { fileName: 'report.xml', contents: await download('junit', report) };
      const schema = { fileName: 'junit.xsd', contents: fixture('jenkins-junit.xsd') };
      const { valid, errors } = await validateXML({ xml: [xml], schema: [schema] });
      assert.ok(valid, JSON.stringify(errors));
    }
    const text = await download('junit');
    const suites = await parseJunit(text);
    assert.ok(suites && 'testsuite' in suites);
    assert.deepEqual([suites.tests, suites.failures, suites.errors], [6, 3, 0]);
    const [html, a11y] = suites.testsuite ?? [];
    assert.deepEqual([html?.name, html?.tests, html?.failures, html?.errors, html?.skipped], ['HTML', 3, 2, 0, 1]);
    assert.deepEqual(
      [a11y?.name, a11y?.tests, a11y?.failures, a11y?.errors, a11y?.skipped],
      ['Accessibility', 3, 1, 0, 2],
    );
    const [home, about, gone] = html?.testcase ?? [];
    assert.deepEqual([home?.name, about?.name, gone?.name], [HOME, ABOUT, GONE]);
    assert.deepEqual(
      home?.failure?.map(({ message }) => message),
      ['2 × Duplicate ID “main”.', '1 × Cannot recover: 100% broken_tag \\ end'],
    );
    assert.match(home?.failure?.[0]?.inner ?? '', /line 4, column \d+: /);
    assert.match(String(home?.['system-out']), /unnecessary/);
    assert.match(text, /<skipped>The page returned 404<\/skipped>/);
    assert.ok(gone?.skipped);
    assert.ok(a11y?.testcase?.[1]?.skipped);
  });

  test('csv: has a row for each occurrence and each failed check, without formulas', async () => {
    const rows: Record<string, string>[] = parse(await download('csv'), { columns: true, bom: true });
    assert.deepEqual(Object.keys(rows[0] ?? {}), Object.keys(OCCURRENCE_COLUMNS));
    const documented = readFileSync(new URL('../../docs/exports.md', import.meta.url), 'utf8');
    for (const column of Object.keys(OCCURRENCE_COLUMNS)) assert.ok(documented.includes(`| \`${column}\` |`), column);
    assert.equal(rows.filter(({ type }) => type === 'unchecked').length, 2);
    assert.deepEqual(
      rows.filter(({ page_url: url }) => url === HOME).map(({ check, type, line }) => `${check} ${type} ${line}`),
      [
        ...['html warning 1', 'html warning 2', 'html warning 3', 'html error 4', 'html error 5', 'html error 9'],
        ...['a11y error 3', 'a11y error ', 'a11y error '],
      ],
    );
    const alt = rows.find(({ rule_id: rule }) => rule === 'image-alt');
    // New columns come last, because spreadsheets may refer to the others by position.
    assert.equal(Object.keys(alt ?? {}).at(-7), 'effect_on_visitors');
    assert.match(alt?.['effect_on_visitors'] ?? '', /^People who use a screen reader don't hear/);
    const text = await download('csv', hostile);
    const foreign: Record<string, string>[] = parse(text, { columns: true, bom: true });
    assert.equal(foreign.length, 2);
    for (const [name, cell] of foreign.flatMap((row) => Object.entries(row))) {
      assert.doesNotMatch(cell, /(?:^|;)[=+@-]/, name);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there.
      assert.doesNotMatch(cell, /[\u0000-\u001f]/, name);
    }
    assert.ok(foreign[0]?.['message']?.startsWith("'=1+1 <script>"));
  });

  test('html, csv: the target of a link is text', async () => {
    const url = 'https://example.com/';
    const final_url = 'https://example.com/?a=1&lt;b&amp;<img src=x>';
    const formulas = `x;-cmd|' /C calc'!A1;\t+1;\r@SUM(1);"=2";""-3; －4`;
    const kind = { type: 'warning', message: formulas, ruleId: 'moved', tags: ['redirect'] } as const;
    const issues = [{ kind, occurrences: [{ url, final_url }] }];
    const page: SeedPage = { url, checks: { link: { status: 'checked', issues } } };
    const { reportId } = await seedReport(api.db, { account_id: api.people.ownerId }, ['link'], [page]);
    const text = await download('html', `/api/v1/reports/${reportId}`);
    assert.ok(text.includes('redirected to https://example.com/?a=1&amp;lt;b&amp;amp;&lt;img src=x&gt;'), text);
    const bytes = await download('csv', `/api/v1/reports/${reportId}`);
    // As a spreadsheet reads it with semicolons and with commas as separators.
    for (const delimiter of [';', ',']) {
      const rows: string[][] = parse(bytes, { delimiter, bom: true, relax_quotes: true, relax_column_count: true });
      const cells = rows.flat().map((cell) => cell.replaceAll('"', ''));
      assert.ok(cells.some((cell) => cell.includes('cmd|')));
      for (const cell of cells) assert.doesNotMatch(cell, /^\s*[=+\-@＝＋－＠]/, cell);
    }
  });

  test('csv, earl, xlsx: a page with many occurrences is written in parts, and long texts are shortened', async () => {
    const url = `https://example.com/?${'&'.repeat(2_000)}`;
    const occurrences = Array.from({ length: 2_000 }, (_, line) => occurrence(line + 1));
    const kind = { ...HTML_ISSUE_TYPES.duplicateId, message: 'm'.repeat(2_000) };
    const html = { status: 'checked', issues: [{ kind, occurrences }] } as const;
    const owned = { account_id: api.people.ownerId };
    const { reportId } = await seedReport(api.db, owned, ['html'], [{ url, checks: { html } }]);
    const report = await findReport(api.db, reportId);
    assert.ok(report);
    for (const format of ['csv', 'earl'] as const) {
      const context = { db: api.db, diff: null, print: printNothing };
      const lengths: number[] = (await Array.fromAsync(exportReport(report, format, context))).map(
        (chunk) => chunk.length,
      );
      const total = lengths.reduce((sum, length) => sum + length);
      assert.ok(Math.max(...lengths) < total / 3, `${format}: ${Math.max(...lengths)} of ${total}`);
    }
    const [, , kinds] = await readWorkbook(await file('xlsx', `/api/v1/reports/${reportId}`));
    assert.equal(String(kinds?.data[1]?.[4]).length, 1_000);
    const { '@graph': graph } = JSON.parse(await download('earl', `/api/v1/reports/${reportId}`));
    assert.equal(graph.at(-1).result.pointer.length, occurrences.length);
  });

  test('xlsx: has the rows of csv in a sheet for each check, all as text', async () => {
    const sheets = await readWorkbook(await file('xlsx'));
    assert.deepEqual(
      sheets.map(({ sheet, data }) => `${sheet} ${data.length}`),
      ['Summary 26', 'Fix first 1', 'Issue types 7', 'Pages 4', 'HTML issues 9', 'Accessibility issues 7'],
    );
    const [summary, fixes, kinds, pages, ...issues] = sheets.map(({ data }) => data);
    assert.deepEqual(summary?.find(([name]) => name === 'HTML: errors')?.[1], 4);
    assert.deepEqual(
      summary?.map(([name]) => String(name)).filter((name) => name.startsWith('Accessibility: need')),
      ['Accessibility: needs review'],
    );
    assert.ok(summary?.find(([name]) => name === 'Finished (UTC)')?.[1] instanceof Date);
    const alt = kinds?.find(([, , impact, rule]) => impact === 'critical' && rule === 'image-alt');
    assert.match(String(alt?.[7]), /^Describe the image in “alt”/);
    const effect = kinds?.[0]?.indexOf('Effect on visitors') ?? -1;
    assert.match(String(alt?.[effect]), /^People who use a screen reader/);
    // The columns that csv has, too, are in its order.
    const ofCsv = Object.keys(OCCURRENCE_COLUMNS);
    for (const [names = []] of [fixes, kinds].map((data) => data ?? [])) {
      const places = names.flatMap((name) => {
        const column = CSV_COLUMNS[String(name)];
        return column === undefined ? [] : ofCsv.indexOf(column);
      });
      assert.ok(places.length > 5 && !places.includes(-1), String(names));
      assert.deepEqual(
        places,
        places.toSorted((one, other) => one - other),
      );
    }
    const [ofHtml] = issues;
    const howToFix = ofHtml?.[0]?.indexOf('how_to_fix') ?? -1;
    assert.ok(
      ofHtml?.some((row) => /^Remove all but one of the attributes/.test(String(row[howToFix]))),
      String(ofHtml),
    );
    assert.deepEqual(pages?.at(-1), [
      GONE,
      null,
      404,
      ABOUT,
      ...['html', 'a11y'].flatMap(() => UNCHECKED),
      'not signed in',
    ]);
    for (const report of [path, hostile]) {
      const rows: Record<string, string>[] = parse(await download('csv', report), { columns: true, bom: true });
      const shown = (await readWorkbook(await file('xlsx', report)))
        .slice(4)
        .flatMap(({ data: [names, ...cells] }) =>
          cells.map((row) => Object.fromEntries(row.map((cell, at) => [names?.[at], String(cell ?? '')]))),
        );
      assert.deepEqual(shown.map(unquoted).toSorted(), rows.map(unquoted).toSorted());
    }
    assert.equal(issues.length, 2);
  });

  test('xlsx: stays within the limits of Excel', async () => {
    const url = `https://example.com/${'a'.repeat(2_100)}`;
    const links = ['https://example.com/?a=1&b="2"', url, 'javascript:alert(1)', 'https://example.com/3', HOME];
    const cells: Cell[][] = [['_x0041_ =1+1', 1.5], ['x'.repeat(40_000)], ...links.map((link) => [{ url: link }])];
    const rows = async function* () {
      yield cells.slice(0, 3);
      yield cells.slice(3);
      yield [['is left out']];
    };
    const limits = { rowsMax: 8, linksMax: 2, linkMaxCharacters: 2_079 };
    const chunks = writeWorkbook([{ name: 'A & B', columns: { one: 1, two: 2 }, rows }], new Date(), limits);
    const bytes = Buffer.concat(await Array.fromAsync(chunks));
    const [read] = await readWorkbook(bytes);
    assert.equal(read?.sheet, 'A & B');
    const first = read?.data.map(([text]) => text);
    assert.deepEqual(first?.toSpliced(2, 1), ['one', '_x0041_ =1+1', ...links]);
    assert.ok(String(first?.[2]).length <= 32_767);
    const parts = unzipSync(bytes);
    const sheet = strFromU8(parts['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
    assert.deepEqual(sheet.match(/<hyperlink ref="\w+"/g), ['<hyperlink ref="A4"', '<hyperlink ref="A7"']);
    assert.doesNotMatch(sheet, /<f>/);
    for (const [name, part] of Object.entries(parts)) {
      const { valid, errors } = await validateXML({ xml: [strFromU8(part)], schema: [] });
      assert.ok(valid, `${name}: ${JSON.stringify(errors)}`);
    }
  });

  test('html: is one file without requests, in which the validator finds nothing', async () => {
    for (const report of [path, hostile]) {
      const text = await download('html', report);
      const { messages } = JSON.parse((await validate(text)).toString());
      assert.deepEqual(messages, []);
      assert.doesNotMatch(text, /<(?:script|link|img|iframe)|url\(|@import|[\u202A-\u202E]/);
    }
    const text = await download('html');
    assert.match(text, /<tr><th scope="row">HTML<\/th><td>0 of 2 checked pages; 1 could not be checked<\/td>/);
    assert.match(text, /<p>People who use a screen reader don/);
    assert.match(text, /<p>Describe the image in “alt”;/);
    assert.match(
      text,
      /<h3>Images must have alternative text<\/h3>\n<p><span class="critical">⬣ critical error<\/span>/,
    );
    assert.match(text, /<td>The page returned 404<\/td>/);
  });

  test('html, md: each shortened list says how much it omits', async () => {
    const kinds = Array.from({ length: 13 }, (_, kind) => ({
      ...HTML_ISSUE_TYPES.duplicateId,
      message: `Kind ${kind}`,
    }));
    const issues = kinds.map((kind) => ({ kind, occurrences: [occurrence(1)] }));
    const checked: SeedPage = { url: HOME, checks: { html: { status: 'checked', issues } } };
    const failed = Array.from(
      { length: 12 },
      (_, index): SeedPage => ({
        url: `${GONE}/${index}`,
        checks: { html: { status: 'failed', error: ANSWERED_404 } },
      }),
    );
    const seeded = await seedReport(api.db, { account_id: api.people.ownerId }, ['html'], [checked, ...failed]);
    const markdown = await download('md', `/api/v1/reports/${seeded.reportId}`);
    assert.match(markdown, /\nand 3 more issue types, in the report\n/);
    assert.match(markdown, /\n- and 2 more pages, in the report\n$/);
    const report = await findReport(api.db, seeded.reportId);
    assert.ok(report);
    const limits = { issueTypesMax: 12, furtherFixesMax: 1, pagesMax: 4 };
    const html = (await Array.fromAsync(writeHtml(readReport(api.db, report), null, limits))).join('');
    assert.match(html, /<p>And 1 more issue type\.<\/p>/);
    assert.match(html, /<p>And 9 more pages\.<\/p>/);
    assert.doesNotMatch(await download('html', `/api/v1/reports/${seeded.reportId}`), /more issue type|more page/);
  });

  test('md: is short, and has foreign text only as code', async () => {
    const text = await download('md');
    assert.match(text, /\| HTML \| 0 \| 2 \| 1 \| 0 \| 4 \| 3 \|/);
    assert.match(text, /\| Accessibility \| 0 \| 1 \| 1 \| 1 \| 3 \(1 critical, 2 serious\) \| {2}\| 2 \|/);
    assert.match(
      text,
      /\| critical error \| `Images must have alternative text` \(\[help\]\(<https:\S+>\)\)<br>People who use [^|]+ \| 1 \| 1 \|/,
    );
    assert.match(text, /- `https:\/\/example\.com\/gone`: `The page returned 404`/);
    const foreign = await download('md', hostile);
    const outside = foreign.replace(/(`+)(?!`).*?(?<!`)\1(?!`)/g, '');
    assert.doesNotMatch(outside, /script|someone|javascript/);
    assert.ok(foreign.includes('@someone'));
    for (const row of foreign
      .split('\n')
      .filter((line) => line.startsWith('| critical') || line.startsWith('| error'))) {
      // As on GitHub, pairs of backslashes come before escaped bars.
      assert.equal(row.replaceAll(/\\[\\|]/g, '').match(/\|/g)?.length, 5, row);
    }
  });
});
