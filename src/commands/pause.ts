import { commandLine } from '../platform/invocation.ts';
import { setPaused } from '../store/pause.ts';
import type { Terminal } from './terminal.ts';
import { withFoundation } from './with-foundation.ts';

/** Lets schedules, notifications and work rest in all processes of this installation. */
export async function pauseCommand(terminal: Terminal): Promise<void> {
  const isChanged = await withFoundation(terminal, ({ db }) => setPaused(db, true));
  terminal.stdout.write(isChanged ? `Paused. To continue, run  ${commandLine('resume')}\n` : 'Already paused.\n');
}
