import { setPaused } from '../store/pause.ts';
import type { Terminal } from './terminal.ts';
import { withFoundation } from './with-foundation.ts';

/** Ends a pause of this installation. */
export async function resumeCommand(terminal: Terminal): Promise<void> {
  const isChanged = await withFoundation(terminal, ({ db }) => setPaused(db, false));
  terminal.stdout.write(isChanged ? 'Resumed.\n' : 'This installation is not paused.\n');
}
