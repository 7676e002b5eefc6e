import { commandLine } from '../platform/invocation.ts';
import { restoreBackup } from '../store/backup/restore-backup.ts';
import { pausedSince } from '../store/pause.ts';
import { recordCommand } from './record-command.ts';
import type { Terminal } from './terminal.ts';
import { withBackup } from './with-backup.ts';
import { withFoundation } from './with-foundation.ts';

export interface RestoreOptions {
  /** Whether the new installation starts paused, such as a copy of an installation that still runs. */
  readonly paused: boolean;
  readonly identity?: string;
}

/** Fills a new installation from a backup. Changes nothing before the whole backup is verified. @param source a file, or `-` */
export async function restoreCommand(
  terminal: Terminal,
  source: string,
  { paused: isPaused, ...options }: RestoreOptions,
): Promise<void> {
  let isNowPaused = isPaused;
  await withBackup(terminal, { source, ...options }, (backup) =>
    withFoundation(terminal, async ({ connectionString, db }) => {
      await restoreBackup(connectionString, { ...backup, paused: isPaused });
      await recordCommand(db, 'restore');
      // Or because the backup was made during a pause.
      isNowPaused = (await pausedSince(db)) !== null;
    }),
  );
  const paused = isNowPaused ? `It is paused. To let it work, run  ${commandLine('resume')}\n` : '';
  terminal.stdout.write(`Restored ${source}\n${paused}`);
}
