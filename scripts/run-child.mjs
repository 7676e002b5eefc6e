import { spawn } from 'node:child_process';
import { isatty } from 'node:tty';

const parentPollMs = 500;

/**
 * Runs a program in the foreground in place of this one: it gets this process's standard streams, and this process exits with its
 * status or signal. A Node.js program gets the event `disconnect` when this process dies, even when it is killed.
 *
 * @param {string} file
 * @param {readonly string[]} args
 */
export function runInPlace(file, args) {
  const child = spawn(file, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  // In a terminal, Ctrl-C and hang-ups reach the child directly; forwarding them would count twice.
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
      // The channel to the child must not keep this process alive.
      if (child.connected) child.disconnect();
      return;
    }
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/**
 * npm runs scripts in a shell that dies of signals to npm without forwarding them. Without npm, a parent may exit on purpose, as
 * with `nohup`.
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
