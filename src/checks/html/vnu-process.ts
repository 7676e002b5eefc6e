import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ChildRegistry } from '../../platform/child-registry.ts';
import { AppError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import {
  keptLogLines,
  probeTimeoutMs,
  readinessPollIntervalMs,
  threadStackMegabytes,
  validatorStartTimeoutMs,
  validatorStopGraceMs,
} from './limits.ts';
import { createVnuClient, type VnuClient } from './vnu-client.ts';

const JAR = createRequire(import.meta.url).resolve('vnu-jar/build/dist/vnu.jar');

/** The process's working folder: where the validator looks for vnu.properties. */
const HOME = fileURLToPath(new URL('vnu-home', import.meta.url));

const LOOPBACK = '127.0.0.1';
const JAVA_INT_MAX = 2_147_483_647;

/** One running validator process that has answered. */
export interface VnuProcess {
  readonly pid: number;
  readonly port: number;
  readonly client: VnuClient;
  /** Fulfilled, with the reason in words, when the process has ended for whatever cause. */
  readonly ended: Promise<string>;
  /** Ends it at once. */
  kill(): void;
  /** Ends it politely, and after a grace period at once; fulfilled when it is gone. */
  stop(): Promise<void>;
}

/**
 * Which of Java's compilers work: the quick one alone costs half the processor time for the first few hundred documents;
 * the optimizing one on top makes a validator that has seen thousands almost twice as fast.
 */
export type VnuCompiler = 'quick' | 'optimizing';

export interface VnuProcessOptions {
  readonly javaPath: string;
  readonly heapMegabytes: number;
  readonly compiler: VnuCompiler;
  readonly children: ChildRegistry;
  readonly logger: Logger;
}

/**
 * Starts a validator on a free port of the loopback interface and waits until it has validated something.
 * @throws AppError validator_failed_to_start with the last lines of its log; nothing is left running then
 */
export async function launchVnu(options: VnuProcessOptions, signal: AbortSignal): Promise<VnuProcess> {
  const port = await freePort();
  const child = spawn(options.javaPath, javaArguments(options, port), {
    cwd: HOME,
    // A variable BIND_ADDRESS would win over the option, and Java takes options from variables, too.
    env: { BIND_ADDRESS: LOOPBACK, LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // In its own process group, so that Ctrl-C in a terminal reaches us alone and checks under way can end.
    detached: true,
  });
  const lines = collectLog(child, options.logger);
  const process = watch(child, port, options.children);
  try {
    await untilReady(process, signal);
    return process;
  } catch (error) {
    process.kill();
    await process.ended;
    const log = lines.length === 0 ? '' : ` Its last words:\n${lines.join('\n')}`;
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('validator_failed_to_start', `The HTML validator did not start: ${reason}.${log}`, {
      cause: error,
    });
  }
}

/** The limits of the server mode are raised to where the command line, which has none, is matched. */
function javaArguments({ heapMegabytes, compiler }: VnuProcessOptions, port: number): string[] {
  return [
    `-Xmx${heapMegabytes}m`,
    `-Xss${threadStackMegabytes}m`,
    // What was measured is in docs/decisions/0007-html-validator.md.
    '-XX:+UseParallelGC',
    // The heart of the HTML parser is longer than what Java compiles by default: it would be interpreted for ever.
    '-XX:-DontCompileHugeMethods',
    ...(compiler === 'quick' ? ['-XX:TieredStopAtLevel=1'] : []),
    // Without memory it would limp on for ever; so it ends and is started again.
    '-XX:+ExitOnOutOfMemoryError',
    // No files left behind in /tmp or the working folder.
    '-XX:-UsePerfData',
    '-XX:-CreateCoredumpOnCrash',
    '-XX:+ErrorFileToStderr',
    '-Dfile.encoding=UTF-8',
    // Documents are posted and schemas built in; should anything ask for a host all the same, there is none.
    '-Djdk.net.hosts.file=no-hosts',
    `-Dnu.validator.servlet.bind-address=${LOOPBACK}`,
    `-Dnu.validator.servlet.max-file-size=${JAVA_INT_MAX}`,
    `-Dnu.validator.messages.limit=${JAVA_INT_MAX}`,
    '-cp',
    JAR,
    'nu.validator.servlet.Main',
    String(port),
  ];
}

/** A port that was free a moment ago. Should another process take it, the validator ends and is started anew. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, LOOPBACK, resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port could be had');
  return address.port;
}

/** The last lines that the process has written, kept up to date. */
function collectLog(child: ChildProcess, logger: Logger): readonly string[] {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      if (line.trim() === '') return;
      logger.debug({ validator: line }, 'HTML validator says');
      lines.push(line);
      if (lines.length > keptLogLines) lines.shift();
    });
  }
  return lines;
}

function watch(child: ChildProcess, port: number, children: ChildRegistry): VnuProcess {
  const client = createVnuClient(`http://${LOOPBACK}:${port}`);
  // Without a pid it was never started, and `error` says why.
  const pid = child.pid ?? 0;
  if (pid !== 0) children.add(pid);
  let running = pid !== 0;

  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal === null ? `ended with status ${code}` : `ended by ${signal}`));
  }).then((reason) => {
    running = false;
    if (pid !== 0) children.remove(pid);
    void client.close();
    return reason;
  });

  function send(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (!running) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // It has ended in this moment.
    }
  }

  return {
    pid,
    port,
    client,
    ended,
    kill: () => send('SIGKILL'),
    async stop() {
      send('SIGTERM');
      const timer = setTimeout(() => send('SIGKILL'), validatorStopGraceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** @throws Error saying why the process will not become ready */
async function untilReady(vnu: VnuProcess, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + validatorStartTimeoutMs;
  let death: string | null = null;
  void vnu.ended.then((reason) => {
    death = reason;
  });
  while (!(await vnu.client.probe(probeTimeoutMs))) {
    if (death !== null) throw new Error(`it ${death}`);
    if (signal.aborted) throw new Error('it was stopped while starting');
    if (Date.now() > deadline) throw new Error(`it gave no answer within ${validatorStartTimeoutMs / 1000} s`);
    await sleep(readinessPollIntervalMs);
  }
}
