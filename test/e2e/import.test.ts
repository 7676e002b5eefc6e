import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse } from 'yaml';
import { page } from '../helpers/faulty-pages.ts';
import { runHere } from '../helpers/run-here.ts';
import { startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** `import`, and `check` with what it wrote. */

let service: TestApp;
let site: TestSite;
let directory: string;

before(async () => {
  service = await startTestApp();
  directory = mkdtempSync(join(tmpdir(), 'sitewarden-import-'));
  site = await startTestSite({
    '/': page('Home', '<p><a href="/linked">Linked</a><p id="a">One<p id="a">Two<p><button></button>'),
    '/named': page('Named', '<div class="ads"><img src="data:,"></div><center>Old</center>'),
    '/linked': page('Linked', '<img src="data:,">'),
  });
});
after(async () => {
  await service?.close();
  await site?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const write = (name: string, content: unknown): string => {
  const path = join(directory, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const run = (...args: string[]) => runHere(args, service.environment);
const output = () => join(directory, 'sitewarden.yaml');

test('what is imported checks the same pages, without what was ignored', async () => {
  const pa11y = write('.pa11yci', {
    defaults: { hideElements: '.ads', wait: 500 },
    urls: [`${site.origin}/`, `${site.origin}/named`],
  });
  const filters = write('filters.txt', '.*Duplicate ID.*\n# no more\n.*The first occurrence.*\n');
  const imported = await run('import', pa11y, filters, '--output', output());
  assert.equal(imported.status, 0, imported.stderr);
  assert.match(
    imported.stdout,
    /^Wrote .*sitewarden\.yaml: 1 site, 3 mutings, 0 budgets; 1 without a place\. To check/,
  );
  assert.match(imported.stderr, /^wait 500 has no place: pages are checked once they have settled/);

  const checked = await run('check', '--config', output(), '--rate-limit', '100');
  assert.equal(checked.status, 1, checked.stderr);
  assert.match(checked.stdout, /\n2 pages found/);
  assert.match(checked.stdout, /HTML {2}1 error, 0 warnings on 2 pages/);
  assert.match(checked.stdout, /Buttons must have discernible text/);
  assert.doesNotMatch(checked.stdout, /alternative text|linked$/m);
});

test('a dry run prints the file and writes nothing', async () => {
  const config = write('lighthouserc.json', {
    ci: {
      collect: { url: [`${site.origin}/`] },
      assert: { assertions: { 'color-contrast': 'off', 'uses-http2': 'warn' } },
    },
  });
  const { status, stdout, stderr } = await run('import', config, '--dry-run', '--output', join(directory, 'none.yaml'));
  assert.equal(status, 0, stderr);
  assert.deepEqual(parse(stdout), {
    perform_a11y_checks: true,
    perform_html_checks: false,
    mutings: [{ rule: 'color-contrast', reason: 'Off in lighthouserc.json.' }],
    sites: [{ starting_url: `${site.origin}/`, max_pages: 1 }],
  });
  assert.match(
    stderr,
    /^Lighthouse emulates a phone .*\nAssertions on uses-http2 have no place.*\n1 site, 1 muting, 0 budgets; 2 without a place\. Nothing was written\.\n$/,
  );
  assert.throws(() => readFileSync(join(directory, 'none.yaml')), { code: 'ENOENT' });
});

test('URLs that no service can reach are told', async () => {
  const urls = ['http://', './index.html', 'file:///index.html', 'localhost:8080/a', { url: 1 }];
  const { status, stdout, stderr } = await run('import', write('mixed.json', { urls }), '--dry-run');
  assert.equal(status, 0, stderr);
  assert.deepEqual(parse(stdout).sites, [{ starting_url: 'http://localhost:8080/a', max_pages: 1 }]);
  for (const url of urls.slice(0, 3))
    assert.ok(stderr.includes(`The URL "${url}" has no place: serve the page`), stderr);
  assert.match(stderr, /; 4 without a place\./);
});

test('what cannot be imported is told', async () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [[join(directory, 'missing.json')], /^.*missing\.json does not exist\.\n$/],
    [[write('lighthouserc.js', 'module.exports = {}')], /is a program, which is not run\. .* node -p/],
    [[write('broken.json', '{"urls": [')], /is neither JSON nor YAML \(.*broken\.json:1:\d+: /],
    [[write('other.json', { a: 1 })], /is not known: pa11y-ci has urls, Lighthouse CI has ci/],
    [[write('large.json', `"${'x'.repeat(300_000)}"`)], /has more than 256 KiB/],
    [
      [write('wrong.json', { urls: ['http://me:secret@example.com/'] })],
      /^What was imported is not valid:\n.*sitewarden\.yaml:\d+:\d+: /,
    ],
    [[write('fine.json', { urls: [site.origin] })], /sitewarden\.yaml is there already\. Add --force/],
  ];
  for (const [args, words] of cases) {
    const { status, stdout, stderr } = await run('import', ...args, '--output', output());
    assert.deepEqual([status, stdout], [2, ''], stderr);
    assert.match(stderr, words);
  }
});
