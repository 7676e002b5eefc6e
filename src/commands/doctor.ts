import { statfs } from 'node:fs/promises';
import { type App, createApp } from '../app.ts';
import { engineOf } from '../checks/registry.ts';
import type { Config } from '../config.ts';
import { AppError, messageOf } from '../platform/errors.ts';
import { commandLine } from '../platform/invocation.ts';
import { ensureWritableDirectory } from '../platform/writable-directory.ts';
import { describeBackups, readBackupState } from '../store/backup/backup-state.ts';
import { type Database, serverVersion } from '../store/database.ts';
import { pausedSince } from '../store/pause.ts';
import { doctorOutput, type PrintPart } from './doctor-output.ts';
import { recountAll } from './recount-all.ts';
import { quietLogger, runStoppable, type Terminal } from './terminal.ts';

/** With less free space, a report of a large site may not fit. */
const FREE_BYTES_MIN = 1024 ** 3;

export interface DoctorOptions {
  /** Whether to also recount and read everything stored. */
  readonly deep: boolean;
  /** The only report to recount. */
  readonly report?: string;
  readonly format: 'text' | 'json';
}

/** Tests every part of the installation and prints a line for each, with a remedy if it fails. Sets the exit status. */
export async function doctor(terminal: Terminal, options: DoctorOptions): Promise<void> {
  if (options.report !== undefined && !options.deep) {
    throw new AppError('invalid_usage', '--report requires --deep.');
  }
  await runStoppable(terminal, (signal) => examine(terminal, options, signal));
}

async function examine(terminal: Terminal, options: DoctorOptions, signal: AbortSignal): Promise<void> {
  const output = doctorOutput(terminal, options.format);
  const { print } = output;
  const attempt = (part: string, run: () => Promise<string>): Promise<void> =>
    run().then(
      (found) => print(part, null, found),
      (error: unknown) => print(part, messageOf(error)),
    );
  print('runtime', null, `Node.js ${process.versions.node}`);
  const config = terminal.config();
  let keyFault: unknown = null;
  const app = await createApp(config, quietLogger(terminal, config), {
    isLongLived: false,
    adoptsKey: false,
    onKeyFault: (fault) => {
      keyFault = fault;
    },
  }).catch((error: unknown) => print(failedPart(error), messageOf(error)));
  if (app === undefined) return output.end();
  try {
    await examineParts(app, { config, print, attempt, keyFault });
    if (options.deep && !signal.aborted) {
      const box = keyFault === null ? app.credentialStore.box : null;
      await recountAll(app, { ...options, config, box, signal, output });
    }
    output.end();
  } finally {
    await terminal.closeInTime(app.close);
  }
}

interface Examination {
  readonly config: Config;
  readonly print: PrintPart;
  readonly attempt: (part: string, run: () => Promise<string>) => Promise<void>;
  /** The error if the key is not the key of the database; null if it is. */
  readonly keyFault: unknown;
}

async function examineParts(app: App, { config, print, attempt, keyFault }: Examination): Promise<void> {
  await attempt('database', () => serverVersion(app.db));
  await attempt('work', () => stateOfWork(app.db));
  const { backupDir } = config;
  if (backupDir !== null) await attempt('backups', () => stateOfBackups(app.db, backupDir));
  const key = config.secretKey === null ? 'the key in the data directory' : 'SITEWARDEN_SECRET_KEY';
  print('secrets', keyFault === null ? null : messageOf(keyFault), `encrypted with ${key}`);
  for (const { kind, showsPages, start } of app.engines) {
    const { dependsOn } = engineOf(kind);
    if (dependsOn === null) continue;
    const found = (): string => `starts and responds${showsPages ? containmentOf(app.browser) : ''}`;
    await attempt(dependsOn, () => start().then(found));
  }
  const { mailer } = app;
  if (mailer !== null) await attempt('email', () => tryMailServer(mailer));
  await attempt('disk', () => freeSpaceOf(config.dataDir));
}

async function stateOfWork(db: Database): Promise<string> {
  const since = await pausedSince(db);
  return since === null
    ? 'not paused'
    : `paused since ${since.toISOString()}: to continue, run ${commandLine('resume')}`;
}

async function stateOfBackups(db: Database, directory: string): Promise<string> {
  await ensureWritableDirectory(directory).catch((cause: unknown) => {
    throw new Error(`${directory} cannot be written: ${messageOf(cause)}; fix SITEWARDEN_BACKUP_DIR`, { cause });
  });
  return describeBackups(await readBackupState(db), new Date());
}

async function tryMailServer(mailer: NonNullable<App['mailer']>): Promise<string> {
  await mailer.verify().catch((cause: unknown) => {
    throw new Error(`${messageOf(cause)}: start the mail server, or fix SITEWARDEN_SMTP_URL`, { cause });
  });
  return 'the mail server accepts the connection';
}

async function freeSpaceOf(dataDir: string): Promise<string> {
  const { bavail, bsize } = await statfs(dataDir);
  const bytes = Number(bavail) * bsize;
  const free = `${(bytes / 1024 ** 3).toFixed(1)} GiB free for ${dataDir}`;
  if (bytes < FREE_BYTES_MIN) throw new Error(`${free}: free up space, or set SITEWARDEN_DATA_DIR`);
  return free;
}

/** Returns the part whose failure keeps the app from starting. */
function failedPart(error: unknown): string {
  if (!(error instanceof AppError)) return 'database';
  return error.code === 'data_directory_unusable' ? 'disk' : 'database';
}

function containmentOf(browser: App['browser']): string {
  const containment = browser.containment();
  if (containment === null) return '';
  const { sandbox, uid } = containment;
  const isRoot = uid === null && process.getuid?.() === 0;
  const user = uid === null ? (isRoot ? ', as root' : '') : `, as the user ${uid}`;
  return `, ${sandbox ? 'in' : 'without'} its sandbox${user}`;
}
