import { setTimeout as sleep } from 'node:timers/promises';
import { CheckFailure } from '../../domain/check-failure.ts';
import type { ChildRegistry } from '../../platform/child-registry.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import { findJava } from './find-java.ts';
import type { HtmlValidator } from './html-validator.ts';
import { deathNoticeMs, defaultHeapMegabytes, htmlCheckTimeoutMs, probeTimeoutMs, warmUpRounds } from './limits.ts';
import { createTimeLimit } from './time-limit.ts';
import type { VnuDocument } from './vnu-client.ts';
import { launchVnu, type VnuCompiler, type VnuProcess } from './vnu-process.ts';
import { createVnuSupervisor } from './vnu-supervisor.ts';
import { WARM_UP_DOCUMENT } from './warm-up-document.ts';

export interface VnuServerOptions {
  /** A Java executable, or a folder as in JAVA_HOME. Unset: found on the machine. */
  readonly javaPath?: string | undefined;
  /** The limit of Java's heap, at least 256. Unset: 512. */
  readonly heapMegabytes?: number | undefined;
  /** Unset: quick. */
  readonly compiler?: VnuCompiler | undefined;
  /** Unset: 60,000. */
  readonly checkTimeoutMs?: number | undefined;
  readonly children: ChildRegistry;
  readonly logger: Logger;
}

export interface VnuServer extends HtmlValidator {
  /** The running process's pid and port; null while there is none. */
  current(): { readonly pid: number; readonly port: number } | null;
}

/**
 * A warm validator process of ours. Checks under way when it dies fail as passing faults; checks that come while there is
 * no process wait for the next one. A check over its time ends the process, since nothing else ends the thread that goes
 * on working in it; the document is to blame when the validator otherwise still answered.
 */
export function createVnuServer(options: VnuServerOptions): VnuServer {
  const { logger, children } = options;
  const checkTimeoutMs = options.checkTimeoutMs ?? htmlCheckTimeoutMs;
  const supervisor = createVnuSupervisor(launch, logger);
  let underWay = 0;

  async function launch(signal: AbortSignal): Promise<VnuProcess> {
    const startedAt = Date.now();
    const java = await findJava(options.javaPath);
    const heapMegabytes = options.heapMegabytes ?? defaultHeapMegabytes;
    const compiler = options.compiler ?? 'quick';
    const vnu = await launchVnu({ javaPath: java.path, heapMegabytes, compiler, children, logger }, signal);
    logger.debug({ pid: vnu.pid, port: vnu.port, ms: Date.now() - startedAt }, 'HTML validator ready');
    void warmUp(vnu, signal);
    return vnu;
  }

  /** The first pages would take several times longer. Real checks go first: warm-up ends with the first of them. */
  async function warmUp(vnu: VnuProcess, signal: AbortSignal): Promise<void> {
    const document = { contentType: 'text/html; charset=utf-8', body: WARM_UP_DOCUMENT };
    try {
      for (let round = 0; round < warmUpRounds && underWay === 0; round += 1) {
        await vnu.client.validate(document, signal);
      }
    } catch {
      // The process has ended or is to end, which others look after.
    }
  }

  async function validateOn(vnu: VnuProcess, document: VnuDocument, signal: AbortSignal): Promise<Buffer> {
    const limit = createTimeLimit(checkTimeoutMs, signal);
    try {
      const output = await vnu.client.validate(document, limit.signal);
      supervisor.worked();
      return output;
    } catch (error) {
      if (!limit.isOver()) {
        // A lost connection is noticed before the process's end is. Once it is, the next check waits for the next process.
        if (!signal.aborted) await Promise.race([vnu.ended, sleep(deathNoticeMs)]);
        throw error;
      }
      if (supervisor.running() !== vnu) throw error;
      const answers = await vnu.client.probe(Math.min(probeTimeoutMs, checkTimeoutMs));
      logger.warn({ pid: vnu.pid, answers }, 'A check by the HTML validator took too long; ending the validator');
      vnu.kill();
      const failure = { code: 'validator_timeout', params: { seconds: checkTimeoutMs / 1_000 } } as const;
      throw new CheckFailure(failure, { permanent: answers, blame: 'anybody', cause: error });
    } finally {
      limit.end();
    }
  }

  /** A document that never reached the process has cost nothing, so it goes to the next one. */
  async function validateWithRetry(document: VnuDocument, signal: AbortSignal): Promise<Buffer> {
    const vnu = await waitForProcess(signal);
    try {
      return await validateOn(vnu, document, signal);
    } catch (error) {
      const neverArrived = error instanceof CheckFailure && error.blame === 'checker';
      if (signal.aborted || !neverArrived) throw error;
      return await validateOn(await waitForProcess(signal), document, signal);
    }
  }

  async function waitForProcess(signal: AbortSignal): Promise<VnuProcess> {
    const limit = createTimeLimit(checkTimeoutMs, signal);
    try {
      return await limit.race(supervisor.ready());
    } catch (error) {
      const failure = { code: 'validator_unavailable', params: { text: messageOf(error) } } as const;
      throw new CheckFailure(failure, { permanent: false, blame: 'checker', cause: error });
    } finally {
      limit.end();
    }
  }

  return {
    start: supervisor.start,
    stop: supervisor.stop,
    async validate(document, signal) {
      underWay += 1;
      try {
        return await validateWithRetry(document, signal);
      } finally {
        underWay -= 1;
      }
    },
    async isReady() {
      return (await supervisor.running()?.client.probe(probeTimeoutMs)) ?? false;
    },
    current() {
      const vnu = supervisor.running();
      return vnu === null ? null : { pid: vnu.pid, port: vnu.port };
    },
  };
}
