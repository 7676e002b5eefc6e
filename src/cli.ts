import { runCommand } from './commands/program.ts';
import { processTerminal } from './commands/terminal.ts';

// The reader of the output may exit early, as `head` does. That does not affect the command or its exit status.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
await runCommand(process.argv.slice(2), processTerminal);
await endProcess();

/**
 * Ends this process once all output is flushed. The command has already closed its parts; remaining handles, such as the channel
 * to the parent process, do not delay it.
 */
async function endProcess(): Promise<never> {
  const flushed = [process.stdout, process.stderr].map(
    (stream) => new Promise<void>((resolve) => stream.write('', () => resolve())),
  );
  await Promise.all(flushed);
  process.exit();
}
