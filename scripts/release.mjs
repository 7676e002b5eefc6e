// Makes all files of a release, in one folder. It publishes nothing: it prints the commands for that.
//   npm run release [-- --dry-run] [--bundle] [FOLDER]
// A dry run takes the checkout as it is. A release requires a clean one at the tag of its version, a date in CHANGELOG.md, and
// its last migration in migrations/releases.json. With --bundle, it also makes the installation for machines without the
// internet, for the operating system and processor of this machine.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { createGzip } from 'node:zlib';
import { projectDirectory } from './set-up.mjs';

/** Tracked files that `docker build` needs. */
const IMAGE_FILES = [
  ...['Dockerfile', '.dockerignore', '.npmrc', 'package.json', 'package-lock.json', 'tsconfig.json', 'LICENSE'],
  ...[
    'CHANGELOG.md',
    'ci',
    'deploy',
    'docs',
    ':!docs/pictures',
    'migrations',
    'packages',
    'scripts',
    ':!scripts/pictures',
  ],
  ...['src', 'web'],
];
/** Files that name the files or the tag of a release. */
const PINNED = /sitewarden(?:-client)?-(\d+\.\d+\.\d+[\w.-]*)\.tgz|sitewarden@v(\d+\.\d+\.\d+\S*)/g;

const { values, positionals } = parseArgs({
  options: { 'dry-run': { type: 'boolean' }, bundle: { type: 'boolean' } },
  allowPositionals: true,
});
const isDryRun = values['dry-run'] === true;
const folder = resolve(positionals[0] ?? join(projectDirectory, 'release'));
const { version } = JSON.parse(read('package.json'));
const notes = notesOf(version);

const problems = [...disagreements(), ...(isDryRun ? [] : unready())];
if (problems.length > 0) {
  process.stderr.write(`Version ${version} cannot be released:\n${problems.map((line) => `- ${line}\n`).join('')}`);
  process.exitCode = 1;
} else {
  await release();
}

async function release() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  pack('package.mjs');
  pack('package-client.mjs');
  await packImage(join(folder, `sitewarden-${version}-image.tar.gz`));
  if (values.bundle === true) await packBundle(`sitewarden-${version}-${process.platform}-${process.arch}`);
  writeFileSync(join(folder, `sitewarden-${version}.cdx.json`), billOfMaterials());
  writeFileSync(join(folder, 'RELEASE-NOTES.md'), notes.text);
  const names = readdirSync(folder).sort();
  writeFileSync(join(folder, 'SHA256SUMS'), names.map((name) => `${sha256(join(folder, name))}  ${name}\n`).join(''));
  process.stdout.write(`${[...names, 'SHA256SUMS'].map((name) => join(folder, name)).join('\n')}\n`);
  if (!isDryRun) process.stdout.write(`\nTo publish them:\n${publishing().join('\n')}\n`);
}

/** What must agree in the checkout, even if it is not released. */
function disagreements() {
  const lock = JSON.parse(read('package-lock.json'));
  const versions = [
    ['package-lock.json', lock.version],
    ['package-lock.json', lock.packages[''].version],
    ['package-lock.json', lock.packages['packages/client'].version],
    ['packages/client/package.json', JSON.parse(read('packages/client/package.json')).version],
    ...tracked(['README.md', 'docs', ':!docs/decisions', 'packages', 'ci', 'action.yml', ':!*.webp']).flatMap((name) =>
      [...read(name).matchAll(PINNED)].map(([, ofFile, ofTag]) => [name, ofFile ?? ofTag]),
    ),
  ];
  return [
    ...versions
      .filter(([, found]) => found !== version)
      .map(([name, found]) => `${name} has version ${found}, package.json ${version}`),
    ...(notes.text === '' ? [`CHANGELOG.md has nothing about ${version}`] : []),
  ];
}

/** What keeps the checkout from being released. */
function unready() {
  const tags = git('tag', '--points-at', 'HEAD').split('\n');
  const lastMigration = readdirSync(join(projectDirectory, 'migrations'))
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .at(-1);
  const lastOfRelease = JSON.parse(read('migrations/releases.json'))[version];
  return [
    ...(git('status', '--porcelain') === '' ? [] : ['the working tree has changes that are not committed']),
    ...(tags.includes(`v${version}`) ? [] : [`the commit does not have the tag v${version}`]),
    ...(lastOfRelease === lastMigration
      ? []
      : [`migrations/releases.json does not have "${version}": "${lastMigration}", its last migration`]),
    ...(/^\d{4}-\d{2}-\d{2}$/.test(notes.date) ? [] : [`CHANGELOG.md has no date for ${version}, but “${notes.date}”`]),
  ];
}

/** Returns the section of a version in CHANGELOG.md, and the date in its heading. */
function notesOf(wanted) {
  const [, ...sections] = read('CHANGELOG.md').split(/^## /m);
  const section = sections.find((text) => text.startsWith(`[${wanted}]`)) ?? '';
  const [heading = '', ...lines] = section.split('\n');
  const text = lines.join('\n').trim();
  return { date: heading.split(' - ')[1] ?? '', text: text === '' ? '' : `${text}\n` };
}

/** Writes the npm package of a script to the folder. */
function pack(script) {
  const package_ = mkdtempSync(join(tmpdir(), 'sitewarden-release-'));
  try {
    run(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      join(projectDirectory, 'scripts', script),
      package_,
    ]);
    run('npm', ['pack', package_, '--pack-destination', folder, '--loglevel=error']);
  } finally {
    rmSync(package_, { recursive: true, force: true });
  }
}

/** Packs what `docker build` needs. The same commit gives the same bytes. */
async function packImage(path) {
  const { pack: packFiles } = await import('tar-fs');
  const sameForAll = { mtime: new Date(0), uid: 0, gid: 0, uname: '', gname: '' };
  const files = packFiles(projectDirectory, {
    entries: tracked(IMAGE_FILES),
    map: (header) => ({ ...header, ...sameForAll, mode: header.mode & 0o100 ? 0o755 : 0o644 }),
  });
  await pipeline(files, createGzip({ level: 9 }), createWriteStream(path));
}

/**
 * Packs the npm package with all dependencies, in the versions of the lock file, and writes the checksums of its files. It takes
 * them from the npm registry.
 */
async function packBundle(name) {
  const { pack: packFiles } = await import('tar-fs');
  const place = mkdtempSync(join(tmpdir(), 'sitewarden-release-'));
  try {
    const installed = join(place, 'node_modules', 'sitewarden');
    mkdirSync(installed, { recursive: true });
    run('tar', ['-xzf', join(folder, `sitewarden-${version}.tgz`), '-C', installed, '--strip-components=1']);
    const lock = join(installed, 'package-lock.json');
    writeFileSync(lock, read('package-lock.json'));
    run('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error'], installed);
    rmSync(lock);
    run(process.execPath, [join(installed, 'scripts/run.mjs'), '--version']);
    const map = (header) => ({ ...header, mtime: new Date(0), uid: 0, gid: 0, uname: '', gname: '' });
    const target = createWriteStream(join(folder, `${name}.tar.gz`));
    // Not the folder itself: tar would give the folder into which it extracts the same mode, which only root may enter.
    await pipeline(packFiles(place, { entries: ['node_modules'], map }), createGzip(), target);
    const files = readdirSync(place, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(place, join(entry.parentPath, entry.name)));
    const sums = files.sort().map((path) => `${sha256(join(place, path))}  ${path}\n`);
    writeFileSync(join(folder, `${name}.sha256`), sums.join(''));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** The packages of the lock file that are installed or part of the dashboard, in the format of CycloneDX. */
function billOfMaterials() {
  const place = mkdtempSync(join(tmpdir(), 'sitewarden-release-'));
  try {
    // npm takes the name from the folder.
    const named = join(place, 'sitewarden');
    mkdirSync(named);
    const workspaces = JSON.parse(read('package.json')).workspaces.map((workspace) => `${workspace}/package.json`);
    for (const name of ['package.json', 'package-lock.json', ...workspaces]) {
      mkdirSync(dirname(join(named, name)), { recursive: true });
      writeFileSync(join(named, name), read(name));
    }
    const flags = ['--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
    return `${JSON.stringify(shippedOnly(JSON.parse(run('npm', ['sbom', ...flags], named))), null, 2)}\n`;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/**
 * Leaves out what only development needs, and the workspaces, which are parts of sitewarden: it depends on what they depend on.
 * With `--omit=dev`, npm 11 also omits packages that both need, such as pg-protocol.
 */
function shippedOnly({ components, dependencies, ...bill }) {
  const whole = bill.metadata.component['bom-ref'];
  const parts = new Set([whole, ...referencesOf(components.filter((component) => has(component, 'private')))]);
  const shipped = components.filter((component) => !has(component, 'development') && !has(component, 'private'));
  const graph = [whole, ...referencesOf(shipped)].map((ref) => ({ ref, dependsOn: new Set() }));
  const nodes = new Map(graph.map((node) => [node.ref, node]));
  for (const { ref, dependsOn } of dependencies) {
    const node = nodes.get(parts.has(ref) ? whole : ref);
    for (const other of dependsOn) if (nodes.has(other)) node?.dependsOn.add(other);
  }
  return {
    ...bill,
    components: shipped,
    dependencies: graph.map(({ ref, dependsOn }) => ({ ref, dependsOn: [...dependsOn] })),
  };
}

function has({ properties }, name) {
  return properties.some((property) => property.name === `cdx:npm:package:${name}`);
}

function referencesOf(components) {
  return components.map((component) => component['bom-ref']);
}

function publishing() {
  const file = (name) => join(folder, name);
  return [
    `npm publish ${file(`sitewarden-${version}.tgz`)}`,
    `npm publish ${file(`sitewarden-client-${version}.tgz`)}`,
    `docker build --tag sitewarden:${version} - < ${file(`sitewarden-${version}-image.tar.gz`)}`,
    `gh release create v${version} --verify-tag --notes-file ${file('RELEASE-NOTES.md')} ${file('sitewarden-*')} ${file('SHA256SUMS')}`,
  ];
}

function tracked(paths) {
  return git('ls-files', '-z', '--', ...paths)
    .split('\0')
    .filter((name) => name !== '');
}

function git(...args) {
  return run('git', args).trim();
}

function run(file, args, cwd = projectDirectory) {
  return execFileSync(file, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 26 });
}

function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function read(name) {
  return readFileSync(join(projectDirectory, name), 'utf8');
}
