import { statfs } from 'node:fs/promises';
import { type App, createApp } from '../app.ts';
import { engineOf } from '../checks/registry.ts';
import { configOfProcess } from '../config.ts';
import { AppError, messageOf } from '../platform/errors.ts';
import { serverVersion } from '../store/database.ts';
import { ExitStatus } from './exit-status.ts';
import { closeInTime, endingInOrder } from './until-stopped.ts';
import { quietLogger } from './with-foundation.ts';

/** Below this much free space a report of a big site may not fit. */
const FREE_BYTES_MIN = 1024 ** 3;

/** Tries every part for real and prints a line for each, with the remedy where one is wanted. Sets the exit status. */
export async function doctor(): Promise<void> {
  await endingInOrder(examine);
}

async function examine(): Promise<void> {
  const tell = (part: string, problem: string | null, found = ''): void => {
    process.stdout.write(`${problem === null ? 'ok  ' : 'FAIL'}  ${part.padEnd(10)}${problem ?? found}\n`);
    if (problem !== null) process.exitCode = ExitStatus.fault;
  };
  const attempt = async (part: string, run: () => Promise<string>): Promise<void> => {
    try {
      tell(part, null, await run());
    } catch (error) {
      tell(part, messageOf(error));
    }
  };
  tell('runtime', null, `Node.js ${process.versions.node}`);
  const config = configOfProcess();
  const app = await createApp(config, quietLogger(config), { isLongLived: false }).catch((error: unknown) =>
    tell(partAtFault(error), messageOf(error)),
  );
  if (app === undefined) return;
  try {
    await attempt('database', () => serverVersion(app.db));
    tell(
      'secrets',
      null,
      `encrypted with ${config.secretKey === null ? 'the key in the data directory' : 'SITEWARDEN_SECRET_KEY'}`,
    );
    for (const { kind, showsPages, start } of app.checkers) {
      const { dependsOn } = engineOf(kind);
      if (dependsOn === null) continue;
      await attempt(dependsOn, async () => {
        await start();
        return `it starts and answers${showsPages ? containmentOf(app.browser) : ''}`;
      });
    }
    await attempt('disk', async () => {
      const { bavail, bsize } = await statfs(config.dataDir);
      const free = `${((Number(bavail) * bsize) / 1024 ** 3).toFixed(1)} GiB free for ${config.dataDir}`;
      if (Number(bavail) * bsize < FREE_BYTES_MIN)
        throw new Error(`${free}: free up space, or set SITEWARDEN_DATA_DIR`);
      return free;
    });
  } finally {
    await closeInTime(app.close);
  }
}

/** What keeps the rest from being tried. */
function partAtFault(error: unknown): string {
  if (!(error instanceof AppError)) return 'database';
  if (error.code === 'data_directory_unusable') return 'disk';
  return error.code.startsWith('secret_key_') ? 'secrets' : 'database';
}

function containmentOf(browser: App['browser']): string {
  const containment = browser.containment();
  if (containment === null) return '';
  const { sandbox, uid } = containment;
  const isRoot = uid === null && process.getuid?.() === 0;
  const user = uid === null ? (isRoot ? ', as root' : '') : `, as the user ${uid}`;
  return `, ${sandbox ? 'in' : 'without'} its sandbox${user}`;
}
