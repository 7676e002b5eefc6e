import { createWriteStream, type WriteStream } from 'node:fs';
import { access, constants, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError, messageOf } from '../platform/errors.ts';
import { identifyProcess } from '../platform/process-identity.ts';
import { BACKUP_MODE } from '../store/backup/backup-format.ts';
import { decryptFile, isEncrypted } from '../store/backup/encryption.ts';
import { verifyBackup, type WholeBackup } from '../store/backup/verify-backup.ts';
import { knownFault } from './known-fault.ts';
import type { Terminal } from './terminal.ts';

/** As an argument of commands: standard input or output. */
export const STANDARD_STREAM = '-';

/** A backup that has been verified. */
export interface VerifiedBackup extends WholeBackup {
  readonly path: string;
}

/** Where a backup comes from. */
export interface BackupSource {
  /** A file, or `-` for standard input. */
  readonly source: string;
  /** The file with the private key of an encrypted backup. */
  readonly identity?: string;
}

/**
 * Uses a backup after it has been verified as a whole. A backup that is encrypted or from standard input is first written to a
 * temporary file, because an archive is read from its end.
 * @throws AppError invalid_usage if it cannot be read or decrypted, is damaged, or is not a backup; disk_full
 */
export async function withBackup(
  terminal: Terminal,
  { source, identity }: BackupSource,
  use: (backup: VerifiedBackup) => Promise<void>,
): Promise<void> {
  await removeLeftovers();
  const folder = await mkdtemp(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`));
  try {
    const given = source === STANDARD_STREAM ? join(folder, 'given') : source;
    if (source === STANDARD_STREAM) await pipeline(terminal.stdin, privateFile(given));
    else await requireReadable(source);
    const path = await decrypted(given, identity, join(folder, 'backup'));
    await use({ path, ...(await verifyBackup(path)) });
  } catch (error) {
    throw knownFault(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const FOLDER_PREFIX = 'sitewarden-restore-';

/** Removes decrypted backups that killed processes left behind. */
async function removeLeftovers(): Promise<void> {
  const parent = tmpdir();
  for (const name of await readdir(parent)) {
    const pid = name.startsWith(FOLDER_PREFIX) ? Number.parseInt(name.slice(FOLDER_PREFIX.length), 10) : Number.NaN;
    if (Number.isNaN(pid) || identifyProcess(pid) !== null) continue;
    // The folder may belong to another user.
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** @returns the path of the unencrypted backup */
async function decrypted(path: string, identity: string | undefined, target: string): Promise<string> {
  if (!(await isEncrypted(path))) return path;
  if (identity === undefined) {
    throw new AppError(
      'invalid_usage',
      'The backup is encrypted. Pass the file that contains the age identity with --identity.',
    );
  }
  await decryptFile(path, identity, privateFile(target));
  return target;
}

function privateFile(path: string): WriteStream {
  return createWriteStream(path, { mode: BACKUP_MODE });
}

async function requireReadable(path: string): Promise<void> {
  await access(path, constants.R_OK).catch((cause: unknown) => {
    throw new AppError('invalid_usage', `${path} cannot be read: ${messageOf(cause)}.`, { cause });
  });
  if ((await stat(path)).isDirectory()) throw new AppError('invalid_usage', `${path} is a folder, not a backup.`);
}
