import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Ended } from '../helpers/command-line.ts';
import { page, withoutDuration } from '../helpers/faulty-pages.ts';
import { runHere } from '../helpers/run-here.ts';
import { startTestApp, type TestApp, WITHOUT_BROWSER } from '../helpers/start-app.ts';
import { siteWith, startTestSite, type TestSite } from '../helpers/test-site.ts';

/** `check` with a baseline, on two versions of a site. */

const IMAGE = '<img src="data:,">';
const LINKS = '<p><a href="about">About</a> <a href="gallery?page=2">Gallery</a>';
const NO_ALT =
  'An “img” element must have an “alt” attribute, except under certain conditions. For details, consult guidance on ' +
  'providing text alternatives for images.';

const OLD = {
  '/': page('Home', `<p id="a">One<p id="a">Two${LINKS}`),
  '/gallery?page=2': page('Gallery', `${IMAGE}${IMAGE}`),
  '/about': page('About', '<center>Us</center>'),
};
/** The duplicate id is gone, there are two more images, and a page does not respond. */
const NEW = {
  '/': page('Home', `<p>A new paragraph.</p>\n<p id="a">One<p>Two${IMAGE}${LINKS}`),
  '/gallery?page=2': page('Gallery', `${IMAGE}${IMAGE}\n${IMAGE}`),
  '/about': { status: 500, body: 'Broken' },
};

let service: TestApp;
/** For the files of baselines. */
let directory: string;
let old: TestSite;
let preview: TestSite;
let file: string;

before(async () => {
  service = await startTestApp({}, {}, WITHOUT_BROWSER);
  directory = mkdtempSync(join(tmpdir(), 'sitewarden-baselines-'));
  old = await startTestSite(OLD);
  preview = await startTestSite(NEW);
  file = join(directory, 'baseline.json');
});
after(async () => {
  await service.close();
  rmSync(directory, { recursive: true });
  await old.stop();
  await preview.stop();
});

const check = (site: TestSite, ...options: string[]): Promise<Ended> =>
  runHere(['check', site.origin, '--no-a11y', '--rate-limit', '100', ...options], service.environment);

test('--write-baseline accepts everything, in a file that is the same for the same site', async () => {
  const { status, stdout, stderr } = await check(old, '--write-baseline', file);
  assert.equal(status, 0, stderr);
  assert.ok(stdout.endsWith(`\nWrote ${file}\nPassed: the new baseline accepts everything that was found\n`), stdout);
  const text = readFileSync(file, 'utf8');
  const shape = text.replaceAll(/[0-9a-f]{32}/g, 'KIND').replaceAll(/\b[0-9a-f]{12}\b/g, 'OCCURRENCE');
  const kinds = shape.slice(shape.indexOf('"kinds"'), shape.indexOf('"pages"'));
  assert.deepEqual(kinds.match(/"html KIND": ".*"/g)?.sort(), [
    `"html KIND": "error: ${NO_ALT}"`,
    '"html KIND": "error: Duplicate ID “a”."',
    '"html KIND": "error: The “center” element is obsolete. Use CSS instead."',
    '"html KIND": "warning: The first occurrence of ID “a” was here."',
  ]);
  assert.match(shape, /^\{\n {2}"sitewarden_baseline": 1,\n {2}"engines": \{\n {4}"html": \["vnu .*"\]\n {2}\},\n/);
  assert.equal(
    shape.slice(shape.indexOf('  "pages"')),
    `  "pages": {
    "./": {
      "html KIND": "OCCURRENCE",
      "html KIND": "OCCURRENCE"
    },
    "about": {
      "html KIND": "OCCURRENCE"
    },
    "gallery?page=2": {
      "html KIND": "OCCURRENCE OCCURRENCE"
    }
  }
}
`,
  );
  const again = join(directory, 'again.json');
  const elsewhere = await startTestSite(OLD);
  const second = await check(elsewhere, '--baseline', file, '--write-baseline', again);
  await elsewhere.stop();
  assert.equal(second.status, 0, second.stderr);
  assert.match(second.stdout, /\n {2}0 new · 5 as before · 0 fixed\n/);
  assert.equal(readFileSync(again, 'utf8'), text);
});

const COMPARED = (name: string) => `
${preview.origin}/
3 pages found, finished in SECONDS

HTML  4 errors, 0 warnings on 2 pages, 1 page could not be checked

Could not be checked: 1 page
  ${preview.origin}/about
      The page returned 500
      linked from ${preview.origin}/

Compared with ${name}
  2 new · 2 as before · 2 fixed · 1 not verified
  Issues that are not verified could not be compared: their page or check failed or was not part of this report.
       2 × error  ${NO_ALT}
           ${preview.origin}/
             2:20  >One<p>Two<img src="data:,"><p><a
           ${preview.origin}/gallery?page=2
             2:1  "data:,"> <img src="data:,"></main

Failed: 2 new issues (0 allowed)
`;

test('--baseline fails only on new issues, on another host, and the summary of a job has them first', async () => {
  const { status, stdout, stderr } = await check(preview, '--baseline', file, '--format', 'md');
  assert.equal(status, 1, stderr);
  assert.ok(withoutDuration(stderr).endsWith(COMPARED(file)), stderr);
  const head = stdout.slice(0, stdout.indexOf('### Fix first'));
  assert.match(head, /\n\n\*\*Failed: 2 new issues \(0 allowed\)\*\*\n\n\| check \|/);
  assert.ok(
    head.endsWith(`### Compared with \`${file}\`

2 new · 2 as before · 2 fixed · 1 not verified

| | new issue | occurrences | pages |
|---|---|--:|--:|
| error | \`${NO_ALT}\` | 2 | 2 |

`),
    head,
  );
});

const withBody = (tag: string, body: string): string => page('Home', body).replace('<main>', `${tag}<main>`);

test('new issues of all checks are listed, worst first, and an attribute of <body> makes its issues not new', async (t) => {
  const [before, now] = await Promise.all([
    siteWith(t, { '/': withBody('<body bgcolor="red">', '') }),
    siteWith(t, {
      '/': withBody(
        '<body bgcolor="red" data-theme="dark">',
        '<script type="text/javascript"></script><a href="missing">Missing</a>',
      ),
    }),
  ]);
  const path = join(directory, 'worst.json');
  assert.equal((await check(before, '--links', '--write-baseline', path)).status, 0);
  const { stdout } = await check(now, '--links', '--baseline', path);
  const added = stdout.slice(stdout.indexOf('Compared with'));
  assert.match(added, /\n {2}2 new · 1 as before · 0 fixed\n/);
  assert.match(added, /\n +1 × error {2}Link returns 404: [\s\S]*\n +1 × warning {2}The “type” attribute/);
});

test('--fail-on adds to the new issues, and --max-issues allows some of them', async () => {
  const both = await check(
    preview,
    '--baseline',
    file,
    '--fail-on',
    'new,error,unchecked',
    '--max-issues',
    '5',
    '--verbose',
  );
  assert.equal(both.status, 0, both.stderr);
  assert.match(both.stdout, /\nPassed: 4 errors and 1 unchecked page \(5 allowed\)\n$/);
  assert.match(both.stdout, /\n +4 × error {2}An “img”/, 'with --verbose, issues that are not new are listed, too');
});

test('a report is a baseline by its id or its URL, and JSON has the comparison and the fixes', async () => {
  const { stdout } = await check(old, '--keep');
  const id = /Report (\S+) was saved/.exec(stdout)?.[1] ?? '';
  const json = await check(preview, '--baseline', `http://127.0.0.1/api/v1/reports/${id}`, '--format', 'json');
  assert.equal(json.status, 1, json.stderr);
  assert.ok(withoutDuration(json.stderr).endsWith(COMPARED(`report ${id}`)), json.stderr);
  const { comparison, fixes } = JSON.parse(json.stdout);
  assert.deepEqual(comparison.changes, { new: 2, persisting: 2, unverified: 1, fixed: 2 });
  assert.deepEqual(comparison.engines.before, comparison.engines.now);
  const told = comparison.issues.map(
    (issue: Record<string, unknown>) =>
      `${issue['change']} ${issue['issue_type']} ${String(issue['message']).slice(0, 18)} ${issue['how_many_before']} -> ${issue['how_many']}`,
  );
  assert.deepEqual(told.sort(), [
    'fixed error Duplicate ID “a”. 1 -> 0',
    'fixed warning The first occurren 1 -> 0',
    'new error An “img” element m 0 -> 2',
    'persisting error An “img” element m 2 -> 2',
    'unverified error The “center” eleme 1 -> 0',
  ]);
  const added = comparison.issues.find((issue: { change: string }) => issue.change === 'new');
  assert.deepEqual(
    added.occurrences.map(({ url, line, column, markup }: Record<string, unknown>) => [url, line, column, markup]),
    [
      [`${preview.origin}/`, 2, 20, IMAGE],
      [`${preview.origin}/gallery?page=2`, 2, 1, IMAGE],
    ],
  );
  assert.deepEqual(
    fixes.map((fix: Record<string, unknown>) => [
      fix['markup'],
      fix['how_many'],
      fix['passing_before'],
      fix['passing_after'],
    ]),
    [[IMAGE, 4, 0, 2]],
  );
});

test('an issue that is muted now is not verified, and not fixed', async (t) => {
  const { data } = await service.ask('/mutings', 'POST', { url_match: old.origin, message: 'element is obsolete' });
  t.after(() => service.ask(`/mutings/${data.id}`, 'DELETE'));
  const { status, stdout } = await check(old, '--baseline', file);
  assert.equal(status, 0, stdout);
  assert.match(
    stdout,
    /\n {2}0 new · 4 as before · 0 fixed · 1 not verified\n {2}Not verified because they no longer count: 1 muted\.\n/,
  );
});

test('a baseline that cannot be used is refused before anything is requested', async () => {
  const requests = preview.requests.length;
  const [old2, unknown] = [join(directory, 'old.json'), '00000000-0000-0000-0000-000000000000'];
  writeFileSync(old2, '{"sitewarden_baseline": 0}');
  const wrong: readonly (readonly [string, string])[] = [
    [
      old2,
      `--baseline ${old2} has format 0, but this version reads format 1: write it with --write-baseline ${old2}.\n`,
    ],
    [unknown, `--baseline ${unknown}: this report does not exist in the database.\n`],
  ];
  for (const [given, message] of wrong) {
    const { status, stdout, stderr } = await check(preview, '--baseline', given);
    assert.deepEqual([status, stdout, stderr], [2, '', message]);
  }
  assert.equal(preview.requests.length, requests);
});
