import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createInstallation, type Installation } from '../helpers/command-line.ts';
import { page } from '../helpers/faulty-pages.ts';
import { installPackage } from '../helpers/installed-package.ts';
import { sharedValidator } from '../helpers/shared-parts.ts';
import { siteWith } from '../helpers/test-site.ts';

/** The files of a release, made by a dry run in this checkout, and what keeps a checkout from being released. */

const projectDirectory = join(import.meta.dirname, '../..');
const { version, dependencies } = JSON.parse(read(projectDirectory, 'package.json'));
const packedMaxBytes = 2_200_000;
const npmPackage = `sitewarden-${version}.tgz`;
const clientPackage = `sitewarden-client-${version}.tgz`;
const imageContext = `sitewarden-${version}-image.tar.gz`;
const billOfMaterials = `sitewarden-${version}.cdx.json`;

let folder: string;
let release: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'sitewarden-release-test-'));
  release = join(folder, 'release');
  const { status, stdout, stderr } = runRelease(projectDirectory, '--dry-run', release);
  assert.equal(status, 0, stderr);
  assert.equal(stdout.match(/^\/.*$/gm)?.length, 6, stdout);
});
after(() => rmSync(folder, { recursive: true, force: true }));

function runRelease(checkout: string, ...args: string[]) {
  return spawnSync(process.execPath, [join(checkout, 'scripts/release.mjs'), ...args], { encoding: 'utf8' });
}

function read(directory: string, name: string): string {
  return readFileSync(join(directory, name), 'utf8');
}

function filesIn(archive: string): readonly string[] {
  return execFileSync('tar', ['-tzf', join(release, archive)], { encoding: 'utf8', maxBuffer: 2 ** 24 })
    .trim()
    .split('\n')
    .sort();
}

describe('a release', () => {
  test('has these files, with their checksums', () => {
    const files = ['RELEASE-NOTES.md', npmPackage, clientPackage, imageContext, billOfMaterials].sort();
    assert.deepEqual(readdirSync(release).sort(), ['SHA256SUMS', ...files].sort());
    const sums = files.map((name) => {
      const digest = createHash('sha256').update(readFileSync(join(release, name)));
      return `${digest.digest('hex')}  ${name}\n`;
    });
    assert.equal(read(release, 'SHA256SUMS'), sums.join(''));
  });

  test('has the notes of its version', () => {
    const notes = read(release, 'RELEASE-NOTES.md');
    assert.match(notes, /^### Added\n/m);
    assert.doesNotMatch(notes, /^## /m);
    assert.ok(read(projectDirectory, 'CHANGELOG.md').includes(notes.trim()));
  });

  test('has a package of the client that npm installs into an empty folder', () => {
    const empty = join(folder, 'client');
    mkdirSync(empty);
    const options = { cwd: empty, encoding: 'utf8' } as const;
    execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', join(release, clientPackage)], options);
    const program = "import('sitewarden-client').then(({ createClient }) => console.log(typeof createClient))";
    assert.equal(execFileSync(process.execPath, ['-e', program], options).trim(), 'function');
    assert.ok(existsSync(join(empty, 'node_modules/sitewarden-client/client.d.ts')));
    const manifest = JSON.parse(read(empty, 'node_modules/sitewarden-client/package.json'));
    assert.deepEqual(Object.keys(manifest.exports), ['.', './errors', './schema']);
    assert.ok(!('private' in manifest));
  });

  test('has what the image is built from, which makes the same package', () => {
    const source = join(folder, 'source');
    mkdirSync(source);
    execFileSync('tar', ['-xzf', join(release, imageContext), '-C', source]);
    const copied = [...read(source, 'Dockerfile').matchAll(/^COPY (?!--from)(.*)$/gm)].map(([, paths]) => paths);
    assert.deepEqual(copied, ['. .']);
    // Stands in for the registry, as an installation of the lock file.
    symlinkSync(join(projectDirectory, 'node_modules'), join(source, 'node_modules'));
    // It is built again unless its sources are the same.
    cpSync(join(projectDirectory, 'web/dist'), join(source, 'web/dist'), { recursive: true });
    const [, command = ''] = /^RUN (npm run .*)$/m.exec(read(source, 'Dockerfile')) ?? [];
    const built = join(folder, 'built');
    execFileSync('sh', ['-c', command.replace('/sitewarden', built)], { cwd: source, stdio: 'pipe' });
    const files = readdirSync(built, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).replace(built, 'package'));
    assert.deepEqual(files.sort(), filesIn(npmPackage));
    for (const name of filesIn(imageContext)) assert.doesNotMatch(name, /node_modules|\.env|\/dist\/|^test|^bench/);
  });

  test('has a bill of materials with what is installed and shipped, and no addresses of downloads', () => {
    const text = read(release, billOfMaterials);
    const { bomFormat, metadata, components, dependencies: graph } = JSON.parse(text);
    assert.deepEqual(
      [bomFormat, metadata.component.name, metadata.component.version],
      ['CycloneDX', 'sitewarden', version],
    );
    const { packages }: { packages: Record<string, { dev?: boolean; link?: boolean; version: string }> } = JSON.parse(
      read(projectDirectory, 'package-lock.json'),
    );
    const shipped = Object.entries(packages)
      // The workspaces are parts of sitewarden.
      .filter(([path, { dev, link }]) => path.includes('node_modules/') && link !== true && dev !== true)
      .map(([path, locked]) => `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${locked.version}`);
    const named = components.map(({ name, version: of }: { name: string; version: string }) => `${name}@${of}`);
    assert.deepEqual(named.sort(), [...new Set(shipped)].sort());
    const web = JSON.parse(read(projectDirectory, 'web/package.json'));
    const [whole] = graph.filter(({ ref }: { ref: string }) => ref === `sitewarden@${version}`);
    for (const name of Object.keys({ ...dependencies, ...web.dependencies }).filter(
      (one) => one !== 'sitewarden-client',
    ))
      assert.ok(
        whole.dependsOn.some((one: string) => one.startsWith(`${name}@`)),
        name,
      );
    const references = new Set(components.map((component: Record<string, string>) => component['bom-ref']));
    for (const { dependsOn } of graph)
      for (const reference of dependsOn) assert.ok(references.has(reference), reference);
    for (const { name, hashes, licenses } of components) assert.ok(hashes.length > 0 && licenses.length > 0, name);
    assert.deepEqual(new Set(text.match(/https?:\/\/[^/"]+/g)), new Set(['http://cyclonedx.org']));
  });
});

describe('the npm package, installed into an empty folder', () => {
  let empty: string;
  /** Its folder there. It sees only the dependencies of the checkout. */
  let installed: string;
  let installation: Installation;
  let paths: readonly string[];

  before(async () => {
    empty = join(folder, 'empty');
    installed = installPackage(join(release, npmPackage), empty);
    installation = createInstallation(await sharedValidator(), installed);
    paths = filesIn(npmPackage).map((path) => path.replace(/^package\//, ''));
  });
  after(() => installation.remove());

  test('contains what runs and nothing else, and is small', () => {
    const tops = new Set(paths.map((path) => path.replace(/^(web\/dist|[^/]+).*/, '$1')));
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
      paths.filter((path) => /^(?!docs\/).*\.tsx?$/.test(path)),
      [],
    );
    const { size } = statSync(join(release, npmPackage));
    assert.ok(size < packedMaxBytes, `${size} bytes`);
  });

  test('has the documentation that its messages and its README name, with its own commands', () => {
    const named = (path: string, pattern: RegExp): string[] =>
      [...readFileSync(join(installed, path), 'utf8').matchAll(pattern)].map(([, name = '']) => name);
    const sources = paths.filter((path) => /^src\/.*\.js$/.test(path));
    const names = [
      ...named('README.md', /\]\(([^):#]+)/g),
      ...sources.flatMap((path) => named(path, /['"` ](docs\/[\w-]+\.md)/g)),
    ];
    assert.ok(names.includes('docs/configuration-file.md') && names.includes('docs/ci.md'), names.join());
    assert.deepEqual(
      names.filter((name) => !existsSync(join(installed, name))),
      [],
    );
    const pages = paths.filter((path) => path.startsWith('docs/') && path.endsWith('.md'));
    assert.deepEqual(
      pages.flatMap((path) =>
        named(path, /\]\((?!https?:)([^)#]+)/g).filter((target) => !existsSync(join(installed, dirname(path), target))),
      ),
      [],
    );
    assert.match(readFileSync(join(installed, 'docs/configuration-file.md'), 'utf8'), /^npx sitewarden init https/m);
  });

  test('runs with npx, and init names the schema for editors', () => {
    execFileSync('npx', ['sitewarden', 'init', 'https://example.com/'], { cwd: empty, stdio: 'pipe' });
    const [, schema = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(read(empty, 'sitewarden.yaml')) ?? [];
    assert.ok(existsSync(join(empty, schema)), schema);
  });

  test('serves the dashboard, names its own commands, and checks a site with all kinds of checks', async (t) => {
    const serving = await installation.serve();
    await serving.ready();
    const index = await (await fetch(serving.origin)).text();
    const [script = ''] = /assets\/[^"]+\.js/.exec(index) ?? [];
    assert.equal((await fetch(`${serving.origin}/${script}`)).status, 200);
    assert.match(await (await fetch(`${serving.origin}/api/docs`)).text(), /npx sitewarden token create/);
    const { data } = JSON.parse(await (await fetch(`${serving.origin}/api/v1/installation`)).text());
    assert.equal(data.attributes.version, version);
    assert.equal(data.attributes.command, 'npx sitewarden', 'the dashboard shows it');

    const site = await siteWith(t, { '/': page('Bakery', '<p><img src="data:,"><a href="/gone">Gone</a>') });
    const { status, stdout, stderr } = await installation.run(['check', `${site.origin}/`, '--a11y', '--links']);
    assert.equal(status, 1, stderr);
    assert.match(stdout, /An “img” element must have an “alt” attribute/);
    assert.match(stdout, /Images must have alternative text/);
    assert.match(stdout, /404/);
    serving.child.kill('SIGTERM');
    assert.equal((await serving.ended).status, 0);
  });
});

describe('a checkout that is not ready', () => {
  /** A small repository with the files that are compared before anything is made. */
  function checkout(name: string): { readonly path: string; readonly git: (...args: string[]) => void } {
    const path = join(folder, name);
    for (const file of [
      ...[
        'scripts',
        'package.json',
        'package-lock.json',
        'CHANGELOG.md',
        'README.md',
        'docs/npm.md',
        'ci',
        'migrations',
        'action.yml',
      ],
      ...['packages/client/package.json', 'web/package.json', '.gitignore'],
    ]) {
      mkdirSync(dirname(join(path, file)), { recursive: true });
      cpSync(join(projectDirectory, file), join(path, file), { recursive: true });
    }
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
    const git = (...args: string[]) => void execFileSync('git', [...identity, ...args], { cwd: path, stdio: 'pipe' });
    git('init', '--quiet');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'start');
    return { path, git };
  }

  test('is refused with all reasons', () => {
    const { path, git } = checkout('unready');
    const [changelog, dated] = [read(path, 'CHANGELOG.md'), `## [${version}] - 2030-01-31`];
    cpSync(join(path, 'README.md'), join(path, 'notes.txt'));
    const first = runRelease(path, join(folder, 'none'));
    assert.equal(first.status, 1);
    assert.match(first.stderr, /^- the working tree has changes that are not committed$/m);
    assert.match(first.stderr, new RegExp(`^- the commit does not have the tag v${version}$`, 'm'));
    const last = readdirSync(join(path, 'migrations'))
      .filter((name) => name.endsWith('.sql'))
      .sort()
      .at(-1);
    assert.match(first.stderr, new RegExp(`^- migrations/releases.json does not have "${version}": "${last}"`, 'm'));
    assert.equal(/no date/.test(first.stderr), !/^## \[.*\] - \d{4}-/m.test(changelog), first.stderr);
    assert.ok(!existsSync(join(folder, 'none')));

    // Its commit has the tag of another version.
    rmSync(join(path, 'notes.txt'));
    writeFileSync(join(path, 'CHANGELOG.md'), changelog.replace(/^## .*/m, dated));
    writeFileSync(join(path, 'migrations/releases.json'), JSON.stringify({ [version]: last }));
    git('commit', '--quiet', '--all', '--message', 'date');
    git('tag', 'v0.0.9');
    assert.equal(
      runRelease(path)
        .stderr.match(/^- .*$/gm)
        ?.join(),
      `- the commit does not have the tag v${version}`,
    );
  });

  test('is refused even for a dry run if its versions disagree', () => {
    const { path } = checkout('disagreeing');
    for (const name of ['packages/client/package.json', 'docs/npm.md', 'CHANGELOG.md'])
      writeFileSync(join(path, name), read(path, name).replaceAll(version, '9.9.9'));
    const { status, stderr } = runRelease(path, '--dry-run', join(folder, 'none'));
    assert.equal(status, 1);
    assert.match(
      stderr,
      new RegExp(`^- packages/client/package.json has version 9.9.9, package.json ${version}$`, 'm'),
    );
    assert.match(stderr, /^- docs\/npm\.md has version 9\.9\.9/m);
    assert.match(stderr, new RegExp(`^- CHANGELOG.md has nothing about ${version}$`, 'm'));
    assert.equal(runRelease(path, '--dryrun').status, 1, 'an option that does not exist');
  });
});
