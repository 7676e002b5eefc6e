/**
 * Makes a report of ten thousand different pages with HTML checks, then measures how long a backup, its verification and its
 * restore into a new database take, unencrypted and encrypted, and the most memory that this process uses.
 *
 *   npm run bench:backups -- [--pages N]
 */
import { createWriteStream } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { sql } from 'kysely';
import { loadConfig } from '../src/config.ts';
import { openFoundation } from '../src/foundation.ts';
import { createLogger } from '../src/platform/logger.ts';
import { decryptFile } from '../src/store/backup/encryption.ts';
import { restoreBackup } from '../src/store/backup/restore-backup.ts';
import { verifyBackup } from '../src/store/backup/verify-backup.ts';
import { writeBackup } from '../src/store/backup/write-backup.ts';
import { CORPORA, chosenFiles } from './checked-pages.ts';
import { openBenchApp } from './whole-report.ts';

const { values } = parseArgs({ options: { pages: { type: 'string', default: '10000' } } });
const pages = Number(values.pages);
const directory = CORPORA[0] ?? '';
const bodies = await Promise.all(
  (await chosenFiles(directory, pages)).map((file) => readFile(join(directory, file), 'utf8')),
);
const server = createServer(({ url = '' }, response) => {
  const nth = Number(url.slice(1));
  const body = bodies[nth % bodies.length] ?? '';
  response.setHeader('content-type', 'text/html; charset=utf-8');
  // Different documents, so that each is checked and stored.
  response.end(
    body.replace('</title>', ` ${nth}</title>`).replace('</body>', `<p>${String(nth).repeat(40)}</p></body>`),
  );
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const { SITEWARDEN_CHROMIUM } = process.env;
const app = await openBenchApp(SITEWARDEN_CHROMIUM === undefined ? {} : { SITEWARDEN_CHROMIUM });
const urls = Array.from({ length: pages }, (_, nth) => `${origin}/${nth}`);
console.log(`a report of ${pages} pages took ${(await app.report(urls, { checks: ['html'] })).toFixed(0)} s`);
const { rows } = await sql<{ bytes: string }>`
  SELECT pg_database_size(current_database()) AS bytes`.execute(app.db);
console.log(`the database has ${megabytes(Number(rows[0]?.bytes))}`);

const source = await openFoundation(configOf(app.dataDir), quiet());
const [plain, encrypted] = [join(app.dataDir, 'plain'), join(app.dataDir, 'encrypted')];
const identity = await generateIdentity();
const identityFile = join(app.dataDir, 'identity.txt');
await writeFile(identityFile, identity);
const { connectionString } = source;
await timed('backup', () => writeBackup(connectionString, createWriteStream(plain)));
console.log(`the backup has ${megabytes((await stat(plain)).size)}`);
await timed('verify', () => verifyBackup(plain));
const recipient = await identityToRecipient(identity);
await timed('backup, encrypted', () => writeBackup(connectionString, createWriteStream(encrypted), recipient));
await timed('decrypt', () => decryptFile(encrypted, identityFile, createWriteStream(join(app.dataDir, 'decrypted'))));
const { manifest } = await verifyBackup(plain);
const target = await openFoundation(configOf(join(app.dataDir, 'target')), quiet());
await timed('restore', () => restoreBackup(target.connectionString, { path: plain, manifest, paused: false }));
await target.close();
await source.close();
server.close();
await app.close();

function quiet() {
  return createLogger({ level: 'error', format: 'pretty' });
}

function configOf(dataDir: string) {
  return loadConfig({ SITEWARDEN_DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0' }, false);
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  let most = process.memoryUsage.rss();
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 50);
  const [started, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  clearInterval(watch);
  const { user, system } = process.cpuUsage(cpu);
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  console.log(`${what}: ${seconds} s, processor ${((user + system) / 1e6).toFixed(1)} s, memory ${megabytes(most)}`);
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
