import { spawn } from 'node:child_process';
import { isatty } from 'node:tty';

const parentPollMs = 500;

/**
 * Runs a program in the foreground in place of this one: its standard streams are ours, and this process ends as it ends.
 * A Node.js program can notice our death by the event `disconnect`, even when we are killed.
 *
 * @param {string} file
 * @param {readonly string[]} args
 */
export function runInPlace(file, args) {
  const child = spawn(file, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  // In a terminal, Ctrl-C and hanging up reach the child by themselves: passed on, they would count twice.
  const isInTerminal = [0, 1, 2].some((fd) => isatty(fd));
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM']) {
    process.on(signal, () => {
      if (signal === 'SIGTERM' || !isInTerminal) child.kill(signal);
    });
  }
  if (process.env.npm_lifecycle_event !== undefined) endWithParent(child);
  child.once('error', (error) => {
    process.stderr.write(`${file} cannot be run: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.once('exit', (status, signal) => {
    if (signal === null) {
      process.exitCode = status ?? 1;
      // The child has ended; the channel to it must not keep this process.
      if (child.connected) child.disconnect();
      return;
    }
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/**
 * npm runs scripts through a shell that dies of a signal to npm and passes nothing on. Whoever runs this directly may leave
 * it behind on purpose, as `nohup` does.
 *
 * @param {import('node:child_process').ChildProcess} child
 */
function endWithParent(child) {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    child.kill('SIGTERM');
  }, parentPollMs);
  watch.unref();
}
