/**
 * Compares one `work` process on one core with two on a core each: seconds of the same report, without reuse. The database and
 * the site use both cores. Requires Linux and `taskset`.
 *
 *   npm run bench:processes -- [--directory DIR] [--every N] [--rounds N] [--checks html,a11y]
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { ensureFirstAccount } from '../src/accounts/accounts.ts';
import type { CheckKind } from '../src/domain/check.ts';
import { createSecretBox } from '../src/platform/secret-box.ts';
import { createCredentialStore } from '../src/store/reports/credential-store.ts';
import { createInstallation, type Installation } from '../test/helpers/command-line.ts';
import { startOwnPostgres } from '../test/helpers/own-postgres.ts';
import { corpusOf, serveCorpus } from './corpus.ts';
import { secondsOfReport } from './whole-report.ts';

const { values } = parseArgs({
  options: {
    directory: { type: 'string' },
    every: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '2' },
    checks: { type: 'string', default: 'html,a11y' },
  },
});
/** Enough for each process to have compiled its code. */
const WARM_UP_PAGES = 30;
const CORES = ['0', '1'] as const;

const corpus = await corpusOf(values.directory, Number(values.every));
const checks = values.checks.split(',') as CheckKind[];
const site = await serveCorpus(corpus);
const { urls } = site;
const postgres = await startOwnPostgres();
const { db } = postgres;
const secretKey = randomBytes(32);
const credentialStore = createCredentialStore(createSecretBox(secretKey));
const account = await ensureFirstAccount(db);
const started: Installation[] = [];
console.log(
  `${corpus.name}: ${urls.length} pages, mean ${Math.round(corpus.bytes / urls.length / 1_000)} kB, ${checks}`,
);

for (const [index, core] of CORES.entries()) {
  startOn(core);
  const report = (pages: readonly string[]): Promise<number> =>
    secondsOfReport({ db, credentialStore }, account.id, pages, { checks, reuse: false });
  await report(urls.slice(0, WARM_UP_PAGES * (index + 1)));
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    const seconds = await report(urls);
    const rate = (urls.length / seconds).toFixed(2);
    console.log(`  ${index + 1} processes, round ${round}: ${seconds.toFixed(1)} s, ${rate} pages/s`);
  }
}
for (const installation of started) installation.remove();
site.stop();
await postgres.close();

/** Starts `work` on one core: processes inherit the cores of the thread that starts them. */
function startOn(core: string): void {
  const installation = createInstallation({
    DATABASE_URL: postgres.connectionString,
    SITEWARDEN_SECRET_KEY: secretKey.toString('base64'),
    SITEWARDEN_ALLOW_PRIVATE_NETWORKS: 'true',
    SITEWARDEN_LOG_LEVEL: 'warn',
  });
  started.push(installation);
  const use = (cores: string): unknown => execFileSync('taskset', ['--pid', '--cpu-list', cores, String(process.pid)]);
  use(core);
  installation.start(['work']);
  use(CORES.join());
}
