import { commandLine } from '../platform/invocation.ts';
import { setPaused } from '../store/pause.ts';
import { recordCommand } from './record-command.ts';
import type { Terminal } from './terminal.ts';
import { withFoundation } from './with-foundation.ts';

/** Lets schedules, notifications and work rest in all processes of this installation. */
export async function pauseCommand(terminal: Terminal): Promise<void> {
  const isChanged = await change(terminal, true);
  terminal.stdout.write(isChanged ? `Paused. To continue, run  ${commandLine('resume')}\n` : 'Already paused.\n');
}

/** Ends a pause. */
export async function resumeCommand(terminal: Terminal): Promise<void> {
  const isChanged = await change(terminal, false);
  terminal.stdout.write(isChanged ? 'Resumed.\n' : 'This installation is not paused.\n');
}

/** Returns whether it was changed. */
function change(terminal: Terminal, isPaused: boolean): Promise<boolean> {
  return withFoundation(terminal, async ({ db }) => {
    const isChanged = await setPaused(db, isPaused);
    if (isChanged) await recordCommand(db, isPaused ? 'pause' : 'resume');
    return isChanged;
  });
}
