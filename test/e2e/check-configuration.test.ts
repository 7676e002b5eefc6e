import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse } from 'yaml';
import { runCommand } from '../../src/commands/program.ts';
import type { Ended } from '../helpers/command-line.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { page, withoutDuration } from '../helpers/faulty-pages.ts';
import { collectingTerminal, runHere } from '../helpers/run-here.ts';
import { startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** `check` with a configuration file. */

const PAGES = {
  '/': page('Home', '<p><a href="old/about">About</a> <a href="news">News</a>'),
  '/old/about': page('About', '<center>Us</center>'),
  '/news': page('News', '<p id="a">One<p id="a">Two'),
};

let service: TestApp;
let directory: string;
let site: TestSite;
const here = process.cwd();

before(async () => {
  service = await startTestApp();
  directory = mkdtempSync(join(tmpdir(), 'sitewarden-configured-'));
  site = await startTestSite(PAGES);
});
after(async () => {
  process.chdir(here);
  await service.close();
  rmSync(directory, { recursive: true });
  await site.stop();
});

const run = (...args: string[]): Promise<Ended> => runHere(['check', ...args], service.environment);

function write(text: string, name = 'sitewarden.yaml'): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

test('without a URL, check takes the file of the working directory; options and the URL take precedence', async () => {
  write(`rate_limit: 100
perform_a11y_checks: false
exclusions: [/old/]
sites:
  - starting_url: ${site.origin}/
    max_issues: 1
`);
  process.chdir(directory);
  const passed = await run();
  assert.equal(passed.status, 0, passed.stderr);
  assert.match(passed.stdout, /\n2 pages found, .*\n1 URL skipped: 1 excluded\n/);
  assert.match(passed.stdout, /\nPassed: 1 error \(1 allowed\)\n$/);
  const stricter = await run('--max-issues', '0', '--exclude', '/news', '--config', 'sitewarden.yaml');
  assert.equal(stricter.status, 1, stricter.stderr);
  assert.match(stricter.stdout, /center.*obsolete/);
  process.chdir(here);
});

test('inclusions check part of a site', async () => {
  const file = write(`{sites: [{starting_url: "${site.origin}/", inclusions: [/news]}], rate_limit: 100}`);
  const configured = await run('--config', file);
  assert.match(configured.stdout, /\n1 page found, .*\n2 URLs skipped: 2 not included\n/);
  const wrong = await run(`${site.origin}/`, '--include', 'news');
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /--include has an invalid inclusion: news must begin with \/, http:\/\/ or https:\/\//);
});

test('several sites are checked one after the other, and the worst decides the exit status', async () => {
  const file = write(`rate_limit: 100
perform_a11y_checks: false
deep_crawl: false
sites:
  - {name: home, starting_url: "${site.origin}/", exclusions: /}
  - {name: news, starting_url: "${site.origin}/news"}
  - {name: gone, starting_url: "${site.origin}/gone"}
`);
  const { status, stdout, stderr } = await run(
    '--config',
    file,
    '--format',
    'json,junit',
    '--output',
    join(directory, 'out'),
  );
  assert.equal(status, 3, stderr);
  assert.match(stderr, /^gone: The starting URL .*404/m);
  assert.match(
    withoutDuration(stdout),
    /\n3 sites: 1 passed \(home\), 1 failed \(news\), 1 could not be checked \(gone\)\n$/,
  );
  const report = JSON.parse(readFileSync(join(directory, 'out', 'news', 'report.json'), 'utf8'));
  assert.equal(report.report.starting_url, `${site.origin}/news`);
  const preview = await run(`${site.origin}/news`, '--config', file, '--site', 'home');
  assert.equal(preview.status, 1, preview.stderr);
  assert.match(
    (await run('--config', file, '--site', 'hom')).stderr,
    /has no site named hom: it has home, news, gone\./,
  );
  assert.match((await run('--config', file, '--format', 'json')).stderr, /Several sites require --output/);
  assert.match(
    (await run('--config', file, '--format', 'json', '--output', 'all.json')).stderr,
    /^--output all\.json is a single file: for several sites, use a directory, such as --output reports\.$/m,
  );
  assert.match(
    (await run('--config', file, '--write-baseline', 'x')).stderr,
    /--write-baseline applies to a single site/,
  );
});

test('a baseline is relative to the file, and --write-baseline writes it first', async () => {
  mkdirSync(join(directory, 'ci'));
  const settings = `rate_limit: 100\nperform_a11y_checks: false\nsites: [{starting_url: "${site.origin}/news"}]`;
  const file = write(`baseline: known.json\n${settings}`, 'ci/site.yaml');
  const known = join(directory, 'ci', 'known.json');
  assert.match(
    (await run('--config', file)).stderr,
    /--baseline .*known\.json does not exist: write it with --write-baseline/,
  );
  const written = await run('--config', file, '--write-baseline', known);
  assert.equal(written.status, 0, written.stderr);
  const compared = await run('--config', file);
  assert.equal(compared.status, 0, compared.stderr);
  assert.match(compared.stdout, /\nPassed: 0 new issues \(0 allowed\)\n$/);
  const named = write(`fail_on: [error, unchecked]\n${settings}`, 'ci/named.yaml');
  const again = await run('--config', named, '--baseline', known);
  const passed = 'Passed: 0 new issues and 0 unchecked pages (0 allowed)';
  assert.equal(again.stdout.trimEnd().split('\n').at(-1), passed, 'what init writes does not make known issues fail');
  const both = await run('--config', named, '--baseline', known, '--fail-on', 'new,error');
  assert.match(both.stdout, /\nFailed: \d errors? \(0 allowed\)\n$/);
});

/** Three images without alternative text, one of which a script creates, and a duplicate id. */
const MUTABLE = {
  '/': page(
    'Home',
    '<p id="a">One<p id="a">Two<div class="banner"><p><img src="data:,"></div><img id="logo" src="data:,">' +
      '<div id="app"></div><script>document.getElementById("app").innerHTML = `<img class="widget" src="data:,">`</script>',
  ),
};

test('a run turns from red to green by mutings of rules, messages and selectors', async (t) => {
  const home = await startTestSite(MUTABLE);
  t.after(() => home.stop());
  const start = `rate_limit: 100\nperform_a11y_checks: true\nfail_on: [error]\nsites: [{starting_url: "${home.origin}/"}]\n`;
  const some = `${start}mutings:
  - {rule: image-alt, selector: .banner, reason: The banner goes away.}
  - {message: alt, selector: div.banner > p, reason: The banner goes away.}
  - {selector: img.widget, reason: Not ours.}
`;
  const less = await run('--config', write(some), '--verbose', '--keep');
  assert.equal(less.status, 1, less.stderr);
  assert.match(less.stdout, /\n3 issues muted\n/);
  assert.match(less.stdout, /\nFailed: 3 errors \(0 allowed\)\n/);
  assert.doesNotMatch(less.stderr, /muting/);
  const partly = /Report (\S+) was saved/.exec(less.stdout)?.[1] ?? '';
  const total = async (): Promise<number> => (await service.all(`/reports/${partly}/common_html_issues`)).length;
  const before = await total();
  const { data } = await service.ask('/mutings', 'POST', { url_match: home.origin, message: 'alt' });
  await until(async () => (await total()) === before - 1);
  await assertCountsAddUp(service.app.db, partly);
  await service.ask(`/mutings/${data.id}`, 'DELETE');
  await until(async () => (await total()) === before);
  await assertCountsAddUp(service.app.db, partly);
  const green = await run(
    '--config',
    write(`${some}  - {rule: image-alt, reason: Known.}
  - {message: element must have an “alt” attribute, reason: Known.}
  - {message: Duplicate ID, url: "${home.origin}", reason: Known.}
  - {rule: alt, reason: Not a whole rule.}
  - {rule: image-alt, url: /elsewhere, reason: Another page.}
  - {message: Duplicate ID, expires: 2024-02-29, reason: For a time.}
`),
    '--keep',
  );
  assert.equal(green.status, 0, green.stderr);
  assert.match(green.stdout, /\nPassed: 0 errors \(0 allowed\)\n/);
  assert.deepEqual(
    green.stderr.match(/^.*muting of.*$/gm)?.map((line) => line.replace(/^.*sitewarden\.yaml/, '')),
    [
      ':14: The muting of message "Duplicate ID" expired on 2024-02-29: its issues count again.',
      ':12: The muting of rule "alt" matched nothing. If the issue is fixed, delete the muting.',
      ':13: The muting of rule "image-alt" matched nothing. If the issue is fixed, delete the muting.',
    ],
  );
  const id = /Report (\S+) was saved/.exec(green.stdout)?.[1] ?? '';
  await assertCountsAddUp(service.app.db, id);
  const listed = await service.ask(`/reports/${id}/mutings`);
  assert.deepEqual(
    listed.data.map(({ attributes }: { attributes: { message: string } }) => attributes.message),
    ['Duplicate ID', 'element must have an “alt” attribute', 'image-alt', '', 'alt', 'image-alt'],
  );
  assert.equal((await service.ask('/mutings')).data.length, 0, 'they are not mutings of the account');
});

test('budgets allow existing issues, and fail when there are more', async (t) => {
  const home = await startTestSite(MUTABLE);
  t.after(() => home.stop());
  const start = `rate_limit: 100\nperform_a11y_checks: true\nsites: [{starting_url: "${home.origin}/"}]\n`;
  const kept = await run(
    '--config',
    write(`${start}budgets:
  - {rule: image-alt, max: 3}
  - {message: attribute, max: 4}
  - {message: Duplicate ID, max: 1}
  - {count: critical, max: 3}
`),
  );
  assert.equal(kept.status, 0, kept.stderr);
  assert.match(kept.stdout, /\nBudget of rule "image-alt": 3 occurrences, 3 allowed\n/);
  assert.match(
    kept.stdout,
    /\nBudget of message "attribute": 2 occurrences, 4 allowed\. To keep this level, lower max to 2\n/,
  );
  assert.match(kept.stdout, /\nPassed: 0 errors \(0 allowed\)\n$/);
  const both = await run('--config', write(`${start}budgets: [{rule: image-alt, max: 2}]`));
  assert.match(
    both.stdout,
    /\nBudget of rule "image-alt": 3 occurrences, 2 allowed: exceeded\nFailed: \d errors \(0 allowed\), and 1 budget exceeded\n$/,
  );
  const wrong = await run('--config', write(`${start}budgets: [{rule: a, count: error, max: 1}, {rule: a}]`));
  assert.match(
    wrong.stderr,
    /:4:11: A budget requires one of rule, message and count\.\n.*:4:44: max can't be blank\./,
  );
});

test('init writes a file that check accepts: from options, or by asking again until an input is valid', async () => {
  const output = join(directory, 'init.yaml');
  const options = ['--max-pages', '1', '--no-a11y', '--fail-on', 'never', '--output', output];
  const written = await runHere(['init', `${site.origin}/news`, ...options]);
  assert.equal(written.status, 0, written.stderr);
  assert.match(written.stdout, /^Wrote .*init\.yaml\. To check the site, run .*check --config .*init\.yaml\n$/);
  const checked = await run('--config', output);
  assert.equal(checked.status, 0, checked.stderr);
  assert.match(checked.stdout, /\n1 page found/);
  const { terminal, printed } = collectingTerminal();
  const answers = ['example.com', 'https://example.com/', '0', '', 'perhaps', 'n', 'critical,unchecked'];
  const asked: string[] = [];
  const ask = async (question: string): Promise<string> => {
    asked.push(question);
    return answers.shift() ?? '';
  };
  await runCommand(['init', '--output', output, '--force'], Object.assign(terminal, { ask }));
  assert.equal(terminal.exitStatus, undefined, printed.stderr);
  assert.deepEqual([answers.length, asked.length], [0, 7]);
  assert.deepEqual(parse(readFileSync(output, 'utf8')), {
    max_pages: 100,
    perform_a11y_checks: false,
    fail_on: 'critical,unchecked',
    sites: [{ starting_url: 'https://example.com/' }],
  });
  assert.match(printed.stderr, /max_pages must be a whole number from 1 to 10000\.\nEnter yes or no, not perhaps\.\n$/);
});

test('the example in the documentation works as it says', async () => {
  const text = readFileSync(join(here, 'docs', 'configuration-file.md'), 'utf8');
  const example = /^```yaml\n(.*?)^```$/ms.exec(text)?.[1] ?? '';
  assert.match(example, /https:\/\/example\.com\//);
  const file = write(example.replaceAll('https://example.com/', `${site.origin}/`));
  const { status, stdout, stderr } = await run('--config', file, '--rate-limit', '100');
  assert.equal(status, 1, stderr);
  assert.match(stdout, /\n2 sites: 1 passed \(news\), 1 failed \(main\)\n$/);
});
