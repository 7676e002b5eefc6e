import { CheckFault } from '../domain/check-fault.ts';
import { createThread, type ThreadLimits, ThreadOutOfMemory, ThreadTimeout } from '../platform/thread.ts';
import type { CheckOutcome } from '../store/pages/check-outcome.ts';
import type { PackedRawCheck } from '../store/pages/raw-checks.ts';
import { type AnsweredCheck, type InterpretedPart, interpretCheck } from './interpret-check.ts';

/**
 * Maximum bytes of an output and its document that are interpreted on this thread, which takes a few milliseconds. Outputs for
 * ordinary pages have 1 to 20 kB, and passing them to another thread would double the cost.
 */
const atOnceMaxBytes = 65_536;

/**
 * An output of 32 MiB, the maximum, takes 300 MB and a few seconds. The time limit is ten times as long, for machines with more
 * work than cores.
 */
export const threadLimits: ThreadLimits = { heapMaxMegabytes: 512, taskTimeoutMs: 60_000 };

/** Interprets the output of engines without blocking the process. */
export interface Interpreter {
  /**
   * The stored part of an output, whose bytes can no longer be used.
   * @throws CheckFault if the engine reports that it could not check the document, or if it has too many results to interpret in
   *   the memory and time of the thread
   */
  interpret(check: AnsweredCheck): Promise<CheckOutcome>;
  /** Ends the thread; interpretations in progress fail. */
  close(): Promise<void>;
}

/**
 * One thread is enough: engines take longer than the interpretation of their output.
 * @param limits output that requires more memory or time fails its check
 */
export function createInterpreter(limits = threadLimits): Interpreter {
  const script = new URL('./interpreting-thread.ts', import.meta.url);
  const thread = createThread<AnsweredCheck, InterpretedPart>(script, limits);

  async function interpretInThread(check: AnsweredCheck): Promise<InterpretedPart[]> {
    try {
      return await thread.run(check, movable(check.answer));
    } catch (error) {
      throw lastingFailure(error, limits) ?? error;
    }
  }

  return {
    async interpret(check) {
      const isSmall = check.answer.byteLength + check.document.body.byteLength <= atOnceMaxBytes;
      return outcomeOf(isSmall ? [...interpretCheck(check)] : await interpretInThread(check));
    },
    close: thread.close,
  };
}

/** A failure is permanent if the same output would require as much memory or time again. */
function lastingFailure(error: unknown, { taskTimeoutMs }: ThreadLimits): CheckFault | null {
  const always = { permanent: true, cause: error };
  if (error instanceof ThreadOutOfMemory) return new CheckFault({ code: 'too_much_found', params: {} }, always);
  if (!(error instanceof ThreadTimeout)) return null;
  const params = { seconds: taskTimeoutMs / 1_000 };
  return new CheckFault({ code: 'interpretation_timeout', params }, always);
}

/** Returns the buffer to transfer to a thread, if the bytes fill all of it. */
function movable({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

function outcomeOf(parts: readonly InterpretedPart[]): CheckOutcome {
  const issues: CheckOutcome['issues'][number][] = [];
  let notes: CheckOutcome['notes'] = [];
  let raw: PackedRawCheck | null = null;
  let engineVersion: string | null = null;
  let resources: string | null = null;
  let loaded: CheckOutcome['loaded'] = null;
  const shownAs = parts.find((part) => 'shownAs' in part);
  for (const part of parts) {
    if ('failed' in part) throw new CheckFault(part.failed.failure, part.failed);
    if ('raw' in part) raw = part.raw;
    else if ('engineVersion' in part) engineVersion = part.engineVersion;
    else if ('resources' in part) resources = part.resources;
    else if ('loaded' in part) loaded = part.loaded;
    else if ('notes' in part) notes = part.notes;
    else if ('issues' in part) issues.push(...part.issues);
  }
  return {
    issues,
    notes,
    engineVersion,
    resources,
    loaded,
    shownAs: shownAs?.shownAs ?? null,
    ...(raw !== null && { raw }),
  };
}
