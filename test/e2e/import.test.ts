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

test('an imported configuration checks the same pages, without the ignored issues', async () => {
  const pa11y = write('.pa11yci', {
    defaults: { hideElements: '.ads', wait: 500 },
    urls: [`${site.origin}/`, `${site.origin}/named`],
  });
  const filters = write('filters.txt', '.*Duplicate ID.*\n# no more\n.*The first occurrence.*\n');
  const imported = await run('import', pa11y, filters, '--output', output());
  assert.equal(imported.status, 0, imported.stderr);
  assert.match(imported.stdout, /^Wrote .*sitewarden\.yaml: 1 site, 3 mutings, 0 budgets; 1 not imported\. To check/);
  assert.match(imported.stderr, /^wait 500 is not imported: pages are checked once they have settled/);

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
    standard: 'wcag22-aa',
    best_practices: true,
    mutings: [{ rule: 'color-contrast', reason: 'Off in lighthouserc.json.' }],
    sites: [{ starting_url: `${site.origin}/`, max_pages: 1 }],
  });
  assert.match(
    stderr,
    /^Assertions on uses-http2 are not imported.*\nLighthouse emulates a phone .*\n1 site, 1 muting, 0 budgets; 1 not imported\. Nothing was written\.\n$/,
  );
  assert.throws(() => readFileSync(join(directory, 'none.yaml')), { code: 'ENOENT' });
});

test('journeys have paths, except to other sites and in a file with several sites', async () => {
  const steps = ['/a?b=1#c', '//example.org/', 'https://example.net/'].map((path) => ({
    type: 'navigate',
    url: path.startsWith('https') ? path : `https://example.com${path}`,
  }));
  const click = { type: 'click', selectors: [['#menu']] };
  const home = { type: 'navigate', url: 'https://example.com/' };
  const recording = write('menu.json', { title: 'Menu', steps: [...steps, home, click] });
  const { stdout, stderr } = await run('import', recording, '--dry-run');
  const opened = ['/a?b=1#c', 'https://example.com//example.org/', 'https://example.net/', '/'];
  const openSteps = (text: string) =>
    parse(text).journeys[0].steps.flatMap(({ open }: { open?: string }) => open ?? []);
  assert.deepEqual(openSteps(stdout), opened);
  assert.match(stderr, /^The steps are imported as the journey .*\n1 site, 0 mutings, 0 budgets; 0 not imported\. N/);
  const other = write('other.json', { urls: ['https://example.net/'] });
  const several = await run('import', recording, other, '--dry-run');
  assert.equal(openSteps(several.stdout)[3], 'https://example.com/');
});

test('URLs that no service can reach are reported', async () => {
  const urls = ['http://', './index.html', 'file:///index.html', 'localhost:8080/a', { timeout: 1 }];
  const { status, stdout, stderr } = await run('import', write('mixed.json', { urls }), '--dry-run');
  assert.equal(status, 0, stderr);
  assert.deepEqual(parse(stdout).sites, [{ starting_url: 'http://localhost:8080/a', max_pages: 1 }]);
  for (const url of urls.slice(0, 3))
    assert.ok(stderr.includes(`The URL "${url}" is not imported: serve the page`), stderr);
  assert.match(stderr, /; 4 not imported\./);
});

test('settings that cannot be imported are reported', async () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [[join(directory, 'missing.json')], /^.*missing\.json does not exist\.\n$/],
    [[write('lighthouserc.js', 'module.exports = {}')], /is a program, which is not run\. .* node -p/],
    [[write('broken.json', '{"urls": [')], /cannot be read as JSON or YAML:\n.*broken\.json:1:\d+: /],
    [[write('other.json', { a: 1 })], /has an unknown format: pa11y-ci files have urls, Lighthouse CI files have ci/],
    [[write('large.json', `"${'x'.repeat(300_000)}"`)], /is larger than 256 KiB/],
    [
      [write('wrong.json', { urls: ['http://me:secret@example.com/'] })],
      /^The imported configuration is not valid:\n.*sitewarden\.yaml:\d+:\d+: /,
    ],
    [[write('fine.json', { urls: [site.origin] })], /sitewarden\.yaml already exists\. Add --force/],
  ];
  for (const [args, words] of cases) {
    const { status, stdout, stderr } = await run('import', ...args, '--output', output());
    assert.deepEqual([status, stdout], [2, ''], stderr);
    assert.match(stderr, words);
  }
});

test('values of wrong types are reported with their lines', async () => {
  const dry = (name: string, content: string | Uint8Array, ...options: string[]) => {
    const path = join(directory, name);
    writeFileSync(path, content);
    return run('import', path, '--dry-run', ...options);
  };
  const cases: readonly (readonly [string, string | Uint8Array, readonly string[]])[] = [
    ['ci.json', '{"ci": 5}', [':1:8: ci must be an object, not 5.']],
    ['list.json', '[1]', [' has an unknown format: pa11y-ci files have urls, Lighthouse CI files have ci']],
    [
      'lh.json',
      '{"ci": {\n "collect": {"url": {"a": 1}},\n "assert": {"assertions": {"image-alt": "eror", "label": ["error", {"maxLength": "2"}]}}}}',
      [
        ':2:14: ci.collect.url must be a string or a list of strings, not {"a":1}.',
        ':3:41: ci.assert.assertions.image-alt must be off, warn or error, or a list',
        ':3:82: ci.assert.assertions.label.1.maxLength must be a whole number of at least 0, not "2".',
      ],
    ],
    [
      'pa11y.yaml',
      'defaults:\n  ignore: {a: 1}\n  headers: secret words\n  threshold: -1\nurls:\n  - 7\n  - url: [x]\n',
      [
        ':2:3: defaults.ignore must be a string or a list of strings, not {"a":1}.',
        ':3:12: defaults.headers must be an object.\n',
        ':4:14: defaults.threshold must be a whole number of at least 0, not -1.',
        ':6:5: urls.0 must be a URL, or an object with a URL, not 7.',
        ':7:5: urls.1.url must be a string, not ["x"].',
      ],
    ],
    ['twice.json', '{"urls": [],\n "urls": ["a"]}', [':2:2: urls is set twice.']],
    ['deep.json', `{"urls": ${'['.repeat(5_000)}`, [': This is nested too deeply.']],
    ['deep.yaml', `urls: ${'[{a: '.repeat(30)}1${'}]'.repeat(30)}`, [': This is nested too deeply.']],
    ['binary.json', new Uint8Array([0x7b, 0xff, 0x00, 0x7d]), ['binary.json is not UTF-8 text.']],
    ['nul.json', '{"urls": ["\0"]}', ['nul.json is not UTF-8 text.']],
  ];
  for (const [name, content, expected] of cases) {
    const { status, stdout, stderr } = await dry(name, content);
    assert.deepEqual([status, stdout], [2, ''], `${name}: ${stderr}`);
    for (const words of expected) assert.ok(stderr.includes(words), `${name}: ${words}\n${stderr}`);
  }
  const endless = await run('import', '/dev/zero', '--from', 'vnu');
  assert.match(endless.stderr, /^\/dev\/zero is larger than 256 KiB\.$/m);
  const folder = await run('import', directory);
  assert.match(folder.stderr, / cannot be read: EISDIR/);
});

test('files from Windows, and keys that no tool has, are read', async () => {
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('.*Duplicate ID.*\r\n', 'utf16le')]);
  writeFileSync(join(directory, 'utf16.txt'), utf16);
  const list = await run('import', join(directory, 'utf16.txt'), '--dry-run');
  assert.deepEqual(parse(list.stdout).mutings, [{ message: 'Duplicate ID', reason: 'Filtered out by utf16.txt.' }]);
  const marked = write('marked.json', `\uFEFF{"urls": ["${site.origin}"], "concurency": 3}`);
  const { status, stderr } = await run('import', marked, '--dry-run');
  assert.equal(status, 0, stderr);
  assert.match(stderr, /^concurency 3 is not imported: this setting is unknown\.$/m);
  const other = write('lh2.json', { ci: { colect: 1, upload: {}, assert: { preset: 'lighthouse:all' } }, x: 1 });
  const lighthouse = await run('import', other, '--dry-run');
  assert.match(lighthouse.stderr, /^ci\.colect 1 is not imported: this setting is unknown\.$/m);
  assert.match(lighthouse.stderr, /^assert\.preset "lighthouse:all" is not imported: all axe-core rules/m);
  assert.match(lighthouse.stderr, /^x 1 is not imported/m);
  assert.doesNotMatch(lighthouse.stderr, /upload/);
});
