import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserUser } from './browser-user.ts';
import { browserLogCharacters, killGraceMs, reapGraceMs } from './limits.ts';
import { groupMembers, isGroupGone, killHard } from './process-group.ts';

export interface ChromiumCommand {
  readonly executable: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Null for the user of this process. */
  readonly user: BrowserUser | null;
}

/** A browser's process, which leads a group of its own. */
export interface ChromiumProcess {
  readonly pid: number;
  /** The two ends of its pipe. It ends when the first is closed, and so when this process dies. */
  readonly input: Writable;
  readonly output: Readable;
  /** Fulfilled, with the reason in words and the end of its log, when the process has ended. */
  readonly ended: Promise<string>;
}

/** @throws Error when the system does not start it */
export async function startChromium({
  executable,
  args,
  environment,
  user,
}: ChromiumCommand): Promise<ChromiumProcess> {
  const child = spawn(executable, args, {
    ...user,
    cwd: '/',
    env: { ...environment },
    // In its own process group, so that Ctrl-C in a terminal reaches us alone and pages under way can end.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  const ended = endOf(child);
  const { pid } = child;
  if (pid === undefined) throw new Error(await ended);
  // What it leaves would keep the pipes open, and its end unseen.
  child.once('exit', () => killHard(-pid));
  const [, , , input, output] = child.stdio;
  if (!isWritable(input) || !isReadable(output)) throw new Error('its pipe could not be made');
  return { pid, input, output, ended };
}

function endOf(child: ChildProcess): Promise<string> {
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log = `${log}${text}`.slice(-browserLogCharacters);
  });
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) =>
      resolve(`it ended ${signal === null ? `with status ${code}` : `by ${signal}`}. ${log}`.trim()),
    );
  });
}

function isWritable(stream: object | null | undefined): stream is Writable {
  return stream !== null && stream !== undefined && 'write' in stream;
}

function isReadable(stream: object | null | undefined): stream is Readable {
  return stream !== null && stream !== undefined && 'read' in stream;
}

/**
 * Makes sure that nothing of a group is left. Killed processes whose parent was killed, too, are reaped by the system's
 * first process; that is waited for only shortly, since in some containers it never does.
 */
export async function killGroup(pid: number): Promise<void> {
  const start = Date.now();
  while (!isGroupGone(pid) && Date.now() - start < killGraceMs) {
    killHard(-pid);
    await delay(20);
    if (Date.now() - start > reapGraceMs && groupMembers(pid).length === 0) return;
  }
}
