/**
 * Checks that imports between the folders of `src` point one way: each folder may import only from the folders listed for it. A
 * folder that is not listed is an error, so the rule applies to new folders from their first file.
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
    'api',
    'reports',
    'accounts',
    'answers',
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
    'api',
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
  'config.ts': ['accounts', 'platform'],
  api: [
    'schedules',
    'reports',
    'accounts',
    'answers',
    'spider',
    'checks',
    'browser',
    'egress',
    'store',
    'platform',
    'domain',
  ],
  schedules: ['reports', 'accounts', 'queue', 'store', 'platform', 'domain'],
  reports: ['answers', 'crawling', 'checking', 'checks', 'queue', 'store', 'platform', 'domain'],
  accounts: ['queue', 'store', 'platform', 'domain'],
  crawling: ['spider', 'checks', 'browser', 'egress', 'queue', 'store', 'platform', 'domain'],
  checking: ['answers', 'crawling', 'spider', 'checks', 'browser', 'egress', 'queue', 'store', 'platform', 'domain'],
  answers: ['platform', 'domain'],
  checks: ['answers', 'spider', 'browser', 'egress', 'platform', 'domain'],
  spider: ['egress', 'platform', 'domain'],
  browser: ['egress', 'platform', 'domain'],
  queue: ['store', 'platform', 'domain'],
  egress: ['platform', 'domain'],
  store: ['platform', 'domain'],
  platform: [],
  domain: [],
};

const root = join(import.meta.dirname, '..', 'src');
const IMPORT = /\bfrom\s+'(\.[^']+)'|\bimport\('(\.[^']+)'\)|\bnew URL\('(\.[^']+)'/g;
const folderOf = (file) => file.split(sep)[0];
const faults = [];

for (const file of readdirSync(root, { recursive: true }).filter((name) => name.endsWith('.ts'))) {
  const allowed = MAY_IMPORT[folderOf(file)];
  if (allowed === undefined) {
    faults.push(`src/${file}: ${folderOf(file)} is not listed in scripts/check-imports.mjs.`);
    continue;
  }
  for (const [, ...paths] of readFileSync(join(root, file), 'utf8').matchAll(IMPORT)) {
    const target = normalize(
      join(
        dirname(file),
        paths.find((path) => path !== undefined),
      ),
    );
    const to = folderOf(target);
    if (to === '..' || to === folderOf(file) || allowed.includes(to)) continue;
    faults.push(
      `src/${file} must not import ${target}: ${folderOf(file)} may import ${allowed.join(', ') || 'nothing'}.`,
    );
  }
}

for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
