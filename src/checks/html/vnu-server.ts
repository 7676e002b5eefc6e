import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CheckFault } from '../../domain/check-fault.ts';
import { messageOf } from '../../platform/errors.ts';
import { inTimeOr } from '../../platform/in-time.ts';
import { createRestTimer } from '../../platform/rest-timer.ts';
import { deathNoticeMs, htmlCheckTimeoutMs, probeTimeoutMs, warmUpRounds, warmUpSections } from './limits.ts';
import type { HtmlValidator, VnuDocument } from './vnu-client.ts';
import { launchVnu, type VnuProcess, type VnuProcessOptions } from './vnu-process.ts';
import { createVnuSupervisor } from './vnu-supervisor.ts';

export interface VnuServerOptions extends VnuProcessOptions {
  /** The process stops after this time without checks, in ms, and starts with the next check. Default: 0, never. */
  readonly restMs?: number | undefined;
}

export interface VnuServer extends Required<HtmlValidator> {
  /** The process that is ready; null for none. */
  current(): VnuProcess | null;
}

/**
 * Creates a validator that runs as a warm child process. When the process ends, checks in progress fail and may be retried. New
 * checks wait until it is restarted; if it cannot be, they also fail and may be retried. A check that takes too long kills the
 * process, because its thread cannot be stopped in any other way. That failure is permanent if the validator still responds to
 * other requests.
 */
export function createVnuServer(options: VnuServerOptions): VnuServer {
  const { logger } = options;
  const supervisor = createVnuSupervisor(launch, logger);
  const restTimer = createRestTimer(options.restMs ?? 0, () => {
    if (supervisor.rest()) logger.debug('The HTML validator is stopped until the next check');
    // The process is being restarted: wait again.
    else restTimer.begin()();
  });
  let checksInProgress = 0;
  let knownVersion: string | null = null;

  async function launch(signal: AbortSignal): Promise<VnuProcess> {
    const startedAt = Date.now();
    const vnu = await launchVnu(options, signal);
    logger.debug({ pid: vnu.pid, port: vnu.port, ms: Date.now() - startedAt }, 'HTML validator ready');
    // Not for a short-lived command, whose documents are already waiting: they would share the processor with the warm-up.
    if (options.compiler === 'optimizing') void warmUp(vnu, () => checksInProgress === 0, signal);
    return vnu;
  }

  async function validateOn(vnu: VnuProcess, document: VnuDocument, signal: AbortSignal): Promise<Buffer> {
    const tooLate = AbortSignal.timeout(htmlCheckTimeoutMs);
    try {
      const output = await vnu.client.validate(document, AbortSignal.any([signal, tooLate]));
      supervisor.resetBackoff();
      return output;
    } catch (error) {
      if (signal.aborted) throw error;
      if (tooLate.aborted) throw supervisor.running() === vnu ? await killAfterTimeout(vnu, error) : error;
      // The connection fails before the process has ended. Wait for its end, so that a retry waits for the next process.
      await inTimeOr(vnu.ended, deathNoticeMs, undefined);
      throw error;
    }
  }

  async function killAfterTimeout(vnu: VnuProcess, cause: unknown): Promise<CheckFault> {
    const answers = await vnu.client.probe(probeTimeoutMs);
    logger.warn({ pid: vnu.pid, answers }, 'An HTML check took too long. Killing the validator.');
    vnu.kill();
    const failure = { code: 'validator_timeout', params: { seconds: htmlCheckTimeoutMs / 1_000 } } as const;
    return new CheckFault(failure, { permanent: answers, blame: 'anybody', cause });
  }

  /** Retries once when no connection was made, because the document cannot have caused that. */
  async function validateWithRetry(document: VnuDocument, signal: AbortSignal): Promise<Buffer> {
    const vnu = await waitForProcess(supervisor, signal);
    try {
      return await validateOn(vnu, document, signal);
    } catch (error) {
      const neverArrived = error instanceof CheckFault && error.blame === 'engine';
      if (signal.aborted || !neverArrived) throw error;
      return await validateOn(await waitForProcess(supervisor, signal), document, signal);
    }
  }

  return {
    start: () => supervisor.start().finally(restTimer.begin()),
    async wake() {
      const ended = restTimer.begin();
      await supervisor.wake()?.catch(() => undefined);
      ended();
    },
    isResting: supervisor.isResting,
    isBroken: supervisor.isBroken,
    stop() {
      restTimer.stop();
      return supervisor.stop();
    },
    validate(document, signal) {
      const ended = restTimer.begin();
      checksInProgress += 1;
      return validateWithRetry(document, signal).finally(() => {
        checksInProgress -= 1;
        ended();
      });
    },
    async version() {
      // The version stays the same while this process runs, so results can be reused without waking the validator.
      knownVersion = (await supervisor.running()?.client.version(probeTimeoutMs)) ?? knownVersion;
      return knownVersion;
    },
    async isReady() {
      const answers = await supervisor.running()?.client.probe(probeTimeoutMs);
      // The process may have stopped to rest while it was probed.
      return supervisor.isResting() || (answers ?? false);
    },
    current: supervisor.running,
  };
}

/** @throws CheckFault if no process is ready in time */
async function waitForProcess(
  { running, wake, ready }: ReturnType<typeof createVnuSupervisor>,
  signal: AbortSignal,
): Promise<VnuProcess> {
  const vnu = running();
  if (vnu !== null) return vnu;
  const tooLate = sleep(htmlCheckTimeoutMs, null, { ref: false, signal }).then(() => {
    throw new Error(`it was not ready within ${htmlCheckTimeoutMs / 1_000} s`);
  });
  return Promise.race([wake() ?? ready(), tooLate]).catch((error: unknown) => {
    const failure = { code: 'validator_unavailable', params: { text: messageOf(error) } } as const;
    throw new CheckFault(failure, { permanent: false, blame: 'engine', cause: error });
  });
}

/**
 * Validates a page repeatedly until `isIdle` returns false. Without this, the first checks would take several times longer. Never
 * rejects.
 */
async function warmUp(vnu: VnuProcess, isIdle: () => boolean, signal: AbortSignal): Promise<void> {
  const document = { contentType: 'text/html; charset=utf-8', body: warmUpDocument() };
  try {
    for (let round = 0; round < warmUpRounds && isIdle(); round += 1) await vnu.client.validate(document, signal);
  } catch {
    // The process has ended, which the supervisor handles.
  }
}

/** A page that uses many features of HTML, correctly and incorrectly, so that the validator loads and compiles its code. */
function warmUpDocument(): Buffer {
  const page = readFileSync(new URL('vnu-home/warm-up.html', import.meta.url), 'utf8');
  const repeated = (section: string): string =>
    Array.from({ length: warmUpSections }, (_, index) => section.replaceAll('INDEX', String(index))).join('\n');
  return Buffer.from(page.replace(/<section.*<\/section>/s, repeated));
}
