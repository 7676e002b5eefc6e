import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createInstallation, type Installation } from '../helpers/command-line.ts';
import { page } from '../helpers/faulty-pages.ts';
import { installPackage } from '../helpers/installed-package.ts';
import { sharedValidator } from '../helpers/shared-parts.ts';
import { siteWith } from '../helpers/test-site.ts';

/** The npm package, packed and installed into an empty folder. It sees only the dependencies of the checkout. */

const projectDirectory = join(import.meta.dirname, '../..');
const packedMaxBytes = 2_200_000;

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

let folder: string;
let packed: Packed;
let installation: Installation;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sitewarden-package-'));
  const options = { cwd: folder, encoding: 'utf8' } as const;
  const script = join(projectDirectory, 'scripts/package.mjs');
  execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', script, join(folder, 'package')], options);
  [packed] = JSON.parse(execFileSync('npm', ['pack', './package', '--json', '--loglevel=error'], options));

  const installed = installPackage(join(folder, packed.filename), join(folder, 'empty'));
  installation = createInstallation(await sharedValidator(), installed);
});
after(() => {
  installation.remove();
  rmSync(folder, { recursive: true, force: true });
});

describe('the npm package', () => {
  test('contains what runs and nothing else, and is small', () => {
    const tops = new Set(packed.files.map(({ path }) => path.replace(/^(web\/dist|[^/]+).*/, '$1')));
    const expected = [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'ci',
      'deploy',
      'docs',
      'migrations',
      'package.json',
      'packages',
      'scripts',
      'src',
      'web/dist',
    ];
    assert.deepEqual([...tops].sort(), expected);
    assert.deepEqual(
      packed.files.filter(({ path }) => /^(?!docs\/).*\.tsx?$/.test(path)),
      [],
    );
    assert.ok(packed.size < packedMaxBytes, `${packed.size} bytes`);
  });

  test('has the documentation that its messages and its README name, with its own commands', () => {
    const installed = join(folder, 'empty/node_modules/sitewarden');
    const named = (path: string, pattern: RegExp): string[] =>
      [...readFileSync(join(installed, path), 'utf8').matchAll(pattern)].map(([, name = '']) => name);
    const sources = packed.files.map(({ path }) => path).filter((path) => /^src\/.*\.js$/.test(path));
    const names = [
      ...named('README.md', /\]\(([^):#]+)/g),
      ...sources.flatMap((path) => named(path, /['"` ](docs\/[\w-]+\.md)/g)),
    ];
    assert.ok(names.includes('docs/configuration-file.md') && names.includes('docs/ci.md'), names.join());
    assert.deepEqual(
      names.filter((name) => !existsSync(join(installed, name))),
      [],
    );
    const pages = packed.files
      .map(({ path }) => path)
      .filter((path) => path.startsWith('docs/') && path.endsWith('.md'));
    assert.deepEqual(
      pages.flatMap((path) =>
        named(path, /\]\((?!https?:)([^)#]+)/g).filter((target) => !existsSync(join(installed, dirname(path), target))),
      ),
      [],
    );
    assert.match(readFileSync(join(installed, 'docs/configuration-file.md'), 'utf8'), /^npx sitewarden init https/m);
  });

  test('checks a site with all kinds of checks', async (t) => {
    const site = await siteWith(t, { '/': page('Bakery', '<p><img src="data:,"><a href="/gone">Gone</a>') });
    const { status, stdout, stderr } = await installation.run(['check', `${site.origin}/`, '--a11y', '--links']);
    assert.equal(status, 1, stderr);
    assert.match(stdout, /An “img” element must have an “alt” attribute/);
    assert.match(stdout, /Images must have alternative text/);
    assert.match(stdout, /404/);
  });

  test('init names the schema for editors', async () => {
    const output = join(folder, 'empty/sitewarden.yaml');
    const { status, stderr } = await installation.run(['init', 'https://example.com/', '--output', output]);
    assert.equal(status, 0, stderr);
    const [, schema = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(readFileSync(output, 'utf8')) ?? [];
    assert.ok(existsSync(join(folder, 'empty', schema)), schema);
  });

  test('serves the dashboard, and names its own commands', async () => {
    const serving = await installation.serve();
    await serving.ready();
    const index = await (await fetch(serving.origin)).text();
    const [script = ''] = /assets\/[^"]+\.js/.exec(index) ?? [];
    assert.equal((await fetch(`${serving.origin}/${script}`)).status, 200);
    assert.match(await (await fetch(`${serving.origin}/api/docs`)).text(), /npx sitewarden token create/);
    const { data } = JSON.parse(await (await fetch(`${serving.origin}/api/v1/installation`)).text());
    assert.equal(data.attributes.command, 'npx sitewarden', 'the dashboard shows it');
    serving.child.kill('SIGTERM');
    assert.equal((await serving.ended).status, 0);
  });
});
