import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError, messageOf } from '../platform/errors.ts';
import { BACKUP_MODE, type Manifest } from '../store/backup/backup-format.ts';
import { verifyBackup } from '../store/backup/verify-backup.ts';
import { knownFault } from './known-fault.ts';
import type { Terminal } from './terminal.ts';

/** As an argument of commands: standard input or output. */
export const STANDARD_STREAM = '-';

/** A backup that has been verified. */
export interface VerifiedBackup {
  readonly path: string;
  readonly manifest: Manifest;
}

/**
 * Uses a backup from a file or from standard input, after it was verified as a whole. What comes from standard input is kept in a
 * temporary file until then: an archive is read from its end.
 * @throws AppError invalid_usage if it cannot be read, is damaged, or is not a backup; disk_full
 */
export async function withBackup(
  terminal: Terminal,
  source: string,
  use: (backup: VerifiedBackup) => Promise<void>,
): Promise<void> {
  if (source !== STANDARD_STREAM) {
    await requireReadable(source);
    return use({ path: source, manifest: await verifyBackup(source) });
  }
  const folder = await mkdtemp(join(tmpdir(), 'sitewarden-restore-'));
  try {
    const path = join(folder, 'backup');
    await pipeline(terminal.stdin, createWriteStream(path, { mode: BACKUP_MODE })).catch((error: unknown) => {
      throw knownFault(error);
    });
    await use({ path, manifest: await verifyBackup(path) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function requireReadable(path: string): Promise<void> {
  await stat(path).catch((cause: unknown) => {
    throw new AppError('invalid_usage', `${path} cannot be read: ${messageOf(cause)}.`, { cause });
  });
}
