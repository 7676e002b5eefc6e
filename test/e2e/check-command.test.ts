import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { CommanderError } from 'commander';
import { pino } from 'pino';
import { createProgram } from '../../src/commands/program.ts';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { AppError } from '../../src/platform/errors.ts';
import { livingWorkers } from '../../src/queue/claims.ts';
import { joinWorkers } from '../../src/queue/worker.ts';
import { openDatabase } from '../../src/store/database.ts';
import { createInstallation, type Ended, type Installation, type Serving } from '../helpers/command-line.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';
import { vault } from '../helpers/vault.ts';

const log = pino({ level: 'silent' });
let installation: Installation;
/** Its warm checkers do the work of most tests. */
let serving: Serving;
let site: TestSite;
let gate = Promise.withResolvers<void>();

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of.
const COLOUR = /\x1b\[\d+m/g;

const page = (title: string, content: string): string =>
  `<!DOCTYPE html><html lang="en"><title>${title}</title><main><h1>${title}</h1>${content}</main></html>`;

before(async () => {
  installation = createInstallation();
  serving = await installation.serve();
  site = await startTestSite({
    '/good': page('Good', '<p>Nothing is wrong here.</p>'),
    '/bad': page(
      'Bad',
      '<p id="a">One<p id="a">Two<p><a href="/worse">Worse</a><p><a href="/missing">Missing</a>' +
        '<p><a href="https://elsewhere.invalid/">Elsewhere</a>',
    ),
    '/worse': page('Worse', '<img src="data:,"><img src="data:,"><p><a href="/bad">Bad</a>'),
    '/missing': { status: 404, body: 'Not found' },
    '/leaves': '<!DOCTYPE html><html lang="en"><title>Leaves</title><script>location = "/good"</script><h1>Leaves</h1>',
    '/slow': page('Slow', '<p><a href="/gated">Gated</a>'),
    '/gated': async (_request, response) => {
      await gate.promise;
      response.setHeader('content-type', 'text/html').end(page('Gated', ''));
    },
  });
});
after(async () => {
  gate.resolve();
  installation.remove();
  await site.stop();
});

const check = (path: string, ...options: string[]): Promise<Ended> =>
  installation.run(['check', `${site.origin}${path}`, '--rate-limit', '100', ...options]);

const DUPLICATE = { message: 'Duplicate ID “a”.', tags: ['duplicate id', 'id'] };
const FIRST = { message: 'The first occurrence of ID “a” was here.', tags: ['duplicate id', 'id'] };
const NO_ALT = {
  message:
    'An “img” element must have an “alt” attribute, except under certain conditions. For details, consult guidance on ' +
    'providing text alternatives for images.',
  tags: ['attribute', 'element', 'image', 'missing attribute'],
};
/** Stands for the report's id, which differs from run to run. */
const ID = 'the report';

function summaryOfBad(file: string): string {
  return `
${site.origin}/bad
3 pages found, finished
1 URL left out: 1 on other sites

HTML  3 errors, 1 warning on 2 pages, 1 page could not be checked
       2 × error  ${NO_ALT.message.slice(0, 109)}…
           ${site.origin}/worse
       1 × error  ${DUPLICATE.message}
           ${site.origin}/bad
       1 × warning  ${FIRST.message}
           ${site.origin}/bad

Could not be checked: 1 page
  ${site.origin}/missing
      The page answered 404
      linked from ${site.origin}/bad

Wrote ${file}
Not passed: 3 issues of the kind error, and none is allowed.
`;
}

interface Occurrence {
  readonly extract: string;
  readonly firstColumn: number;
  readonly length: number;
}

function exportOfBad() {
  const kind = (type: string, what: object, howMany: number) => ({
    ...{ issue_type: type, issue_sub_type: null, how_many: howMany },
    ...what,
  });
  const common = (type: string, what: object, howMany: number) => ({
    ...kind(type, what, howMany),
    ...{ report_id: ID, num_web_pages: 1 },
  });
  const issue = (type: string, what: object, ...occurrences: readonly Occurrence[]) => ({
    ...kind(type, what, occurrences.length),
    html: occurrences.map(({ extract, firstColumn, length }) => ({
      extract,
      coordinates: {
        ...{ first_line: 1, last_line: 1, first_column: firstColumn, last_column: firstColumn + length - 1 },
        ...{ hilite_start: 10, hilite_length: length },
      },
    })),
  });
  const checked = (
    path: string,
    title: string,
    linkedFrom: string | null,
    counts: object,
    issues: readonly object[],
  ) => ({
    ...{ url: `${site.origin}${path}`, linked_from: linkedFrom, status: 'checked', http_status: 200 },
    ...{ content_type: 'text/html', title, render_error: null },
    html_check: { errors: 0, warnings: 0, status: 'checked', error: null, ...counts },
    a11y_check: null,
    html_issues: issues,
  });
  const discovered = (url: string, outcome: string, linkedFrom: string | null, more: object) => ({
    ...{ url, outcome, linked_from: linkedFrom, depth: linkedFrom === null ? 0 : 1 },
    ...{ detail: null, target: null, http_status: null, ...more },
  });
  const bad = `${site.origin}/bad`;
  return {
    report: {
      ...{ starting_url: bad, domain: '127.0.0.1', initial_urls: [], exclusions: [], max_pages: 10 },
      ...{
        rate_limit: 100,
        deep_crawl: true,
        prefer_canonical_urls: true,
        device_rotated: false,
        signs_in: false,
        shared: false,
      },
      ...{ tags: [], status: 'finished', crawl_error: null, num_pages: 3, dynamic_crawler: false },
      ...{ respect_robots_txt: false, perform_html_checks: true, perform_a11y_checks: false },
      checks: {
        html: { status: { pending: 0, checked: 2, failed: 1 }, issues: { errors: 3, warnings: 1 } },
        a11y: null,
      },
    },
    common_html_issues: [common('error', NO_ALT, 2), common('error', DUPLICATE, 1), common('warning', FIRST, 1)],
    web_pages: [
      checked('/bad', 'Bad', null, { errors: 1, warnings: 1 }, [
        issue('error', DUPLICATE, { extract: 'id="a">One<p id="a">Two<p>', firstColumn: 81, length: 10 }),
        issue('warning', FIRST, { extract: '1>Bad</h1><p id="a">One<p ', firstColumn: 68, length: 10 }),
      ]),
      checked('/worse', 'Worse', bad, { errors: 2 }, [
        issue(
          'error',
          NO_ALT,
          { extract: 'Worse</h1><img src="data:,"><img s', firstColumn: 72, length: 18 },
          { extract: '="data:,"><img src="data:,"><p><a ', firstColumn: 90, length: 18 },
        ),
      ]),
      {
        ...{ url: `${site.origin}/missing`, linked_from: bad, status: 'failed', http_status: 404 },
        ...{ content_type: 'text/html', title: null, render_error: null, a11y_check: null, html_issues: [] },
        html_check: { errors: 0, warnings: 0, status: 'failed', error: 'The page answered 404' },
      },
    ],
    discovered_urls: [
      discovered(bad, 'page', null, { http_status: 200 }),
      discovered(`${site.origin}/worse`, 'page', bad, { http_status: 200 }),
      discovered(`${site.origin}/missing`, 'failed', bad, { http_status: 404, detail: 'The page answered 404.' }),
      discovered('https://elsewhere.invalid/', 'off_site', bad, {
        detail: `It is not on the site of the report, ${new URL(bad).host}.`,
      }),
    ],
  };
}

/** Ids and times differ from run to run: what can be said of them is what they look like. */
function withoutIdsAndTimes(json: string): unknown {
  return JSON.parse(json, (key, value: unknown) => {
    if (key === 'id') return assert.match(String(value), /^(\d+|[\da-f-]{36})$/);
    if (key === 'report_id') return ID;
    if (key.endsWith('_at')) return assert.match(String(value), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    return value;
  });
}

/** What the program says and would end with; the real thing, without a process for each. */
async function complaintOf(args: readonly string[]): Promise<string> {
  const program = createProgram();
  let told = '';
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({
      writeErr: (text) => {
        told += text;
      },
    });
  }
  const error = await program.parseAsync(args, { from: 'user' }).then(
    () => assert.fail(`${args.join(' ')} was taken`),
    (reason: unknown) => reason,
  );
  if (error instanceof AppError) return `${error.code}: ${error.message}`;
  assert.ok(error instanceof CommanderError, String(error));
  return told;
}

test('wrong usage is refused with a word on what is wrong', async () => {
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['check'], /missing required argument 'url'/],
    [
      ['check', 'http://x/', '--max-pages', '0'],
      /'--max-pages <number>' argument '0' is invalid. It must be a whole number from 1/,
    ],
    [['check', 'http://x/', '--max-pages', 'ten'], /argument 'ten' is invalid. It must be a whole number/],
    [['check', 'http://x/', '--max-issues', '-1'], /'--max-issues <number>' argument '-1' is invalid/],
    [['check', 'http://x/', '--colour'], /unknown option '--colour'/],
    [
      ['check', 'http://x/', '--fail-on', 'error,grave'],
      /^invalid_usage: --fail-on knows error, warning, .*, not "grave"/,
    ],
    [['check', 'http://x/', '--format', 'pdf', '--output', '.'], /^invalid_usage: --format knows json.*, not "pdf"/],
    [['check', 'http://x/', '--format', 'json'], /^invalid_usage: Say with --output DIR/],
    [['check', 'http://x/', '--output', '.'], /^invalid_usage: Say with --format/],
    [['chekc', 'http://x/'], /unknown command 'chekc'/],
  ];
  for (const [args, words] of wrong) assert.match(await complaintOf(args), words);
});

test('wrong usage ends with 2', async () => {
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['check', 'http://x/', '--max-pages', '0'], /^error: option '--max-pages <number>' argument '0' is invalid/],
    [['check', 'http://x/', '--fail-on', 'grave'], /^--fail-on knows error/],
    [
      ['check', 'http://x/', '--fail-on', 'error,critical'],
      /^--fail-on critical counts accessibility issues: add --a11y/,
    ],
    [['check', 'http://x/', '--device', 'iPhone 15'], /^--device is for accessibility checks: add --a11y/],
    [
      ['check', 'http://x/', '--max-pages', '10001', '--no-html'],
      /^Max pages must be .* Perform html checks cannot be/,
    ],
    [['check', 'ftp://x/'], /^Starting url .*\n$/],
  ];
  for (const [args, words] of wrong) {
    // Without the wrapper, which has nothing to do with it.
    const { status, stdout, stderr } = await installation.run(args, { nodeArgs: [] });
    assert.deepEqual([status, stdout], [2, ''], `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, words);
  }
});

test('a site without issues passes', async () => {
  const { status, stdout, stderr } = await check('/good', '--max-pages', '1');
  assert.equal(status, 0, stderr);
  assert.equal(
    stdout,
    `\n${site.origin}/good\n1 page found, finished\n\nHTML  0 errors, 0 warnings on 1 page\n\nPassed: 0 issues of the kind error.\n`,
  );
  assert.match(stderr, /^(Fetching the starting page …\n)?(.*\n)*1 of 1 page done · 0 issues · \d+\.\d pages\/s\n$/);
  assert.equal(stderr.includes('\x1b'), false, 'no control sequences where there is no terminal');
});

test('issues fail it, with the worst kinds, where they are, and what could not be checked', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sitewarden-report-'));
  try {
    const { status, stdout, stderr } = await check('/bad', '--format', 'json', '--output', directory);
    assert.equal(status, 1, stderr);
    assert.equal(stdout, summaryOfBad(join(directory, 'report.json')));
    assert.deepEqual(withoutIdsAndTimes(readFileSync(join(directory, 'report.json'), 'utf8')), exportOfBad());
    assert.deepEqual(readdirSync(directory), ['report.json']);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('what counts against passing can be chosen', async () => {
  const { status, stdout } = await check('/bad', '--max-issues', '3');
  assert.deepEqual([status, stdout.includes('Not passed')], [0, false]);
  const warnings = await check('/bad', '--fail-on', 'warning,error', '--max-issues', '3');
  assert.equal(warnings.status, 1);
  assert.match(warnings.stdout, /\nNot passed: 4 issues of the kind warning, error, and 3 are allowed\.\n$/);
  const axe = ['--no-html', '--a11y', '--max-pages', '3'];
  const serious = await check('/bad', ...axe, '--fail-on', 'serious');
  assert.equal(serious.status, 1, serious.stderr);
  assert.match(serious.stdout, /\n +2 × critical error {2}Images must have alternative text\n +http:\S+\/worse\n/);
  assert.match(serious.stdout, /\nNot passed: 2 issues of the kind serious, and none is allowed\.\n$/);
  assert.doesNotMatch(serious.stdout, /HTML/);
});

test('a site that cannot be checked ends with 3', async () => {
  const missing = await check('/missing');
  assert.equal(missing.status, 3);
  assert.match(
    missing.stdout,
    /1 page found, failed\nThe starting URL could not be checked. The page answered 404\.\n/,
  );
  assert.match(missing.stderr, /The starting URL could not be checked. The page answered 404\.\n$/);
  const gone = await startTestSite({});
  await gone.stop();
  const refused = await installation.run(['check', gone.origin]);
  assert.equal(refused.status, 3);
  assert.match(refused.stderr, /The starting URL could not be checked. The connection was refused\.\n$/);
});

test('a check that could look at no page ends with 3, whatever others found', async () => {
  const { status, stdout, stderr } = await check('/leaves', '--max-pages', '1', '--a11y', '--max-issues', '99');
  assert.equal(status, 3, stderr);
  assert.match(
    stdout,
    /\nHTML {2}0 errors.*\n(.*\n)*Accessibility {2}0 errors, 0 warnings on 0 pages, 1 page could not be checked\n/,
  );
  assert.match(stderr, /Accessibility: no page could be checked\. The reasons are above\.\n$/);
});

test('on a terminal, one line renews itself', async () => {
  const command = `${process.execPath} src/cli.ts check ${site.origin}/good --max-pages 1`;
  const terminal = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { PATH: process.env['PATH'], TERM: 'xterm', SITEWARDEN_DATA_DIR: installation.dataDir },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  terminal.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const [status]: (number | null)[] = await once(terminal, 'close');
  assert.equal(status, 0, text);
  // Colours do not matter here.
  const lines = text.replaceAll(COLOUR, '').split('\r\n');
  const renewed = (lines[0] ?? '').split('\r\x1b[2K');
  assert.ok(renewed.length > 2);
  assert.match(renewed.at(-2) ?? '', /^[⠋-⣿] 1 of 1 page done · 0 issues · /);
  assert.equal(renewed.at(-1), '', 'the line is gone in the end');
  assert.ok(lines.includes('HTML  0 errors, 0 warnings on 1 page'), text);
  assert.ok(text.includes('\x1b[32m0 errors, 0 warnings'), 'in green');
});

test('without another process it does the work itself, and leaves nothing behind', async () => {
  serving.child.kill('SIGTERM');
  assert.equal((await serving.ended).status, 0);
  const { status, stderr } = await check('/good', '--max-pages', '1');
  assert.equal(status, 0, stderr);
  assert.deepEqual([installation.processes(), installation.recordedChildren()], [[], []]);
});

test('a checker that does not start ends with 3', async () => {
  const { status, stderr } = await installation.run(['check', `${site.origin}/good`, '--a11y', '--no-html'], {
    env: { SITEWARDEN_CHROMIUM: '/nonexistent' },
  });
  assert.equal(status, 3, stderr);
  assert.match(stderr, /\n[^{\n]*\/nonexistent[^\n]*\n$/);
});

test('Ctrl-C in the middle ends with 130, the report is thrown away, nothing is left', async () => {
  gate = Promise.withResolvers();
  const running = installation.start(['check', `${site.origin}/slow`, '--max-pages', '2']);
  await until(() => site.requests.some(({ url }) => url === '/gated'));
  running.child.kill('SIGINT');
  const { status, stdout, stderr } = await running.ended;
  assert.equal(status, 130, stderr);
  assert.equal(stdout, '');
  assert.match(stderr, /Stopped\. The report is thrown away\.\n$/);
  assert.deepEqual([installation.processes(), installation.recordedChildren()], [[], []]);
});

test('while another process works on the database, check only watches; it begins itself when there is none any more', async () => {
  const directory = join(installation.dataDir, 'postgres');
  const postgres = await startEmbeddedPostgres({ directory, log });
  const { db, close } = openDatabase(postgres.connectionString, () => undefined);
  // A worker that lives and does nothing.
  const worker = await joinWorkers(postgres.connectionString, db, vault.head, log);
  assert.deepEqual(await livingWorkers(db), [worker.id()]);
  const seen = site.requests.length;
  const watching = installation.start(['check', `${site.origin}/good`, '--max-pages', '1']);
  await until(() => watching.stderr().includes('Fetching the starting page'));
  await delay(1_000);
  assert.equal(site.requests.length, seen, 'it leaves the crawl to the worker');
  assert.deepEqual(installation.recordedChildren(), [], 'it starts no checker');
  await worker.close();
  await close();
  const { status, stderr } = await watching.ended;
  assert.equal(status, 0, stderr);
  await postgres.stop();
});
