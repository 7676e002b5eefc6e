import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, createApp } from '../src/app.ts';
import { type Config, loadConfig } from '../src/config.ts';
import { openFoundation } from '../src/foundation.ts';
import { createLogger } from '../src/platform/logger.ts';
import { type SeededLists, seedLists } from './list-data.ts';

type Size = Parameters<typeof seedLists>[1];

/** The service on the reports of a busy installation. */
export interface SeededService extends SeededLists {
  readonly app: App;
  /** `http://127.0.0.1:PORT`. */
  readonly address: string;
  readonly dataDir: string;
  close(): Promise<void>;
}

const log = createLogger({ level: 'warn', format: 'pretty' });

/** @param directory where the database is created, kept, and used by the next run; undefined for a temporary directory */
export async function openSeededService(directory: string | undefined, size: Size): Promise<SeededService> {
  const dataDir = directory ?? (await mkdtemp(join(tmpdir(), 'sitewarden-seeded-')));
  // As root, the database runs as another user, who must be able to enter the folder.
  if (directory === undefined) await chmod(dataDir, 0o755);
  const config = loadConfig({ SITEWARDEN_DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0' }, false);
  const seeded = await seed(config, size);
  const app = await createApp(config, log, { isLongLived: false });
  return {
    ...seeded,
    app,
    address: await app.listen(),
    dataDir,
    async close() {
      await app.close();
      if (directory === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function seed(config: Config, size: Size): Promise<SeededLists> {
  const notes = join(config.dataDir, 'seeded.json');
  if (existsSync(notes)) return createRequire(import.meta.url)(notes);
  const foundation = await openFoundation(config, log);
  const started = performance.now();
  const result = await seedLists(foundation.connectionString, size, (step) => {
    console.log(`  ${((performance.now() - started) / 1_000).toFixed(0).padStart(5)} s  ${step}`);
  });
  await foundation.close();
  await writeFile(notes, JSON.stringify(result));
  return result;
}
