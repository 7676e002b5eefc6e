import { commandLine } from '../platform/invocation.ts';
import { setPaused } from '../store/pause.ts';
import { recordCommand } from './record-command.ts';
import type { Terminal } from './terminal.ts';
import { withFoundation } from './with-foundation.ts';

/** Pauses schedules, notifications and work in all processes of this installation. */
export async function pauseCommand(terminal: Terminal): Promise<void> {
  const isChanged = await changePause(terminal, true);
  terminal.stdout.write(isChanged ? `Paused. To continue, run  ${commandLine('resume')}\n` : 'Already paused.\n');
}

/** Pauses or resumes the installation. Returns whether that changed anything. */
export function changePause(terminal: Terminal, isPaused: boolean): Promise<boolean> {
  return withFoundation(terminal, async ({ db }) => {
    const isChanged = await setPaused(db, isPaused);
    if (isChanged) await recordCommand(db, isPaused ? 'pause' : 'resume');
    return isChanged;
  });
}
