/**
 * Checks that imports between the folders of `src`, and of `web/src`, point one way: each folder may import only from the folders
 * listed for it. A folder that is not listed is an error, so the rule applies to new folders from their first file. `src` and
 * `web/src` import nothing of each other.
 *
 * Playwright must be imported where a browser is needed, with `await import`: it takes a quarter of the time of every start.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';

/** From the top down. Only `app.ts`, `foundation.ts` and the commands may import `config.ts`. */
const MAY_IMPORT = {
  'cli.ts': ['commands', 'platform'],
  commands: [
    'app.ts',
    'foundation.ts',
    'config.ts',
    'exports',
    'mcp',
    'reports',
    'accounts',
    'issues',
    'page-source',
    'checks',
    'queue',
    'store',
    'browser',
    'platform',
    'domain',
  ],
  'app.ts': [
    'foundation.ts',
    'config.ts',
    'exports',
    'mcp',
    'api',
    'notifications',
    'schedules',
    'reports',
    'accounts',
    'crawling',
    'checking',
    'spider',
    'checks',
    'browser',
    'egress',
    'queue',
    'store',
    'platform',
    'domain',
  ],
  'foundation.ts': ['config.ts', 'accounts', 'store', 'platform'],
  'config.ts': ['accounts', 'platform', 'domain'],
  api: [
    'notifications',
    'schedules',
    'reports',
    'accounts',
    'page-source',
    'spider',
    'checks',
    'browser',
    'egress',
    'store',
    'platform',
    'domain',
  ],
  exports: ['api', 'reports', 'checks', 'browser', 'store', 'platform', 'domain'],
  notifications: ['accounts', 'spider', 'checks', 'egress', 'queue', 'store', 'platform', 'domain'],
  // A client of the API, in the same process or in another one.
  mcp: ['api', 'checks', 'platform', 'domain'],
  schedules: ['reports', 'accounts', 'queue', 'store', 'platform', 'domain'],
  reports: [
    'accounts',
    'issues',
    'crawling',
    'checking',
    'spider',
    'checks',
    'browser',
    'queue',
    'store',
    'platform',
    'domain',
  ],
  accounts: ['queue', 'store', 'platform', 'domain'],
  crawling: ['spider', 'checks', 'browser', 'egress', 'queue', 'store', 'platform', 'domain'],
  checking: [
    'issues',
    'page-source',
    'crawling',
    'spider',
    'checks',
    'browser',
    'egress',
    'queue',
    'store',
    'platform',
    'domain',
  ],
  issues: ['page-source', 'platform', 'domain'],
  checks: ['page-source', 'spider', 'browser', 'egress', 'platform', 'domain'],
  'page-source': ['platform', 'domain'],
  spider: ['egress', 'platform', 'domain'],
  browser: ['egress', 'platform', 'domain'],
  queue: ['store', 'platform', 'domain'],
  egress: ['platform', 'domain'],
  // `issues` is pure: it compares results while they are replaced.
  store: ['issues', 'platform', 'domain'],
  platform: [],
  domain: [],
};

/** The dashboard, from the top down. Each screen is a folder of its own: screens do not import each other. */
const WEB_MAY_IMPORT = {
  'main.tsx': ['router.tsx', 'shell', 'live', 'api', 'style'],
  'router.tsx': ['screens', 'shell', 'report', 'live', 'lib'],
  screens: ['shell', 'report', 'forms', 'lists', 'parts', 'charts', 'source-view', 'live', 'api', 'lib'],
  shell: ['forms', 'parts', 'live', 'api', 'lib'],
  report: ['forms', 'parts', 'live', 'api', 'lib'],
  forms: ['parts', 'live', 'api', 'lib'],
  lists: ['parts', 'live', 'api', 'lib'],
  live: ['parts', 'api', 'lib'],
  'source-view': ['parts', 'lib'],
  charts: ['parts', 'lib'],
  parts: ['lib'],
  api: ['lib'],
  lib: [],
};

const IMPORT = /\bfrom\s+'(\.[^']+)'|\bimport\('(\.[^']+)'\)|\bnew URL\('(\.[^']+)'|^import '(\.[^']+)'/gm;
const PLAYWRIGHT_AT_START = /^import (?!type\b)[^;]*?from 'playwright-core'/m;
const projectDirectory = join(import.meta.dirname, '..');
const faults = [...faultsIn('src', MAY_IMPORT), ...faultsIn(join('web', 'src'), WEB_MAY_IMPORT), ...eagerPlaywright()];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;

function faultsIn(root, table) {
  return readdirSync(join(projectDirectory, root), { recursive: true })
    .filter((name) => /\.tsx?$/.test(name))
    .flatMap((file) => {
      const allowed = table[folderOf(file)];
      if (allowed === undefined)
        return [`${root}/${file}: ${folderOf(file)} is not listed in scripts/check-imports.mjs.`];
      return importsOf(root, file)
        .filter((target) => !isAllowed(file, target, allowed))
        .map(
          (target) =>
            `${root}/${file} must not import ${target}: ${folderOf(file)} may import ${allowed.join(', ') || 'nothing'}.`,
        );
    });
}

/** Returns the files that a file imports, relative to the root. */
function importsOf(root, file) {
  const text = readFileSync(join(projectDirectory, root, file), 'utf8');
  return [...text.matchAll(IMPORT)].map(([, ...paths]) =>
    normalize(
      join(
        dirname(file),
        paths.find((path) => path !== undefined),
      ),
    ),
  );
}

function isAllowed(file, target, allowed) {
  const to = folderOf(target);
  // Files beside the sources, such as package.json.
  if (to === '..') return !target.split(sep).some((folder) => folder === 'src' || folder === 'web');
  if (to === folderOf(file)) return to !== 'screens' || screenOf(file) === screenOf(target);
  return allowed.includes(to);
}

function folderOf(file) {
  return file.split(sep)[0];
}

function screenOf(file) {
  return file.split(sep)[1];
}

function eagerPlaywright() {
  return readdirSync(join(projectDirectory, 'src'), { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .filter((file) => PLAYWRIGHT_AT_START.test(readFileSync(join(projectDirectory, 'src', file), 'utf8')))
    .map((file) => `src/${file} must import playwright-core with await import(), where a browser is needed.`);
}
