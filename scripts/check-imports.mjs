/**
 * Checks that imports between the folders of `src`, and of `web/src`, point one way: each folder may import only from the folders
 * listed for it. A folder that is not listed is an error, so the rule applies to new folders from their first file. `src` and
 * `web/src` import nothing from each other. What they share is the client library, of which `web`, a workspace, imports the
 * package, and `src` the files (decision 0136).
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
    'metrics',
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
    'packages/client',
  ],
  'app.ts': [
    'foundation.ts',
    'config.ts',
    'exports',
    'mcp',
    'metrics',
    'api',
    'notifications',
    'schedules',
    'reports',
    'accounts',
    'crawling',
    'checking',
    'logins',
    'spider',
    'checks',
    'browser',
    'egress',
    'queue',
    'store',
    'platform',
    'domain',
    'packages/client',
  ],
  'foundation.ts': ['config.ts', 'accounts', 'store', 'platform'],
  'config.ts': ['accounts', 'platform', 'domain', 'packages/client'],
  api: [
    'notifications',
    'schedules',
    'reports',
    'accounts',
    'logins',
    'page-source',
    'spider',
    'checks',
    'browser',
    'egress',
    'store',
    'platform',
    'domain',
    'packages/client',
  ],
  exports: ['api', 'reports', 'checks', 'browser', 'store', 'platform', 'domain', 'packages/client'],
  notifications: ['accounts', 'spider', 'checks', 'egress', 'queue', 'store', 'platform', 'domain', 'packages/client'],
  // A client of the API, in the same process or in another one.
  mcp: ['api', 'checks', 'platform', 'domain', 'packages/client'],
  metrics: ['checks', 'browser', 'queue', 'store', 'platform'],
  schedules: ['reports', 'accounts', 'queue', 'store', 'platform', 'domain', 'packages/client'],
  reports: [
    'accounts',
    'issues',
    'crawling',
    'checking',
    'logins',
    'spider',
    'checks',
    'browser',
    'queue',
    'store',
    'platform',
    'domain',
    'packages/client',
  ],
  accounts: ['queue', 'store', 'platform', 'domain', 'packages/client'],
  crawling: [
    'logins',
    'spider',
    'checks',
    'browser',
    'egress',
    'queue',
    'store',
    'platform',
    'domain',
    'packages/client',
  ],
  checking: [
    'issues',
    'page-source',
    'crawling',
    'logins',
    'spider',
    'checks',
    'browser',
    'egress',
    'queue',
    'store',
    'platform',
    'domain',
  ],
  logins: ['browser', 'store', 'platform', 'domain'],
  issues: ['page-source', 'platform', 'domain', 'packages/client'],
  checks: ['page-source', 'spider', 'browser', 'egress', 'platform', 'domain', 'packages/client'],
  'page-source': ['platform', 'domain'],
  spider: ['egress', 'platform', 'domain'],
  browser: ['egress', 'platform', 'domain'],
  queue: ['store', 'platform', 'domain'],
  egress: ['platform', 'domain'],
  // `issues` is pure: it compares results while they are replaced. The client library has the type of the periodicity that is
  // stored with a schedule, because dashboard and service compute next runs with the same function.
  store: ['issues', 'platform', 'domain', 'packages/client'],
  platform: [],
  // The client library has the words and the rules that dashboard and service share. It imports nothing.
  domain: ['packages/client'],
};

/** The dashboard, from the top down. Each screen is a folder of its own: screens do not import each other. */
const WEB_MAY_IMPORT = {
  'main.tsx': ['router.tsx', 'shell', 'live', 'api', 'style', 'sitewarden-client'],
  'router.tsx': ['screens', 'shell', 'report', 'live', 'lib'],
  screens: [
    'shell',
    'report',
    'forms',
    'lists',
    'parts',
    'charts',
    'source-view',
    'live',
    'api',
    'lib',
    'sitewarden-client',
  ],
  shell: ['forms', 'parts', 'live', 'api', 'lib', 'sitewarden-client'],
  report: ['forms', 'parts', 'charts', 'live', 'api', 'lib', 'sitewarden-client'],
  forms: ['parts', 'live', 'api', 'lib', 'sitewarden-client'],
  lists: ['parts', 'live', 'api', 'lib'],
  live: ['parts', 'api', 'lib', 'sitewarden-client'],
  'source-view': ['parts', 'lib'],
  charts: ['parts', 'lib'],
  parts: ['lib', 'sitewarden-client'],
  api: ['lib', 'sitewarden-client'],
  lib: ['sitewarden-client'],
};

/** The files of the client library, as the tables name them, and as they are relative to the sources. */
const CLIENT = 'packages/client';
const CLIENT_ABOVE = join('..', 'packages', 'client');
const IMPORT =
  /\bfrom\s+'((?:\.|sitewarden-client)[^']*)'|\bimport\('((?:\.|sitewarden-client)[^']*)'\)|\bnew URL\('(\.[^']+)'|^import '(\.[^']+)'/gm;
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
  return [...text.matchAll(IMPORT)].map(([, ...paths]) => {
    const path = paths.find((one) => one !== undefined);
    return path.startsWith('.') ? normalize(join(dirname(file), path)) : path;
  });
}

function isAllowed(file, target, allowed) {
  const to = folderOf(target);
  // Files next to the sources, such as package.json.
  if (to === '..') return !target.split(sep).some((folder) => ['src', 'web', 'packages'].includes(folder));
  if (to === folderOf(file)) return to !== 'screens' || screenOf(file) === screenOf(target);
  return allowed.includes(to);
}

function folderOf(file) {
  return file.startsWith(CLIENT_ABOVE) ? CLIENT : file.split(sep)[0];
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
