import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ChildRegistry } from '../../platform/child-registry.ts';
import { AppError, messageOf } from '../../platform/errors.ts';
import { freePort } from '../../platform/free-port.ts';
import type { Logger } from '../../platform/logger.ts';
import {
  defaultHeapMegabytes,
  javaVersionTimeoutMs,
  keptLogLines,
  oldestJavaVersion,
  probeTimeoutMs,
  readinessPollIntervalMs,
  threadStackMegabytes,
  validatorStartTimeoutMs,
  validatorStopGraceMs,
} from './limits.ts';
import { createVnuClient, type VnuClient } from './vnu-client.ts';

const run = promisify(execFile);

const JAR = createRequire(import.meta.url).resolve('vnu-jar/build/dist/vnu.jar');

/** The working directory of the process, with vnu.properties. */
const HOME = fileURLToPath(new URL('vnu-home', import.meta.url));

const LOOPBACK = '127.0.0.1';
const JAVA_INT_MAX = 2_147_483_647;
const JAVA_REMEDY =
  'Install it (Debian and Ubuntu: apt-get install default-jre-headless, macOS: brew install openjdk) so that `java -version` works.';

/** A running validator process that is ready. */
export interface VnuProcess {
  readonly pid: number;
  readonly port: number;
  readonly client: VnuClient;
  /** Resolves with the reason when the process has ended. */
  readonly ended: Promise<string>;
  /** Sends SIGKILL. */
  kill(): void;
  /** Sends SIGTERM, and SIGKILL after `validatorStopGraceMs`. Resolves when the process has ended. */
  stop(): Promise<void>;
}

export interface VnuProcessOptions {
  /** Maximum size of Java's heap, at least 256. Default: 512. */
  readonly heapMegabytes?: number | undefined;
  /**
   * Java's just-in-time compilers. `quick` takes half the CPU time for the first few hundred documents. `optimizing` makes a
   * validator almost twice as fast after thousands of documents. Default: quick.
   */
  readonly compiler?: 'quick' | 'optimizing' | undefined;
  readonly children: ChildRegistry;
  readonly logger: Logger;
}

/**
 * Starts a validator on a free loopback port and waits until it has validated a document.
 * @throws AppError java_missing; validator_failed_to_start, with the end of its log and no process left
 */
export async function launchVnu(options: VnuProcessOptions, signal: AbortSignal): Promise<VnuProcess> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launchOnce(options, signal);
    } catch (error) {
      if (attempt >= PORT_ATTEMPTS_MAX || !PORT_TAKEN.test(messageOf(error))) throw error;
    }
  }
}

async function launchOnce(options: VnuProcessOptions, signal: AbortSignal): Promise<VnuProcess> {
  const java = await findJava();
  const port = await freePort();
  const child = spawn(java, javaArguments(options, port), {
    cwd: HOME,
    // BIND_ADDRESS takes precedence over the option, and Java reads options from environment variables, too.
    env: { BIND_ADDRESS: LOOPBACK, LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // In its own process group, so that Ctrl-C in a terminal stops only this process, and checks in progress can complete.
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
    const log = lines.length === 0 ? '' : ` The end of its log:\n${lines.join('\n')}`;
    const message = `The HTML validator did not start: ${messageOf(error)}.${log}`;
    throw new AppError('validator_failed_to_start', message, { cause: error });
  }
}

/** Raises the limits of the server mode, so that results equal the results of the command line, which has no limits. */
function javaArguments(options: VnuProcessOptions, port: number): string[] {
  const { heapMegabytes = defaultHeapMegabytes, compiler = 'quick' } = options;
  return [
    `-Xmx${heapMegabytes}m`,
    `-Xss${threadStackMegabytes}m`,
    // For measurements, see docs/decisions/0007-html-validator.md.
    '-XX:+UseParallelGC',
    // The main method of the HTML parser is too long to be compiled by default.
    '-XX:-DontCompileHugeMethods',
    ...(compiler === 'quick' ? ['-XX:TieredStopAtLevel=1'] : []),
    // Exit instead of continuing without memory; the supervisor restarts it.
    '-XX:+ExitOnOutOfMemoryError',
    // Write no files to /tmp or the working directory.
    '-XX:-UsePerfData',
    '-XX:-CreateCoredumpOnCrash',
    '-XX:+ErrorFileToStderr',
    '-Dfile.encoding=UTF-8',
    // Do not resolve host names: documents are posted, and schemas are built in.
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

/** Java takes a second to start, and another process can take the free port before it does. */
const PORT_ATTEMPTS_MAX = 3;
const PORT_TAKEN = /Address already in use/;

/** Collects the last lines that the process writes. */
function collectLog(child: ChildProcess, logger: Logger): readonly string[] {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      if (line.trim() === '') return;
      logger.debug({ validator: line }, 'HTML validator log');
      lines.push(line);
      if (lines.length > keptLogLines) lines.shift();
    });
  }
  return lines;
}

function watch(child: ChildProcess, port: number, children: ChildRegistry): VnuProcess {
  const client = createVnuClient(`http://${LOOPBACK}:${port}`);
  // Without a pid, the process was not started, and an `error` event follows.
  const pid = child.pid ?? 0;
  if (pid !== 0) children.add(pid, 'validator');
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
      // The process has just ended.
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

/** @throws Error when the process ends, is stopped, or does not become ready in time */
async function untilReady(vnu: VnuProcess, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + validatorStartTimeoutMs;
  let endReason: string | null = null;
  void vnu.ended.then((reason) => {
    endReason = reason;
  });
  while (!(await vnu.client.probe(probeTimeoutMs))) {
    if (endReason !== null) throw new Error(`it ${endReason}`);
    if (signal.aborted) throw new Error('it was stopped while starting');
    if (Date.now() > deadline) throw new Error(`it did not respond within ${validatorStartTimeoutMs / 1000} s`);
    await sleep(readinessPollIntervalMs);
  }
}

/**
 * Returns the path of the `java` on the PATH. Does not use the download script of the vnu-jar package, which verifies no
 * checksum.
 * @throws AppError java_missing, with a remedy
 */
async function findJava(): Promise<string> {
  const found = await describeJava();
  if (found !== null && found.version >= oldestJavaVersion) return found.path;
  const problem = found === null ? 'is missing or does not work' : `is version ${found.version}`;
  throw new AppError(
    'java_missing',
    `The HTML validator requires Java ${oldestJavaVersion} or later, but \`java\` on the PATH ${problem}. ${JAVA_REMEDY}`,
  );
}

/** Returns the executable and feature release of Java; null when it does not work. Versions before 9 are named like 1.8. */
async function describeJava(): Promise<{ readonly path: string; readonly version: number } | null> {
  try {
    const { stderr } = await run('java', ['-XshowSettings:properties', '-version'], { timeout: javaVersionTimeoutMs });
    const version = /^\s*java\.specification\.version = (?:1\.)?(\d+)/m.exec(stderr)?.[1];
    const home = /^\s*java\.home = (.+)$/m.exec(stderr)?.[1];
    return version === undefined || home === undefined
      ? null
      : { path: join(home.trim(), 'bin', 'java'), version: Number(version) };
  } catch {
    return null;
  }
}
