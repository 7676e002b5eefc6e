import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { codeOf, messageOf } from './errors.ts';
import type { Logger } from './logger.ts';

/** SQLSTATE classes: connection exception, insufficient resources, operator intervention (restart, time-out, cancel). */
const PASSING_CLASSES: readonly string[] = ['08', '53', '57'];
/**
 * Single SQLSTATEs: read-only during a failover, idle in a transaction for too long, serialization failure, deadlock, a
 * lock that was not to be had in time.
 */
const PASSING_STATES: readonly string[] = ['25006', '25P03', '40001', '40P01', '55P03'];
/** What the operating system says of a connection that broke, and of an address or a socket that was not to be had. */
const PASSING_SYSTEM_CODES: readonly string[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EADDRNOTAVAIL',
  'EAGAIN',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EMFILE',
  'ENFILE',
];
/** What pg and its pool say of a connection that broke, could not be made in time, or did not answer. They have no codes. */
const PASSING_MESSAGES =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client (has encountered a connection error|was closed) and is not queryable)/;

/** SQLSTATE of a statement that was cancelled, as `statement_timeout` does. */
const CANCELLED_STATE = '57014';

/**
 * Whether an error of the database passes by itself: the database is away, restarts, cannot write or is busy. Everything
 * else lasts: an error in the data or in the statement, which comes again each time.
 */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (error instanceof DatabaseError) {
    return PASSING_CLASSES.includes(code.slice(0, 2)) || PASSING_STATES.includes(code);
  }
  return isOfConnecting(error) || PASSING_SYSTEM_CODES.includes(code) || PASSING_MESSAGES.test(error.message);
}

/** Of a server on a Unix socket that is away, ENOENT is said: its socket is gone with it. */
function isOfConnecting(error: Error): boolean {
  return 'syscall' in error && error.syscall === 'connect';
}

/**
 * What is said of a connection that broke while a statement was under way, or did not answer it. The last is said of the
 * rollback of a transaction whose commit was not answered: that error takes the place of the first.
 */
const LOST_ANSWER =
  /^(Connection terminated unexpectedly|Query read timeout|Client has encountered a connection error and is not queryable)$/;
const LOST_ANSWER_CODES: readonly string[] = ['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT'];

/** Whether a statement may have been done although it failed: its connection broke before the answer came. */
export function mayBeDone(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof DatabaseError) return false;
  return LOST_ANSWER.test(error.message) || LOST_ANSWER_CODES.includes(codeOf(error));
}

/** Whether a statement was cancelled because it took longer than its limit. */
export function isCancelled(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === CANCELLED_STATE;
}

/** How long a database that does not take work is left alone: twice as long each time, up to the second. */
const WAIT_MS = { first: 500, max: 8_000 } as const;

export interface WaitOutOptions {
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** What could not be done, for the log. */
  readonly failure: string;
}

/**
 * Works on the database, and again for as long as it fails for reasons that pass. The work must be harmless to repeat: the
 * answer may have been lost after it was done.
 * @throws what lasts, at once; the last error that passes when the signal aborts
 */
export async function waitOut<Result>(
  work: () => Promise<Result>,
  { signal, log, failure }: WaitOutOptions,
): Promise<Result> {
  for (let waitMs: number = WAIT_MS.first; ; waitMs = Math.min(2 * waitMs, WAIT_MS.max)) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || signal.aborted) throw error;
      log.warn({ reason: messageOf(error) }, `${failure}; will try again`);
    }
    await delay(waitMs, undefined, { signal }).catch(() => undefined);
  }
}
