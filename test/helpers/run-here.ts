import { Readable, Writable } from 'node:stream';
import { runCommand } from '../../src/commands/program.ts';
import type { Terminal } from '../../src/commands/terminal.ts';
import { loadConfig } from '../../src/config.ts';
import type { Ended } from './command-line.ts';

// The runner sets it on a terminal, and it would color what is printed here.
delete process.env['FORCE_COLOR'];

/** Services stop before they would check anything. */
const WITHOUT_ENGINES = { SITEWARDEN_CHROMIUM: '/nonexistent', SITEWARDEN_VNU_URL: 'http://127.0.0.1:9' };

/**
 * Runs a command to its end in this process, without a terminal: loading the service takes a process most of a second
 * of processor time. `serve` and `work` stop once they have started, and start no engine. Tests that stop another command,
 * or are about processes, start one (`createInstallation`).
 * @param environment all of it
 * @param streams in place of an empty input, and of the output that is returned
 */
export async function runHere(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  streams: Partial<Pick<Terminal, 'stdin' | 'stdout'>> = {},
): Promise<Ended> {
  const isService = args[0] === 'serve' || args[0] === 'work';
  const { terminal: collecting, printed } = collectingTerminal({ ...environment, ...(isService && WITHOUT_ENGINES) });
  const terminal: Terminal = Object.assign(collecting, streams);
  await runCommand(args, isService ? Object.assign(terminal, { untilStopped: async () => undefined }) : terminal);
  return { status: terminal.exitStatus ?? 0, ...printed };
}

/** A terminal that keeps what is printed. */
export function collectingTerminal(environment: Readonly<Record<string, string>> = {}): {
  readonly terminal: Terminal;
  readonly printed: { readonly stdout: string; readonly stderr: string };
} {
  const printed = { stdout: '', stderr: '' };
  const output = (name: keyof typeof printed): Writable =>
    new Writable({
      decodeStrings: false,
      write(chunk: string | Buffer, _encoding, done) {
        printed[name] += String(chunk);
        done();
      },
    });
  const stderr = output('stderr');
  const terminal: Terminal = {
    stdin: Readable.from([]),
    stdout: output('stdout'),
    stderr,
    log: { write: (line: string) => void stderr.write(line) },
    exitStatus: undefined,
    config: (isWorker = false) => loadConfig(environment, false, isWorker),
    variable: (name) => environment[name],
    ask: null,
    untilStopped: () => new Promise(() => undefined),
    waitToClose: async () => undefined,
    closeInTime: (close) => close(),
  };
  return { terminal, printed };
}
