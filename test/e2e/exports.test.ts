import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { EXPORT_FORMAT_NAMES, EXPORT_FORMATS } from '../../src/domain/export-formats.ts';
import { FAULTY_PAGES, page } from '../helpers/faulty-pages.ts';
import { runHere } from '../helpers/run-here.ts';
import { startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** What the command adds to files, or replaces in them. */
const VERDICTS: Readonly<Record<string, RegExp>> = {
  md: /^\*\*Failed: \d+ errors \(0 allowed\)\*\*\n\n/m,
  html: /<p><strong>Failed: \d+ errors \(0 allowed\)<\/strong><\/p>\n/,
  json: /(?<=\n"verdict":)\{"passed":false,"sentence":"Failed: \d+ errors \(0 allowed\)"\}/,
  sarif: /,"exitCode":1,"exitCodeDescription":"Failed: \d+ errors \(0 allowed\)"/,
};

let service: TestApp;
let site: TestSite;
/** The exported page, which the site serves to be checked. */
let exported = '';
let directory: string;

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'sitewarden-exports-'));
  site = await startTestSite({
    ...FAULTY_PAGES,
    '/example': page('Example', '<img src="data:,">'),
    '/odd?a=|<b>"': page('<b>&amp;', '<img src="data:,">'),
    '/exported.html': (_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(exported);
    },
  });
  service = await startTestApp();
});
after(async () => {
  await service.close();
  rmSync(directory, { recursive: true, force: true });
  await site.stop();
});

/** Measured after the report has ended. */
const SIZE = /"size":(null|\{.*?\})/;

test('the command line writes the files that the API sends, and our own checks find nothing in the pages', async () => {
  const options = ['--rate-limit', '100', '--a11y', '--keep'];
  const formats = ['--format', EXPORT_FORMAT_NAMES.join(','), '--output', directory];
  const { status, stdout, stderr } = await runHere(
    ['check', `${site.origin}/bad`, ...options, ...formats],
    service.environment,
  );
  assert.equal(status, 1, stderr + stdout);
  const names = EXPORT_FORMAT_NAMES.map((format) => `report.${EXPORT_FORMATS[format].extension}`);
  assert.deepEqual(readdirSync(directory).sort(), names.toSorted());
  const [, reportId] = /Report (\S+) was saved/.exec(stdout) ?? [];
  for (const format of EXPORT_FORMAT_NAMES) {
    const file = readFileSync(join(directory, `report.${EXPORT_FORMATS[format].extension}`), 'latin1');
    // Only the command knows it.
    const verdict = VERDICTS[format]?.exec(file) ?? null;
    assert.equal(verdict !== null, Object.hasOwn(VERDICTS, format), format);
    const url = `${service.api}/reports/${reportId}/export?format=${format}`;
    const authorization = `Bearer ${service.environment['SITEWARDEN_ADMIN_TOKEN']}`;
    const reply = await fetch(url, { headers: { authorization } });
    const sent = Buffer.from(await reply.arrayBuffer()).toString('latin1');
    if (format === 'pdf') assert.ok(sent.startsWith('%PDF'), 'the printed page has the verdict');
    else {
      const ofReport = file.replace(verdict?.[0] ?? '', format === 'json' ? 'null' : '');
      assertSame(ofReport.replace(SIZE, ''), sent.replace(SIZE, ''), format);
    }
  }
  const pdf = readFileSync(join(directory, 'report.pdf'), 'latin1');
  for (const part of ['/StructTreeRoot', '/Lang (en)', '/Outlines', '/Title (Report on ']) {
    assert.ok(pdf.includes(part), `${part} is missing`);
  }
  exported = readFileSync(join(directory, 'report.html'), 'utf8');
  assert.match(exported, /<h3>Images must have alternative text<\/h3>/);
  assert.doesNotMatch(exported, /<(?:script|link|img|iframe)|url\(|@import/);
  const statement = readFileSync(join(directory, 'report.statement.html'), 'utf8');
  for (const [file, device] of [
    [exported, 'default'],
    [exported, 'iPhone SE'],
    [statement, 'default'],
  ] as const) {
    exported = file;
    const own = ['--a11y', '--max-pages', '1', '--device', device, '--fail-on', 'error,warning,unchecked'];
    const checked = await runHere(['check', `${site.origin}/exported.html`, ...own, '--verbose'], service.environment);
    assert.equal(checked.status, 0, checked.stdout + checked.stderr);
  }
});

test('the commands of docs/exports.md and docs/ci.md work as written', async (t) => {
  const folder = join(directory, 'examples');
  mkdirSync(folder);
  const before = process.cwd();
  process.chdir(folder);
  t.after(() => process.chdir(before));
  const commands = ['exports', 'ci'].flatMap((name) => {
    const text = readFileSync(join(import.meta.dirname, `../../docs/${name}.md`), 'utf8');
    return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) => block.trim().split('\n'));
  });
  const checks = commands.flatMap((line) => /^(?:npm start --|npx sitewarden) (.*)$/.exec(line)?.[1] ?? []);
  for (const line of checks) {
    const args = line.split(' ').map((word) => (/^https?:/.test(word) ? `${site.origin}/example` : word));
    const { status, stdout, stderr } = await runHere([...args, '--keep'], service.environment);
    assert.equal(status, line.includes('--write-baseline') ? 0 : 1, `${line}: ${stderr}`);
    process.env['REPORT_ID'] = /Report (\S+) was saved/.exec(stdout)?.[1] ?? '';
  }
  const files = readdirSync(folder, { recursive: true }).map(String).sort();
  assert.deepEqual(files, [
    ...['reports', 'reports/report.json', 'reports/report.junit.xml', 'reports/report.sarif'],
    ...['sitewarden', 'sitewarden-baseline.json', 'sitewarden/report.html', 'sitewarden/report.junit.xml'],
  ]);

  const requests = commands.filter((line) => line.startsWith('curl '));
  assert.equal(requests.length, 1);
  if (spawnSync('curl', ['--version']).error !== undefined) return t.diagnostic('curl is not installed');
  const script = requests.join('\n').replaceAll('http://127.0.0.1:3000', new URL(service.api).origin);
  const env = { ...process.env, API_TOKEN: service.environment['SITEWARDEN_ADMIN_TOKEN'] };
  await promisify(execFile)('bash', ['-c', script], { cwd: folder, env });
  const downloaded = readdirSync(folder).filter(
    (name) => name.endsWith('.json') && name !== 'sitewarden-baseline.json',
  );
  assert.equal(downloaded.length, 1, String(downloaded));
  assert.equal(JSON.parse(readFileSync(join(folder, downloaded[0] ?? ''), 'utf8')).report.id, process.env['REPORT_ID']);
});

test('a missing browser for pdf is found before the site is checked', async () => {
  const requests = site.requests.length;
  const environment = { ...service.environment, SITEWARDEN_CHROMIUM: '/missing/chromium' };
  const { status, stderr } = await runHere(
    ['check', `${site.origin}/bad`, '--format', 'csv,pdf', '--output', join(directory, 'unprinted')],
    environment,
  );
  assert.equal(status, 3, stderr);
  assert.match(stderr, /SITEWARDEN_CHROMIUM/);
  assert.equal(site.requests.length, requests);
});

test('several formats need a directory', async () => {
  const { status, stderr } = await runHere(['check', 'http://x/', '--format', 'json,csv'], service.environment);
  assert.deepEqual([status, stderr], [2, 'Several formats require --output, a directory for the files.\n']);
});

test('--output names a file if it has the extension of the only format', async () => {
  const check = (format: string, ...output: string[]) =>
    runHere(
      [
        'check',
        `${site.origin}/example`,
        '--no-a11y',
        '--max-pages',
        '1',
        '--format',
        format,
        '--output',
        join(...output),
      ],
      service.environment,
    );
  const folder = join(directory, 'single');
  const { status, stdout, stderr } = await check('sarif', folder, 'deep', 'site.SARIF');
  assert.equal(status, 1, stderr);
  assert.ok(stdout.includes(`Wrote ${join(folder, 'deep', 'site.SARIF')}\n`), stdout);
  assert.equal(JSON.parse(readFileSync(join(folder, 'deep', 'site.SARIF'), 'utf8')).version, '2.1.0');
  await check('junit', folder, 'tests.xml');
  await check('json', folder, 'v1.2');
  mkdirSync(join(folder, 'old.json'));
  await check('json', folder, 'old.json');
  await check('sarif', folder, 'new.sarif/');
  const written = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.deepEqual(written.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)).sort(), [
    'deep/site.SARIF',
    'new.sarif/report.sarif',
    'old.json/report.json',
    'tests.xml',
    'v1.2/report.json',
  ]);
  const requests = site.requests.length;
  for (const [format, name, message] of [
    [
      'sarif,json',
      'all.sarif',
      /^--output \S+all\.sarif is a single file: for several formats, use a directory, such as /,
    ],
    ['sarif', 'report.xml', /^--output \S+report\.xml is not a file name for sarif: use \S+report\.sarif, or /],
  ] as const) {
    const refused = await check(format, folder, name);
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, message);
  }
  assert.equal(site.requests.length, requests);
});

/** Shows where long texts begin to differ. */
function assertSame(actual: string, expected: string, name: string): void {
  const start = Array.from({ length: actual.length }, (_, at) => at).find((at) => actual[at] !== expected[at]) ?? 0;
  const around = (text: string): string => text.slice(Math.max(0, start - 200), start + 200);
  if (actual !== expected) assert.equal(around(actual), around(expected), name);
}
