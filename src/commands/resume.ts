import { changePause } from './pause.ts';
import type { Terminal } from './terminal.ts';

/** Ends a pause of this installation. */
export async function resumeCommand(terminal: Terminal): Promise<void> {
  const isChanged = await changePause(terminal, false);
  terminal.stdout.write(isChanged ? 'Resumed.\n' : 'This installation is not paused.\n');
}
