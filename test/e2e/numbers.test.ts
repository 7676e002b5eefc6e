import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import type { Page } from 'playwright-core';
import readWorkbook from 'read-excel-file/node';
import { printSummary } from '../../src/commands/check-summary.ts';
import { composeMessage, type Message } from '../../src/notifications/compose-message.ts';
import { eventText } from '../../src/notifications/event-text.ts';
import { stopReport } from '../../src/store/reports/report-end.ts';
import { findReport } from '../../src/store/reports/reports.ts';
import { average } from '../../web/src/lib/formats.ts';
import { agentAt } from '../helpers/agent.ts';
import { type Dashboard, startDashboard } from '../helpers/dashboard.ts';
import {
  add,
  changesOf,
  errorsOf,
  foundOf,
  IMPACTS,
  KINDS,
  type Numbers,
  nothing,
  numbersOf,
  pagesOf,
  sum,
} from '../helpers/found-numbers.ts';
import { FONT, NOW, type NumbersSite, page, startNumbersSite } from '../helpers/numbers-site.ts';
import { collectingTerminal } from '../helpers/run-here.ts';
import type { Item } from '../helpers/start-app.ts';
import { until } from '../helpers/until.ts';

/**
 * One report with every special case: pages that return 404, muted issues, findings that need review, decisions, a re-checked and
 * a deleted page, broken links, more and fewer occurrences than before. Its numbers are the same everywhere: docs/numbers.md.
 */

let dashboard: Dashboard;
/** The window of `screen`. */
let shown: Page | undefined;
let site: NumbersSite;
let id: string;
/** Its numbers now. */
let counted: Numbers;
/** Its numbers when it ended, before a re-check, a muting and decisions. A page has been deleted from both. */
let ended: Numbers;

before(async () => {
  site = await startNumbersSite();
  dashboard = await startDashboard();
  const { ask, all } = dashboard.service;
  await check();
  site.pages = NOW;
  id = await check();
  const found = await all(`/reports/${id}/web_pages`);
  const pathOf = (path: string): string =>
    `/reports/${id}/web_pages/${found.find(({ attributes }) => new URL(attributes.url).pathname === path)?.id}`;
  await ask(pathOf('/deleted'), 'DELETE');
  ended = await numbersOf(dashboard.service, id);
  await ask('/mutings', 'POST', { url_match: site.origin, message: '“center” element', comment: 'Known' });
  site.pages = { ...NOW, '/b': page(`${FONT.repeat(2)}`) };
  await ask(pathOf('/b'), 'PATCH', { status: 'pending' });
  await dashboard.service.finished(id);
  await decide('a11y', 'filter[issue_type]=warning', 'error');
  await decide('html', 'filter[message]=blink', 'not_an_error');
  await until(async () => {
    const muted = await all(`/reports/${id}/common_html_issues?filter[muted]=true`);
    const decided = await all(`/reports/${id}/common_a11y_issues?filter[verdict]=error`);
    const refuted = await all(`/reports/${id}/common_html_issues?filter[muted]=not_an_error`);
    return [muted, decided, refuted].every((types) => types.length > 0);
  });
  await dashboard.service.compared(id);
  counted = await numbersOf(dashboard.service, id);
});
after(async () => {
  await dashboard?.close();
  await site?.stop();
});

/** Decides about the first occurrence of the first issue type that a filter finds. */
async function decide(kind: string, query: string, verdict: string): Promise<void> {
  const { ask, all } = dashboard.service;
  const [type] = await all(`/reports/${id}/common_${kind}_issues?${query}`);
  const [occurrence] = await all(`/reports/${id}/common_${kind}_issues/${type?.id}/occurrences`);
  await ask(`/reports/${id}/decisions`, 'POST', { occurrence: occurrence?.id, scope: 'occurrence', verdict });
}

async function check(): Promise<string> {
  const report = await dashboard.service.finished(await start());
  await dashboard.service.compared(report.id);
  return report.id;
}

async function start(): Promise<string> {
  if (shown !== undefined) await dashboard.leave(shown);
  shown = undefined;
  const checks = { perform_html_checks: true, perform_a11y_checks: true, perform_link_checks: true };
  const definition = { starting_url: `${site.origin}/`, rate_limit: 50, shared: true, tags: ['numbers'], ...checks };
  return (await dashboard.service.ask('/reports', 'POST', definition)).data.id;
}

/** Checks the first page and stops before the others respond. */
async function checkFirstPage(): Promise<string> {
  const { ask, finished, app } = dashboard.service;
  const released = Promise.withResolvers<void>();
  site.held = released.promise;
  const report = await start();
  await until(async () => {
    const { checks } = (await ask(`/reports/${report}`)).data.attributes;
    return KINDS.every((kind) => checks[kind].status.checked === 1);
  });
  await stopReport(app.db, report);
  site.held = undefined;
  released.resolve();
  await finished(report);
  await dashboard.service.compared(report);
  return report;
}

const token = (): string => dashboard.service.environment['SITEWARDEN_ADMIN_TOKEN'] ?? '';

async function download(format: string, secret = token()): Promise<Response> {
  const answer = await fetch(`${dashboard.service.api}/reports/${id}/export?format=${format}`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  assert.equal(answer.status, 200);
  return answer;
}

/** What a channel is sent when a report has finished. */
function messageOf(of: string): Promise<Message | null> {
  const delivery = { event: 'report.finished', report_id: of, schedule_id: null, details: {}, inserted_at: new Date() };
  const channel = { id: '', name: '', target: '' };
  return composeMessage(dashboard.service.app.db, { ...delivery, channel } as never, 'https://sitewarden.example');
}

/** Returns the text of a screen of the owner, which is loaded anew after a report. */
async function screen(path: string): Promise<string> {
  if (shown === undefined) shown = await dashboard.open(path);
  else await dashboard.visit(shown, path);
  return textOf(shown);
}

async function textOf(window: Page): Promise<string> {
  await dashboard.settled(window);
  const [text = ''] = await window.locator('main').allInnerTexts();
  return text.replace(/\s+/g, ' ');
}

async function report(): Promise<Item> {
  return (await dashboard.service.ask(`/reports/${id}`)).data;
}

describe('the numbers of a report are the same', () => {
  test('and include its special cases', () => {
    const { html, a11y, link, found, checked, passed } = counted;
    assert.ok(
      [html.errors, html.warnings, a11y.errors, a11y.warnings, link.errors].every((count) => count > 0),
      JSON.stringify(counted),
    );
    assert.ok(a11y.impacts.critical > 0 && a11y.impacts.serious > 0);
    assert.ok(found > checked && checked >= passed, `${found} ${checked} ${passed}`);
  });

  test('in the report, its pages, its common issues, the list of sites and statistics', async () => {
    const { all } = dashboard.service;
    const { attributes } = await report();
    const list = await all(`/reports/${id}/web_pages`);
    for (const kind of KINDS) {
      assert.deepEqual(foundOf(attributes.checks[kind].issues), counted[kind], kind);
      const ofPages = list.map((each) => foundOf(each.attributes[`${kind}_check`]));
      const common = nothing();
      for (const issue of await all(`/reports/${id}/common_${kind}_issues`)) add(common, issue.attributes);
      assert.deepEqual(common, counted[kind], kind);
      assert.equal(sum(ofPages.map(({ errors }) => errors)), counted[kind].errors);
      assert.equal(sum(ofPages.map(({ impacts }) => impacts.critical)), counted[kind].impacts.critical);
    }
    assert.equal(attributes.num_pages, counted.found);
    assert.deepEqual(attributes.pages, { checked: counted.checked, passed: counted.passed });
    const { severity } = attributes.checks.a11y.issues;
    assert.equal(
      sum(IMPACTS.map((impact) => severity[impact])),
      counted.a11y.errors + counted.a11y.warnings,
      'the severity of the contract counts both',
    );

    const site = (await all('/sites'))[0]?.attributes;
    const [run] = site?.runs ?? [];
    const ofRun = ({ errors, critical, checked, passed }: typeof run) => [errors, critical, checked, passed];
    const expected = (of: Numbers) => [errorsOf(of), of.a11y.impacts.critical, of.checked, of.passed];
    assert.equal(run.report_id, id);
    assert.deepEqual(ofRun(run.now), expected(counted));
    assert.deepEqual(ofRun(run), expected(ended));
    assert.notDeepEqual(expected(ended), expected(counted));
    assert.deepEqual(attributes.at_end.pages, { checked: ended.checked, passed: ended.passed });
    const [stat] = (await all('/stats?interval=month')).map((each) => each.attributes);
    for (const kind of KINDS) {
      assert.deepEqual(foundOf(attributes.at_end.checks[kind].issues), ended[kind]);
      assert.deepEqual(foundOf(stat?.[kind]), ended[kind]);
    }
    assert.deepEqual(
      [stat?.sites, stat?.reports, stat?.web_pages, stat?.checked, stat?.passed],
      [1, 2, ended.found, ended.checked, ended.passed],
    );
    const checkedOf = ({ pages: { passed, with_errors: failed } }: Item['attributes']) => passed + failed;
    const perPage = KINDS.map((kind) => ended[kind].errors / checkedOf(attributes.at_end.checks[kind]));
    assert.ok(Math.abs(stat?.errors_per_page - sum(perPage)) < 1e-9);
    assert.ok(Math.abs(run.errors_per_page - sum(perPage)) < 1e-9);
    assert.equal(site?.errors_per_page, run.now.errors_per_page);
    const perPageNow = KINDS.map((kind) => counted[kind].errors / attributes.checks[kind].status.checked);
    assert.ok(Math.abs(run.now.errors_per_page - sum(perPageNow)) < 1e-9);
  });

  test('in all files', async () => {
    const { attributes } = await report();
    // biome-ignore lint/suspicious/noExplicitAny: the test looks into the file freely.
    const json: any = await (await download('json')).json();
    assert.deepEqual(json.report.checks, attributes.checks);
    assert.ok(attributes.change.new > 0);
    assert.deepEqual(json.report.change, attributes.change);
    const secret = new URL(attributes.share_url).pathname.split('/').at(-1) ?? '';
    // biome-ignore lint/suspicious/noExplicitAny: the test looks into the file freely.
    const shared: any = await (await download('json', secret)).json();
    assert.equal(shared.report.change, undefined, 'readers of a share link do not see the previous report');
    const rows: Record<string, string>[] = parse(await (await download('csv')).text(), { columns: true, bom: true });
    for (const kind of KINDS) {
      const found = nothing();
      for (const row of rows.filter((each) => each['check'] === kind && each['type'] !== 'unchecked')) {
        add(found, { issue_type: row['type'], impact: row['impact'] === '' ? null : row['impact'] }, 1);
      }
      assert.deepEqual(found, counted[kind], `csv ${kind}`);
    }
    const { a11y, html, found, checked } = counted;
    const impacts = IMPACTS.filter((impact) => a11y.impacts[impact] > 0)
      .map((impact) => `${a11y.impacts[impact]} ${impact}`)
      .join(', ');
    const md = await (await download('md')).text();
    assert.ok(md.includes(`${found} pages found, ${checked} checked, ${found - checked} could not be checked`), md);
    assert.ok(md.includes(`| ${a11y.errors} (${impacts}) |  | ${a11y.warnings} |`), md);
    assert.ok(md.includes(`| ${html.errors} | ${html.warnings} |`), md);
    const document = (await (await download('html')).text()).replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
    assert.ok(document.includes(`${found} pages found, ${checked} checked, ${found - checked} could not be checked`));
    assert.match(document, new RegExp(`${a11y.errors} errors?: . ${a11y.impacts.critical} critical`));
    assert.match(document, new RegExp(`Accessibility .*${a11y.warnings} needs? review`));
    const [summary] = await readWorkbook(Buffer.from(await (await download('xlsx')).arrayBuffer()));
    const cells = new Map(summary?.data.map(([name, value]) => [name, value]));
    assert.deepEqual(
      [
        'Pages found',
        'Pages checked',
        'Passing pages',
        'Accessibility: critical errors',
        'Accessibility: needs review',
      ].map((name) => cells.get(name)),
      [found, checked, counted.passed, a11y.impacts.critical, a11y.warnings],
    );
  });

  test('in the terminal, in messages and for agents', async () => {
    const { db } = dashboard.service.app;
    const stored = await findReport(db, id);
    assert.ok(stored !== undefined);
    const { terminal, printed } = collectingTerminal();
    await printSummary(db, stored, { output: terminal.stdout, verbose: false });
    const { a11y, html, link, found } = counted;
    const impacts = IMPACTS.filter((impact) => a11y.impacts[impact] > 0).map(
      (impact) => `${a11y.impacts[impact]} ${impact}`,
    );
    const accessibility = `${a11y.errors} errors (${impacts.join(', ')}), ${a11y.warnings} ${a11y.warnings === 1 ? 'needs' : 'need'} review`;
    assert.ok(printed.stdout.includes(`Accessibility  ${accessibility} on`), printed.stdout);
    assert.match(printed.stdout, new RegExp(`HTML {2}${html.errors} errors?, ${html.warnings} warnings?`));
    assert.ok(printed.stdout.includes(`${found} pages found`));

    const message = await messageOf(id);
    const told = message?.data.report;
    assert.deepEqual(
      [told?.errors, told?.warnings, told?.needs_review, told?.num_pages, told?.pages_checked, told?.pages_passed],
      [errorsOf(counted), html.warnings + link.warnings, a11y.warnings, found, counted.checked, counted.passed],
    );
    assert.ok(message !== null);
    assert.ok(
      eventText(message, 'https://sitewarden.example').sentences.join(' ').includes(`Need review: ${a11y.warnings}.`),
    );

    const agent = await agentAt(`${dashboard.origin}/mcp`, token());
    const { text } = await agent.call('get_report', { report_id: id });
    await agent.close();
    assert.ok(text.includes(`Accessibility: ${accessibility}`), text);
  });

  test('in the list of changes now, in the filters of issues and in the overview', async () => {
    const { all, ask, app } = dashboard.service;
    // biome-ignore lint/suspicious/noExplicitAny: the test looks into the response freely.
    const { meta }: any = await ask(`/reports/${id}/changes?at=now`);
    const { new: added, regressed, fixed } = meta.changes;
    assert.ok(added > 0 && fixed > 0);
    const [listed] = await all('/sites');
    const worse = [];
    for (const change of ['new', 'regressed']) {
      for (const kind of KINDS) {
        const types = await all(`/reports/${id}/common_${kind}_issues?filter[change]=${change}`);
        for (const { attributes } of types.filter((type) => type.attributes.issue_type === 'error'))
          worse.push(attributes.changed_occurrences[change]);
      }
    }
    assert.equal(listed?.attributes.worse.new_errors, sum(worse));
    assert.deepEqual(
      [listed?.attributes.change.new, listed?.attributes.change.regressed, listed?.attributes.change.fixed],
      [added, regressed, fixed],
    );
    const occurrences = [];
    for (const kind of KINDS) {
      for (const { attributes } of await all(`/reports/${id}/common_${kind}_issues?filter[change]=new`)) {
        occurrences.push(attributes.changed_occurrences.new);
        assert.ok(['new', 'more', 'persisting', 'fewer'].includes(attributes.change));
      }
    }
    assert.equal(sum(occurrences), added, 'the filter finds what the summary counts');
    const images = (await all(`/reports/${id}/common_a11y_issues?filter[help]=alternative`))[0]?.attributes;
    assert.deepEqual([images?.change, images?.how_many_before, images?.how_many], ['more', 4, 4 + 2 - 2]);
    assert.ok(app !== undefined);
  });

  test('on every screen', async () => {
    const { a11y, html, found, checked, passed } = counted;
    const { attributes } = await report();
    const summary = await screen(`/reports/${id}`);
    for (const impact of IMPACTS) assert.match(summary, new RegExp(`\\b${a11y.impacts[impact]} ${impact}`), summary);
    assert.match(summary, new RegExp(`\\b${a11y.warnings} ${a11y.warnings === 1 ? 'needs' : 'need'} review`));
    assert.match(summary, new RegExp(`\\b${html.errors} errors`));
    // biome-ignore lint/suspicious/noExplicitAny: the test looks into the response freely.
    const { meta }: any = await dashboard.service.ask(`/reports/${id}/changes`);
    const { new: added, fixed } = meta.changes;
    assert.ok(summary.includes(`${added} new in ${meta.issue_types.new} issue types`), summary);
    assert.match(await screen(`/reports/${id}/changes`), new RegExp(` ${added} new .* ${fixed} fixed `));

    const list = await screen('/reports');
    const graded = [...IMPACTS.map((impact) => a11y.impacts[impact]), a11y.warnings].map((count) => `. ?${count}`);
    const links = [counted.link.errors, counted.link.warnings].map((count) => `. ?${count}`);
    assert.match(list, new RegExp([...graded, ...links].map((each) => `${each}[^\\d]*`).join('')), list);
    const home = (await dashboard.service.all(`/reports/${id}/web_pages`)).find(
      (each) => new URL(each.attributes.url).pathname === '/',
    );
    const ofPage = KINDS.map((kind) => home?.attributes[`${kind}_check`]);
    const { critical, serious } = home?.attributes.a11y_check.errors_by_impact ?? {};
    assert.match(
      await screen(`/reports/${id}/pages/${home?.id}`),
      new RegExp(`. ?${sum(ofPage.map(({ errors }) => errors))} errors . ?${critical} critical . ?${serious} serious`),
    );
    const overview = await screen('/');
    assert.match(overview, new RegExp(`\\+ ?${added}`), overview);
    assert.ok(overview.includes(`${passed} of ${checked}`), overview);
    assert.match(overview, new RegExp(`■ ?${errorsOf(counted)}`), overview);
    assert.match(overview, new RegExp(`⬣ ?${a11y.impacts.critical}`), overview);
    const [stat] = (await dashboard.service.all('/stats')).map((each) => each.attributes);
    const stats = await screen('/stats');
    const perPage = average(stat?.errors_per_page);
    const [site] = await dashboard.service.all('/sites');
    const perPageNow = average(site?.attributes.errors_per_page);
    assert.match(overview, new RegExp(`\\b${perPageNow} . ?`), overview);
    const words = `${site?.attributes.worse.new_errors} new error`;
    for (const text of [overview, await screen(`/sites/${site?.id}`)]) {
      assert.ok(text.includes(words) && text.includes(` ${perPageNow} `), text);
    }
    assert.match(stats, new RegExp(`\\b2 ${ended.found} ${perPage} ${ended.passed} of ${ended.checked}, `), stats);
    const reader = await dashboard.open(new URL(attributes.share_url).pathname);
    const shared = await textOf(reader);
    await dashboard.leave(reader);
    assert.ok(shared.includes(`${checked} of ${found} pages were checked`), shared);
    assert.ok(shared.includes(`${found - checked} page could not be checked`), shared);
    assert.deepEqual(dashboard.takeFaults(), []);
  });
});

test('links next to numbers of the results now lead to the changes of the results now', async () => {
  const window = await dashboard.open('/');
  const ends = { now: { at: 'now' }, end: {} } as const;
  const linked = async (name: RegExp): Promise<URL> => {
    const path = (await window.getByRole('link', { name }).first().getAttribute('href')) ?? '';
    return new URL(path, dashboard.origin);
  };
  const counts = await Promise.all(
    Object.values(ends).map(async (query) => {
      const search = new URLSearchParams(query).toString();
      // biome-ignore lint/suspicious/noExplicitAny: the test looks into the response freely.
      return ((await dashboard.service.ask(`/reports/${id}/changes?${search}`)) as any).meta.changes;
    }),
  );
  assert.notDeepEqual(counts[0], counts[1]);
  const status = await linked(/ new errors?/);
  assert.deepEqual([status.pathname, status.searchParams.get('at')], [`/reports/${id}/changes`, 'now']);
  await dashboard.load(window, status.pathname + status.search);
  await window.getByRole('button', { name: new RegExp(`^${counts[0].new} new`) }).waitFor();
  await dashboard.load(window, `/reports/${id}`);
  const summary = await linked(/^Compare the current results$/);
  assert.deepEqual([summary.pathname, summary.searchParams.get('at')], [`/reports/${id}/changes`, 'now']);
  await window.close();
});

describe('the changes since the previous report add up, on every screen, in messages and for agents', () => {
  async function callAgent(tool: string, input: Record<string, unknown>): Promise<string> {
    const agent = await agentAt(`${dashboard.origin}/mcp`, token());
    const { text } = await agent.call(tool, input);
    await agent.close();
    return text;
  }

  test('after a page was deleted from the previous report', async () => {
    assert.deepEqual(await pagesOf(dashboard.service, id), [['removed', '/deleted', true, false, null]]);
    assert.match(await screen(`/reports/${id}/changes`), / gone \/deleted .*200 deleted from this report/);
  });

  test('after a page was gone, and another is found again', async () => {
    const { '/a': _, ...others } = NOW;
    site.pages = { ...others, '/b': page(FONT.repeat(3)) };
    const gone = await check();
    const counts = await changesOf(dashboard.service, gone);
    // The first report had all elements of /b. One of them came back after the earlier report had ended.
    // Links of three pages to /a are new errors.
    assert.deepEqual([counts['new'], counts['regressed']], [3, 2]);
    assert.ok((counts['unverified'] ?? 0) > 0 && (counts['not_checked_before'] ?? 0) > 0, JSON.stringify(counts));
    assert.deepEqual((await pagesOf(dashboard.service, gone)).toSorted(), [
      ['added', '/deleted', true, true, null],
      ['broken', '/a', false, false, 'error_status'],
    ]);
    assert.match(
      await screen(`/reports/${gone}/changes`),
      / found again \/deleted .*200 deleted from the earlier report/,
    );
    const compared = await callAgent('compare_reports', { report_id: gone, limit: 25 });
    const font = compared.split('\n').find((line) => line.includes('“font” element')) ?? '';
    assert.match(
      font,
      /^- more html:\d+ error: .*, 1 → 3 on 1 page \(2 back, 1 not verified because the page now returns 404 or 410\), for example ⟦.*\/b⟧ line 1$/,
    );
    assert.match(
      await screen(`/reports/${gone}/changes?change=unverified`),
      /▴ more .*1 → before, now 3 2 back, 1 not verified/,
    );

    site.pages = NOW;
  });

  test('after a report that was stopped', async () => {
    const stopped = await checkFirstPage();
    assert.ok(((await changesOf(dashboard.service, stopped))['unverified'] ?? 0) > 0);
    assert.match(await callAgent('get_report', { report_id: stopped }), /⟧: stopped early, \d pages? found\./);
    assert.match(await callAgent('list_reports', {}), new RegExp(`${stopped} .*⟧: stopped early at `));
    assert.match(await callAgent('list_sites', {}), new RegExp(`last report ${stopped}: stopped early at `));
    const { terminal, printed } = collectingTerminal();
    const stored = await findReport(dashboard.service.app.db, stopped);
    assert.ok(stored !== undefined);
    await printSummary(dashboard.service.app.db, stored, { output: terminal.stdout, verbose: false });
    assert.match(printed.stdout, /\d pages? found, stopped early after \d+/);
    const now = await check();
    const counts = await changesOf(dashboard.service, now);
    const again = counts['not_checked_before'] ?? 0;
    assert.ok(again > 0 && counts['unverified'] === 0, JSON.stringify(counts));
    const words = `${again} not checked before, ${counts['persisting']} as before`;
    assert.ok((await callAgent('get_report', { report_id: now })).includes(words));
    const message = await messageOf(now);
    assert.ok(message !== null);
    const { sentences } = eventText(message, 'https://sitewarden.example');
    const changed = sentences.find((sentence) => sentence.startsWith('Since the last report'));
    assert.match(
      changed ?? '',
      new RegExp(`^Since the last report: .*\\b${again} not checked before, .*\\d fixed\\.$`),
    );
    const changes = await screen(`/reports/${now}/changes?change=not_checked_before`);
    assert.match(changes, /◦ not checked before .* page is in one report only \d+ not checked before/);
    assert.doesNotMatch(changes, /as before [^=◦]* 0 → /);
    assert.ok((await screen(`/reports/${now}`)).includes(`${again} not checked before in `));
    for (const path of ['/', '/reports', `/sites/${(await dashboard.service.all('/sites'))[0]?.id}`]) {
      assert.match(await screen(path), new RegExp(`◦ ?${again} ?not checked before`), path);
    }
    const list = await dashboard.service.all('/reports?sort=last_checked_at-asc');
    assert.equal(list[0]?.attributes.change, null, 'the first report has nothing to be compared with');
    assert.ok(list.slice(1).every(({ attributes }) => attributes.change !== null));
    assert.deepEqual(dashboard.takeFaults(), []);
  });
});
