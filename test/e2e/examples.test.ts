import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { page } from '../helpers/faulty-pages.ts';
import { startTestApp, type TestApp, WITHOUT_BROWSER } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** The examples of the documentation, and the client library as a package that is installed into an empty folder. */

const projectDirectory = join(import.meta.dirname, '../..');
const examples = join(projectDirectory, 'docs/examples');
const packedMaxBytes = 60_000;

interface Example {
  readonly file: string;
  readonly command: readonly string[];
  /** Programs that it runs. */
  readonly needs: readonly string[];
}
const EXAMPLES: readonly Example[] = [
  { file: 'check.sh', command: ['bash'], needs: ['bash', 'curl', 'jq'] },
  { file: 'check.ts', command: [process.execPath], needs: [] },
  { file: 'check.py', command: ['python3'], needs: ['python3'] },
  { file: 'check.rb', command: ['ruby'], needs: ['ruby'] },
  { file: 'check.php', command: ['php'], needs: ['php'] },
];

let app: TestApp;
let site: TestSite;
let folder: string;
let packed: { readonly size: number; readonly files: readonly { readonly path: string }[]; readonly filename: string };

before(async () => {
  app = await startTestApp({}, {}, WITHOUT_BROWSER);
  site = await startTestSite({
    '/': page('Home', '<p id="a">One<p id="a">Two<p><a href="/other">Other</a>'),
    '/other': page('Other', '<p id="a">One<p id="a">Two<p id="ö">Three<p id="ö">Four'),
  });
  folder = mkdtempSync(join(tmpdir(), 'sitewarden-client-'));
  const options = { cwd: folder, encoding: 'utf8' } as const;
  const script = join(projectDirectory, 'scripts/package-client.mjs');
  execFileSync(process.execPath, [script, join(folder, 'package')], options);
  [packed] = JSON.parse(execFileSync('npm', ['pack', './package', '--json', '--loglevel=error'], options));
  const installed = join(folder, 'node_modules/sitewarden-client');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', packed.filename, '-C', installed, '--strip-components=1'], options);
  cpSync(examples, folder, { recursive: true });
});
after(async () => {
  await app?.close();
  await site?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs an example to its end. */
function run({ file, command: [program = '', ...args] }: Example, url: string) {
  const env = { PATH: process.env['PATH'], LANG: 'C.UTF-8', API: new URL(app.api).origin };
  const given = { ...env, TOKEN: app.environment['SITEWARDEN_ADMIN_TOKEN'] };
  return new Promise<{ readonly status: number; readonly stdout: string; readonly stderr: string }>((resolve) => {
    execFile(program, [...args, file, url], { cwd: folder, env: given }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

const skip = ({ needs }: Example): string | false => {
  const missing = needs.filter((program) => spawnSync(program, ['--version']).error !== undefined);
  return missing.length === 0 ? false : `${missing.join(' and ')} is not installed`;
};

describe('the example', () => {
  for (const example of EXAMPLES) {
    test(`${example.file} checks a site`, { skip: skip(example) }, async () => {
      const { status, stdout, stderr } = await run(example, `${site.origin}/`);
      assert.equal(status, 0, stderr);
      assert.deepEqual(stdout.split('\n'), [
        'finished: 2 pages, 3 errors',
        '2 × Duplicate ID “a”.',
        '1 × Duplicate ID “ö”.',
        '2 × The first occurrence of ID “a” was here.',
        '1 × The first occurrence of ID “ö” was here.',
        '',
      ]);
    });

    test(`${example.file} says what is wrong`, { skip: skip(example) }, async () => {
      const { status, stdout, stderr } = await run(example, 'nonsense');
      assert.notEqual(status, 0);
      assert.match(stdout + stderr, /Starting url has invalid format/);
    });
  }
});

describe('the package of the client', () => {
  test('contains what is used and nothing else, and is small', () => {
    assert.deepEqual(packed.files.map(({ path }) => path).sort(), [
      'LICENSE',
      'README.md',
      'client.d.ts',
      'client.js',
      'errors.d.ts',
      'errors.js',
      'package.json',
      'patience.d.ts',
      'patience.js',
      'schema.d.ts',
      'schema.js',
    ]);
    assert.ok(packed.size < packedMaxBytes, `${packed.size} bytes`);
  });

  test('has types that fit the examples, and rejects what the API would reject', () => {
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    symlinkSync(join(projectDirectory, 'node_modules/@types'), join(folder, 'node_modules/@types'));
    writeFileSync(
      join(folder, 'wrong.ts'),
      `import { createClient } from 'sitewarden-client';
       const api = createClient({ url: '' });
       await api.create<'report'>('/reports', { max_pages: 'many' });
       (await api.read<'report'>('/reports/1')).nonsense;`,
    );
    const compiler = join(projectDirectory, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
    const compiled = spawnSync(process.execPath, [compiler, ...options, 'check.ts', 'wrong.ts'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const faults = compiled.stdout
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith(' '));
    assert.equal(faults.length, 2, compiled.stdout);
    assert.match(faults[0] ?? '', /^wrong\.ts\(3,.*'string' is not assignable to type 'number'/);
    assert.match(faults[1] ?? '', /^wrong\.ts\(4,.*nonsense/);
  });
});

describe('the client', () => {
  test('waits as long as the service says, and can be stopped', async () => {
    const { createClient } = await import('../../packages/client/client.ts');
    const { ApiError, OfflineError } = await import('../../packages/client/errors.ts');
    const asked: string[] = [];
    const report = (status: string) =>
      Response.json({ data: { type: 'report', id: '1', attributes: { status } }, jsonapi: {} });
    const limited = () =>
      Response.json(
        { errors: [{ code: 'rate_limited', detail: 'Wait.' }] },
        { status: 429, headers: { 'retry-after': '1' } },
      );
    const answers = [() => report('crawling'), limited, () => report('finished')];
    const api = createClient({
      url: 'https://x.example/',
      token: 't',
      async fetch(url, { headers }) {
        asked.push(`${url} ${headers?.['authorization']}`);
        return (answers.shift() ?? limited)();
      },
    });
    const start = performance.now();
    assert.equal((await api.finished('1', { everyMs: 10 })).status, 'finished');
    assert.ok(performance.now() - start >= 990);
    assert.deepEqual(asked, Array(3).fill('https://x.example/api/v1/reports/1 Bearer t'));
    await assert.rejects(api.finished('1', { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' });
    await assert.rejects(api.read('/x'), (error) => error instanceof ApiError && error.retryAfterSeconds === 1);
    const offline = createClient({ url: 'http://127.0.0.1:1' });
    await assert.rejects(offline.read('/x'), (error) => error instanceof OfflineError);
  });
});
