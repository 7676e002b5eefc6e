import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ensureFirstAccount } from '../../src/accounts/accounts.ts';
import { listDevices } from '../../src/browser/devices.ts';
import { compileCache, type Ended } from '../helpers/command-line.ts';
import {
  exportOfBad,
  FAULTY_PAGES,
  page,
  summaryOfBad,
  withoutDuration,
  withoutIdsAndTimes,
} from '../helpers/faulty-pages.ts';
import { runHere } from '../helpers/run-here.ts';
import { startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

let service: TestApp;
let site: TestSite;

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colors are made of.
const COLOUR = /\x1b\[\d+m/g;

const STAFF = `Basic ${Buffer.from('me:open sesame').toString('base64')}`;

before(async () => {
  // A running service has warm engines.
  service = await startTestApp();
  site = await startTestSite({
    '/good': page('Good', '<p>Nothing is wrong here.</p>'),
    ...FAULTY_PAGES,
    '/leaves': '<!DOCTYPE html><html lang="en"><title>Leaves</title><script>location = "/good"</script><h1>Leaves</h1>',
    '/moved': { status: 301, headers: { location: '/worse' } },
    '/staff': ({ headers }, response) => {
      const { authorization, 'x-preview': preview, cookie } = headers;
      response.setHeader('content-type', 'text/html');
      if (authorization !== STAFF) response.writeHead(401, { 'www-authenticate': 'Basic realm="Staff"' }).end('No');
      else if (preview !== 'on' || cookie !== 'a=1; b=2') response.writeHead(403).end('No');
      else response.end(page('Staff', '<p>Welcome. <a href="/logout">Log out</a>'));
    },
    '/scripted': page(
      'Scripted',
      '<img src="data:,0"><script>document.body.insertAdjacentHTML("beforeend", `<img src="data:,">`.repeat(6))</script>',
    ),
    '/shell': '<!DOCTYPE html><html lang="en"><title>Shell</title><div id="root"></div><script>0</script>',
  });
});
after(async () => {
  await service.close();
  await site.stop();
});

const check = (path: string, ...options: string[]): Promise<Ended> =>
  runHere(['check', `${site.origin}${path}`, '--no-a11y', '--rate-limit', '100', ...options], service.environment);

test('wrong usage exits with 2', async () => {
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['check', 'http://x/', '--max-pages', '0'], /^error: option '--max-pages <number>' argument '0' is invalid/],
    [['check', 'ftp://x/', '--max-pages', '10001'], /^--max-pages must be .* to 10000\.\nThe URL must begin .*\.\n$/],
  ];
  for (const [args, words] of wrong) {
    const { status, stdout, stderr } = await runHere(args, service.environment);
    assert.deepEqual([status, stdout], [2, ''], `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, words);
  }
});

test('a site without issues passes', async () => {
  const { status, stdout, stderr } = await check('/good', '--max-pages', '1');
  assert.equal(status, 0, stderr);
  assert.equal(
    withoutDuration(stdout),
    `\n${site.origin}/good\n1 page found, finished in SECONDS\n\nHTML  0 errors, 0 warnings on 1 page\n\nPassed: 0 errors (0 allowed)\n`,
  );
  assert.match(stderr, /^(Fetching the starting page …\n)?(.*\n)*1 of 1 page done · 0 issues · \d+\.\d pages\/s\n$/);
  assert.equal(stderr.includes('\x1b'), false, 'no control sequences where there is no terminal');
});

test('issues fail it, and it lists the worst issue types with occurrences, and the pages that could not be checked', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sitewarden-report-'));
  try {
    const { status, stdout, stderr } = await check('/bad', '--format', 'json', '--output', directory);
    assert.equal(status, 1, stderr);
    assert.equal(withoutDuration(stdout), summaryOfBad(site.origin, join(directory, 'report.json')));
    assert.deepEqual(
      withoutIdsAndTimes(readFileSync(join(directory, 'report.json'), 'utf8')),
      exportOfBad(site.origin),
    );
    assert.deepEqual(readdirSync(directory), ['report.json']);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('--fail-on selects what fails it', async () => {
  const warnings = await check('/bad', '--fail-on', 'warning,error,unchecked', '--max-issues', '4');
  assert.equal(warnings.status, 1);
  assert.match(warnings.stdout, /\nFailed: 4 issues and 1 unchecked page \(4 allowed\)\n$/);
  const axe = ['--no-html', '--a11y', '--max-pages', '3'];
  const serious = await check('/bad', ...axe, '--fail-on', 'serious');
  assert.equal(serious.status, 1, serious.stderr);
  assert.match(serious.stdout, /\n +2 × critical error {2}Images must have alternative text\n +http:\S+\/worse\n/);
  assert.match(serious.stdout, /\nFailed: 2 errors of serious impact or worse \(0 allowed\)\n$/);
  assert.doesNotMatch(serious.stdout, /HTML/);
});

test('--verbose adds occurrences, an explanation, and what scripts created to every issue type', async () => {
  const { stdout } = await check('/scripted', '--a11y', '--max-pages', '1', '--verbose');
  const html = / +1 × error {2}An “img” element must .*\n +http:\S+\/scripted\n +1:\d+ {2}\S+<img src="data:,0">\S*\n/;
  assert.match(stdout, html);
  const a11y =
    /\n +7 × critical error {2}Images must have .*\n +http:\S+\/scripted\n +1:\d+ {2}<img src="data:,0">\n( +created by a script {2}\S+ {2}<img src="data:,">\n){4} +and 2 more occurrences\n +rule image-alt\n +https:\/\/dequeuniversity\.com\/\S+\n/;
  assert.match(stdout, a11y);
});

test('--format json without --output writes the report to standard output, and nothing else', async () => {
  const { status, stdout, stderr } = await check('/bad', '--format', 'json');
  assert.equal(status, 1, stderr);
  assert.deepEqual(withoutIdsAndTimes(stdout), exportOfBad(site.origin));
  assert.ok(withoutDuration(stderr).endsWith(summaryOfBad(site.origin, '').replace(/Wrote .*\n/, '')), stderr);
});

test('--device help lists all devices', async () => {
  const { status, stdout, stderr } = await runHere(['check', '--device', 'help']);
  assert.deepEqual([status, stderr], [0, '']);
  const [head, first, ...others] = stdout.trimEnd().split('\n');
  assert.match(head ?? '', /^NAME +VIEWPORT +SCALE +ID$/);
  assert.match(first ?? '', /^Default +800x600 +1$/);
  assert.equal(others.length, listDevices().length);
  assert.ok(
    others.some((line) => /^iPhone 15 +393x659 +3 +[\da-f-]{36}$/.test(line)),
    stdout,
  );
});

test('closing the output early has no effect on the check', async () => {
  const child = spawn(process.execPath, ['src/cli.ts', 'check', '--device', 'help'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, ...compileCache },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const [status]: (number | null)[] = await once(child, 'close');
  assert.deepEqual([status, stderr], [0, '']);
});

test('the summary says where the starting URL leads, and how many issues are muted', async () => {
  const { db } = service.app;
  const { id: accountId } = await ensureFirstAccount(db);
  const muting = { account_id: accountId, url_match: '/worse', message: 'alt' };
  const { id } = await db.insertInto('mutings').values(muting).returning('id').executeTakeFirstOrThrow();
  const { status, stdout } = await check('/moved', '--max-pages', '1');
  await db.deleteFrom('mutings').where('id', '=', id).execute();
  assert.equal(status, 0, stdout);
  const head = `\n${site.origin}/moved\nredirected to ${site.origin}/worse\n1 page found, finished in SECONDS\n`;
  assert.ok(withoutDuration(stdout).startsWith(head), stdout);
  assert.match(stdout, /\n2 issues muted\n/);
});

test('pages that were checked with a note are listed with it', async () => {
  const { status, stdout, stderr } = await check(
    '/shell',
    '--no-html',
    '--a11y',
    '--wait-for',
    '#root',
    '--max-issues',
    '99',
  );
  assert.equal(status, 0, stderr);
  assert.match(
    stdout,
    /\nChecked with a note: 1 page\n {2}http:\S+\/shell\n {6}The page was nearly empty even after its scripts ran, .*\n/,
  );
  const wrong = await check('/shell', '--a11y', '--wait-for', 'text=x');
  assert.deepEqual([wrong.status, wrong.stdout], [2, '']);
  assert.match(wrong.stderr, /--wait-for is not a CSS selector: unexpected "=x"/);
});

test('a site that cannot be checked exits with 3', async () => {
  const missing = await check('/missing');
  assert.equal(missing.status, 3);
  assert.equal(withoutDuration(missing.stdout), `\n${site.origin}/missing\nfailed in SECONDS\n`);
  assert.match(missing.stderr, /The starting URL could not be checked. The page returned 404\.\n$/);
  const gone = await startTestSite({});
  await gone.stop();
  const refused = await runHere(['check', gone.origin], service.environment);
  assert.equal(refused.status, 3);
  assert.match(refused.stderr, /The starting URL could not be checked. The connection was refused: .*\.\n$/);
});

test('a site with a login passes with credentials, and exits with 3 without', async () => {
  const file = join(mkdtempSync(join(service.environment['SITEWARDEN_DATA_DIR'] ?? '', 'secret-')), 'password');
  writeFileSync(file, 'me:open sesame\n');
  const sign = ['--max-pages', '1', '--basic-auth', `@${file}`, '--header', 'X-Preview: on'];
  const [welcome, refused] = await Promise.all([
    check('/staff', ...sign, '--cookie', 'a=1; b=2'),
    check('/staff', ...sign, '--cookie', 'a=1'),
  ]);
  assert.deepEqual([welcome.status, refused.status], [0, 3], welcome.stderr);
  assert.match(welcome.stdout, /\n1 URL skipped: 1 excluded by settings or to stay signed in\n/);
  assert.match(
    refused.stderr,
    /returned 403, although the report sends credentials \(--basic-auth, --header, --cookie\)\. They/,
  );
});

test('a check that could not run on any page exits with 3, even if other checks ran', async () => {
  const { status, stdout, stderr } = await check('/leaves', '--max-pages', '1', '--a11y', '--max-issues', '99');
  assert.equal(status, 3, stderr);
  assert.match(
    stdout,
    /\nHTML {2}0 errors.*\n(.*\n)*Accessibility {2}0 errors, 0 need review on 0 pages, 1 page could not be checked\n/,
  );
  assert.match(stderr, /Accessibility: no page could be checked\. See the reasons above\.\n$/);
});

/** The output on a terminal of this width, and the exit status. */
async function onTerminal(
  columns: number,
  ...args: readonly string[]
): Promise<{ status: number | null; text: string }> {
  const command = `stty cols ${columns}; ${process.execPath} src/cli.ts check ${args.join(' ')} --rate-limit 100`;
  const terminal = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { PATH: process.env['PATH'], TERM: 'xterm', ...service.environment, ...compileCache },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  terminal.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const [status]: (number | null)[] = await once(terminal, 'close');
  return { status: status ?? null, text };
}

test('on a terminal, one line is updated, and the output fits, broken between words; only URLs may be longer', async () => {
  const columns = 40;
  const { status, text } = await onTerminal(columns, `${site.origin}/bad`, '--fail-on never');
  assert.equal(status, 0, text);
  // Colors do not matter here.
  const renewed = (text.replaceAll(COLOUR, '').split('\r\n')[0] ?? '').split('\r\x1b[2K');
  assert.ok(renewed.length > 2);
  assert.match(renewed.at(-2) ?? '', /^[⠀-⣿] 3 of 3 pages done · 1 failed · /);
  assert.equal(renewed.at(-1), '', 'the line is gone in the end');
  assert.ok(text.includes('\x1b[3'), 'in color');
  const lines = text.replaceAll(COLOUR, '').replaceAll('\r\x1b[2K', '\r\n').split('\r\n');
  for (const line of lines) assert.ok(line.length <= columns || /^\s*\S*http:\S+$/.test(line), line);
  const message = lines
    .slice(
      lines.findIndex((line) => line.includes('2 × error')),
      -1,
    )
    .map((line) => line.trim());
  assert.match(message.join(' '), /^2 × error {2}An “img” element must have an “alt” attribute, except under certain /);
});
