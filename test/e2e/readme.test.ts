import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openCommandDesk } from '../helpers/command-desk.ts';
import { page } from '../helpers/faulty-pages.ts';
import { startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

const projectDirectory = join(import.meta.dirname, '../..');
/** Returns the examples of a page, without other ways to start the service. */
const examplesOf = (page: string): readonly string[] =>
  [...readFileSync(join(projectDirectory, page), 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)]
    .map(([, block = '']) => block)
    .filter((block) => !/^(?:npx sitewarden$|docker )/m.test(block));
const END = 'end of block';
const missing = ['bash', 'curl', 'jq'].find((tool) => spawnSync(tool, ['--version']).status !== 0);

let app: TestApp;
/** For everything that the examples write. */
let folder: string;
/** Runs the commands of the examples. */
let program: string;
let desk: Awaited<ReturnType<typeof openCommandDesk>>;
let site: TestSite;

before(async () => {
  app = await startTestApp();
  folder = mkdtempSync(join(tmpdir(), 'sitewarden-readme-'));
  program = join(folder, 'run.mjs');
  desk = await openCommandDesk(program);
  const image = '<p><img src="data:,">';
  site = await startTestSite({
    '/': page('Bakery', `${image}<p><a href="/bread.html">Bread</a><p><a href="/hours.html">Hours</a>`),
    '/bread.html': page('Bread', `${image}<p id="rye">One<p id="rye">Two`),
  });
});
after(async () => {
  desk.close();
  await app.close();
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Pastes the blocks into one shell, as a person does, and returns the output of each. */
async function paste(texts: readonly string[]): Promise<{ readonly printed: string[]; readonly stderr: string }> {
  const child = spawn('bash', {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...app.environment },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const pasted = texts
    .map((text) => `${text}echo '${END}'\n`)
    .join('')
    .replaceAll('http://127.0.0.1:3000', new URL(app.api).origin)
    .replaceAll('http://127.0.0.1:8080', site.origin)
    .replaceAll(/npm start (?:-s )?--/g, `node ${program}`);
  child.stdin.end(pasted);
  await once(child, 'close');
  return { printed: stdout.split(`${END}\n`).slice(0, -1), stderr };
}

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/.source;

/** Pages, whose examples are pasted one after the other, with the output of each. */
const EXPECTED: Readonly<Record<string, readonly RegExp[]>> = {
  'README.md': [
    /\n3 pages found, finished in .*\nNo accessibility standard: choose one with --standard\n(.*\n)+Accessibility {2}2 errors(.*\n)+Failed: 5 errors \(0 allowed\)\n$/,
  ],
  'docs/api.md': [
    /^$/,
    /^$/,
    /^\["finished",3,\{"status":\{"pending":0,"checked":2,"failed":1\},"pages":\{"passed":0,"with_errors":2\},"issues":\{"errors":3,"warnings":1\}\}\]\n$/,
    /^\[2,"An “img” element .*"\]\n\[1,.*\n\[1,.*\nhttp:\S+\/\nhttp:\S+\/bread\.html\n$/,
    // Some seconds after the end of a report, there is a plan.
    /^(\d\. \d -> \d pages pass: .*\n)*$/,
    /^\{"new":0,.*\}\n$/,
    /^\[3,\["first","last","next","self"\]\]\n$/,
    /^\["422","invalid","\/data\/attributes\/starting_url"\]\n$/,
  ],
  'docs/behind-a-login.md': [
    /\nFailed: 5 errors \(0 allowed\)\n$/,
    new RegExp(`^${UUID}\\n$`),
    /^true\n$/,
    /^false\n$/,
  ],
  'docs/schedules.md': [/^http:\S+\/schedule\/\S+\/fire\n$/, /^\d{4}-\d\d-\d\dT0[5-7]:\d\d:00\n$/],
  'docs/deploy-hooks.md': [/^\S{16,}\n$/],
  'docs/notifications.md': [/^whsec_\S+\n$/],
  'docs/muting.md': [/^\d+\nThe archive stays as it is\.\n$/],
  'docs/sharing.md': [
    ...[/^http:\S+\/\n$/, /^http:\S+\/\n$/, /^(null|\{"new":\d+,.*\})\n$/],
    /^http:\S+\/invitations\/\S+\n$/,
  ],
  'docs/accounts.md': [
    new RegExp(`^${UUID}\\nhttp:\\S+/welcome/\\S+\\n$`),
    /^http:\S+\/welcome\/\S+\n$/,
    /isabled (.*\n)+.*nabled .*\n$/,
    /^(.*\n)+$/,
  ],
  'docs/baselines.md': [
    /\nWrote baseline\.json, excluding 1 page .*\nPassed: the new baseline accepts .*\n(.*\n)+ {2}0 new · \d+ as before · 0 fixed\n(.*\n)+Passed: 0 new issues \(0 allowed\)\n$/,
  ],
  'docs/journeys.md': [/^Start\n$/, /^true\n$/, /\n1 page found, (.*\n)+Failed: \d+ errors? \(0 allowed\)\n$/],
};
const pages = Object.keys(EXPECTED);

const skip = missing === undefined ? false : `${missing} is not installed`;
test('every line of the README and of the pages on single tasks works when pasted in order', { skip }, async () => {
  const { printed, stderr } = await paste(pages.flatMap(examplesOf));
  const expected = pages.flatMap((page) => (EXPECTED[page] ?? []).map((output) => ({ page, output })));
  assert.equal(printed.length, expected.length, stderr);
  for (const [index, { page, output }] of expected.entries())
    assert.match(printed[index] ?? '', output, `${page}: ${stderr}`);
  assert.doesNotMatch(stderr, /error|not found|fault/i);
});

test('a comment or an exclamation mark in a pasted line would mislead an interactive shell', () => {
  for (const block of pages.flatMap(examplesOf)) assert.doesNotMatch(block, /^\s*#|!/m);
});

test('the README is short, without a token that readers might use', () => {
  const readme = readFileSync(join(projectDirectory, 'README.md'), 'utf8');
  assert.ok(readme.split('\n').length <= 131);
  assert.doesNotMatch(readme, /TOKEN=/);
});
