import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import readWorkbook from 'read-excel-file/node';
import { printSummary } from '../../src/commands/check-summary.ts';
import { writeHtml } from '../../src/exports/html.ts';
import { writeMarkdown } from '../../src/exports/markdown.ts';
import { readReport } from '../../src/exports/report-model.ts';
import { composeMessage } from '../../src/notifications/compose-message.ts';
import { eventText } from '../../src/notifications/event-text.ts';
import { listFixes } from '../../src/store/issues/fixes.ts';
import { findReport } from '../../src/store/reports/reports.ts';
import { collectingTerminal } from '../helpers/run-here.ts';
import { startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** Issues that HTML and accessibility checks report for the same element are one entry of the plan. */

const page = (body: string): string =>
  `<!DOCTYPE html><html lang="en"><head><title>Page</title></head><body><main><h1>Page</h1>${body}` +
  '<a href="/">Home</a> <a href="/two">Two</a> <a href="/three">Three</a></main></body></html>';
const NO_ALT = '<img src="/logo.png">';
const BAD_ROLE = '<div role="buton">Go</div>';

let service: TestApp;
let site: TestSite;
before(async () => {
  service = await startTestApp();
  site = await startTestSite({
    '/': { body: page(`<p>${NO_ALT}</p>`) },
    // Another image, which only the HTML check finds: it is hidden.
    '/two': { body: page(`<p>${NO_ALT}</p><p hidden><img src="/hidden.png"></p>`) },
    '/three': { body: page(BAD_ROLE) },
    '/logo.png': { status: 204, body: '' },
    '/hidden.png': { status: 204, body: '' },
  });
});
after(async () => {
  await service?.close();
  await site?.stop();
});

describe('fixes of what two checks report', () => {
  let id: string;

  it('are one entry for the same element, after which both checks pass', async () => {
    const definition = { starting_url: `${site.origin}/`, perform_a11y_checks: true, rate_limit: 50 };
    ({ id } = await service.finished((await service.ask('/reports', 'POST', definition)).data.id));
    await until(async () => (await service.all(`/reports/${id}/fixes`)).length > 0);
    const fixes = await service.all(`/reports/${id}/fixes`);
    assert.deepEqual(
      fixes.map(({ attributes: fix }) => [
        fix.kind,
        fix.rule_id,
        fix.markup,
        fix.also.map(({ kind, message }: { kind: string; message: string }) => [
          kind,
          /“(?:alt|role)”/.exec(message)?.[0],
        ]),
        [fix.how_many, fix.errors, fix.num_web_pages],
        [fix.passing_before_plan, fix.passing_after, fix.passing_after_plan],
      ]),
      [
        ['a11y', 'image-alt', NO_ALT, [['html', '“alt”']], [2, 4, 2], [0, 1, 1]],
        ['a11y', 'aria-roles', '<div role="buton">Go</div>', [['html', '“role”']], [1, 2, 1], [1, 1, 2]],
        ['html', null, '<img src="/hidden.png">', [], [1, 1, 1], [2, 0, 3]],
      ],
    );
    const [{ attributes: first } = { attributes: {} }] = fixes;
    const [also] = first.also;
    const occurrences = await service.all(
      `/reports/${id}/common_html_issues/${also.common_issue_id}/occurrences?filter[cluster]=${also.cluster}`,
    );
    assert.equal(occurrences.length, 2);
  });

  it('say in every format that another check found them, too', async () => {
    const { db } = service.app;
    const found = 'also found by the HTML check';
    const download = async (format: string): Promise<Buffer> =>
      Buffer.from(
        await (
          await fetch(`${service.api}/reports/${id}/export?format=${format}`, {
            headers: { authorization: `Bearer ${service.environment['SITEWARDEN_ADMIN_TOKEN']}` },
          })
        ).arrayBuffer(),
      );
    assert.ok(String(await download('md')).includes(`2 occurrences on 2 pages, ${found} | `));
    assert.ok(String(await download('html')).includes(`2 occurrences on 2 pages, ${found}; `));
    const { fixes, fixes_left_out: leftOut } = JSON.parse(String(await download('json')));
    assert.deepEqual(
      fixes.map(({ also }: { also: { kind: string }[] }) => also.map(({ kind }) => kind).join()),
      ['html', 'html', ''],
    );
    assert.equal(leftOut, 0);
    const schema = JSON.parse(readFileSync(new URL('../../docs/schemas/report-1.json', import.meta.url), 'utf8'));
    const { required } = schema.properties.fixes.items;
    assert.deepEqual(Object.keys(fixes[0]).toSorted(), required.toSorted());
    const sheets = await readWorkbook(await download('xlsx'));
    const [names = [], ...rows] = sheets.find(({ sheet }) => sheet === 'Fix first')?.data ?? [];
    const cells = (name: string) => rows.map((row) => row[names.indexOf(name)]);
    assert.deepEqual(cells('Also found by'), ['HTML', 'HTML', null]);
    assert.deepEqual(cells('Errors removed'), [4, 2, 1]);

    const report = await findReport(db, id);
    assert.ok(report !== undefined);
    const { terminal, printed } = collectingTerminal();
    await printSummary(db, report, { output: terminal.stdout, verbose: false });
    assert.ok(printed.stdout.includes(`2 occurrences on 2 pages, ${found}, such as ${site.origin}/`), printed.stdout);

    const channel = { id: '', name: '', target: '' };
    const delivery = { event: 'report.finished', report_id: id, schedule_id: null, details: {} };
    const about = { ...delivery, inserted_at: new Date(), channel } as never;
    const message = await composeMessage(db, about, 'https://sitewarden.example');
    assert.ok(message !== null);
    const { lists } = eventText(message, 'https://sitewarden.example');
    const [first] = lists.find(({ title }) => title === 'Fix first')?.items ?? [];
    assert.ok(first?.text.includes(`(2 occurrences on 2 pages, ${found}; `));
  });

  it('are separate entries for elements from scripts, which the HTML check does not see, and one entry across frames', async () => {
    const script =
      '<script>document.querySelector("h1").insertAdjacentHTML("afterend", `<img src="/made.png">`)</script>';
    const framed = await startTestSite({
      '/': { body: page(`${script}<iframe title="Frame" src="/two"></iframe>`) },
      '/two': { body: page(`<p>${NO_ALT}</p>`) },
      '/logo.png': { status: 204, body: '' },
      '/made.png': { status: 204, body: '' },
    });
    try {
      const definition = { starting_url: `${framed.origin}/`, max_pages: 2, perform_a11y_checks: true, rate_limit: 50 };
      const { id: other } = await service.finished((await service.ask('/reports', 'POST', definition)).data.id);
      await until(async () => (await service.all(`/reports/${other}/fixes`)).length > 0);
      const fixes = await service.all(`/reports/${other}/fixes`);
      const images = fixes.flatMap(({ attributes: fix }) =>
        fix.rule_id === 'image-alt'
          ? [[fix.markup, fix.also.map(({ kind }: { kind: string }) => kind), fix.how_many, fix.errors]]
          : [],
      );
      assert.deepEqual(images, [
        // Once in the frame and once on its own page, where the HTML check reports it.
        [NO_ALT, ['html'], 2, 3],
        ['<img src="/made.png">', [], 1, 1],
      ]);
    } finally {
      await framed.stop();
    }
  });

  it('are one entry with the link around an image without text, with ids that differ in numbers, and around landmarks', async () => {
    const logo = '<a href="/two"><img src="/logo.png"></a>';
    const tab = (number: number): string => `<li id="tab-${number}">a</li><li id="tab-${number}">b</li>`;
    // Live regions are no content outside of landmarks, so axe-core reports the other elements.
    const outside = '<div class="body"><p>One</p><div role="alert">Live</div><p>Two</p></div>';
    const nested = await startTestSite({
      '/': { body: page(`<p>${logo}</p><p>${NO_ALT}</p><ul>${[1, 2, 3].map(tab).join('')}</ul><h4>Skipped</h4>`) },
      '/two': {
        body: page(`<ul>${[3, 4].map(tab).join('')}</ul><ol>${tab(5)}</ol></main>${outside}<main hidden>`),
      },
      '/logo.png': { status: 204, body: '' },
    });
    try {
      const definition = { starting_url: `${nested.origin}/`, max_pages: 2, perform_a11y_checks: true, rate_limit: 50 };
      const { id: other } = await service.finished((await service.ask('/reports', 'POST', definition)).data.id);
      await until(async () => (await service.all(`/reports/${other}/fixes`)).length > 0);
      const fixes = await service.all(`/reports/${other}/fixes`);
      const shown = fixes.map(({ attributes: fix }) => [
        fix.rule_id ?? fix.message,
        fix.cause ?? fix.markup,
        fix.also.map(({ kind, message }: { kind: string; message: string }) => `${kind}: ${message.slice(0, 20)}`),
        [fix.how_many, fix.errors, fix.num_web_pages],
      ]);
      assert.deepEqual(
        shown.toSorted((one, two) => String(one[0]).localeCompare(String(two[0])) || two[3][0] - one[3][0]),
        [
          [
            'Duplicate ID “tab-1”.',
            '<li id="tab-1">',
            [2, 3, 4].map((number) => `html: Duplicate ID “tab-${number}”`),
            [5, 5, 2],
          ],
          ['Duplicate ID “tab-5”.', '<li id="tab-5">', [], [1, 1, 1]],
          ['heading-order', '<h4>Skipped</h4>', ['html: The heading “h4” (wi'], [1, 2, 1]],
          ['image-alt', NO_ALT, ['a11y: Links must have disc', 'html: An “img” element mus'], [2, 5, 1]],
          ['region', '<div class="body">', [], [2, 2, 1]],
        ],
      );
    } finally {
      await nested.stop();
    }
  });

  it('name the style rule of a color in every format', async () => {
    const pale = '<p class="pale">Pale text</p><p class="pale">Another</p>';
    const colored = await startTestSite({
      '/': { body: page(pale).replace('<title>', '<link rel="stylesheet" href="/look.css"><title>') },
      '/look.css': { headers: { 'content-type': 'text/css' }, body: 'body { background: #fff } .pale { color: #aaa }' },
    });
    try {
      const definition = {
        starting_url: `${colored.origin}/`,
        max_pages: 1,
        perform_a11y_checks: true,
        rate_limit: 50,
      };
      const { id: other } = await service.finished((await service.ask('/reports', 'POST', definition)).data.id);
      await until(async () => (await service.all(`/reports/${other}/fixes`)).length > 0);
      const [fix] = await service.all(`/reports/${other}/fixes`);
      const sheet = { url: `${colored.origin}/look.css`, line: 1 };
      const rule = { selector: '.pale', ...sheet, column: 27, property: 'color', value: '#aaaaaa' };
      const behind = { selector: 'body', ...sheet, column: 1, property: 'background-color', value: '#ffffff' };
      const colorsOf = (of: Record<string, unknown> | undefined) =>
        ['style_rule', 'background_rule', 'edited_color'].map((name) => of?.[name]);
      assert.deepEqual(colorsOf(fix?.attributes), [rule, behind, 'text']);
      const issue = fix?.relationships.common_issue.links.related.split('/').at(-1);
      for (const list of ['clusters', 'occurrences']) {
        const [first] = await service.all(`/reports/${other}/common_a11y_issues/${issue}/${list}`);
        assert.deepEqual(colorsOf(first?.attributes), [rule, behind, 'text'], list);
      }
      const report = await findReport(service.app.db, other);
      assert.ok(report !== undefined);
      const model = readReport(service.app.db, report);
      const html = (await Array.fromAsync(writeHtml(model, null))).join('');
      const markdown = (await Array.fromAsync(writeMarkdown(model, null))).join('');
      assert.match(
        html,
        /, <code>color: #aaaaaa<\/code> set by <code>\.pale<\/code> in <code>look\.css:1:27<\/code>; <code>background-color: #ffffff<\/code> set by <code>body<\/code> in <code>look\.css:1:1<\/code> \(first element\)<br>/,
      );
      assert.match(
        markdown,
        /<br>`#aaaaaa on #ffffff`, `color: #aaaaaa` set by `\.pale` in `look\.css:1:27`; `background-color: #ffffff` set by `body` in `look\.css:1:1` \(first element\) \|/,
      );
      const { terminal, printed } = collectingTerminal();
      await printSummary(service.app.db, report, { output: terminal.stdout, verbose: false });
      assert.match(
        printed.stdout,
        /#aaaaaa on #ffffff {2}color: #aaaaaa set by \.pale in look\.css:1:27; background-color: #ffffff set by body/,
      );
    } finally {
      await colored.stop();
    }
  });

  it('are shown to readers of one of the checks under that check', async () => {
    const all = { number: 1, size: 10 };
    const { rows, total } = await listFixes(service.app.db, id, ['html'], all);
    assert.equal(total, 3);
    assert.deepEqual(
      rows.map(({ kind, rule_id: rule, also }) => [kind, rule, also]),
      rows.map(() => ['html', null, []]),
    );
    assert.match(rows[0]?.message ?? '', /“alt”/);
    const a11y = await listFixes(service.app.db, id, ['a11y'], all);
    assert.deepEqual(
      a11y.rows.map(({ rule_id: rule, also }) => [rule, also]),
      [
        ['image-alt', []],
        ['aria-roles', []],
      ],
    );
  });
});
