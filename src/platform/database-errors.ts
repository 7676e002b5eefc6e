import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { codeOf, messageOf } from './errors.ts';
import type { Logger } from './logger.ts';
import { createOutage, type Outage } from './outage.ts';

/** SQLSTATE classes: connection exception, insufficient resources, operator intervention (restart, timeout, cancellation). */
const PASSING_CLASSES: readonly string[] = ['08', '53', '57'];
/** SQLSTATE of a change in a read-only transaction: of a standby, or of a server that is set to read-only. */
const READ_ONLY_STATE = '25006';
/**
 * Single SQLSTATEs: read-only during a failover, idle in a transaction for too long, serialization failure, deadlock,
 * a lock that was not granted in time.
 */
const PASSING_STATES: readonly string[] = [READ_ONLY_STATE, '25P03', '40001', '40P01', '55P03'];
/** The operating system's codes for connections that broke, and for addresses or sockets that were not available. */
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
/** Messages of pg and its pool about connections that broke, were not made in time or did not respond. They have no codes. */
const PASSING_MESSAGES =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client (has encountered a connection error|was closed) and is not queryable)/;

/** SQLSTATE and message of a prepared statement whose table has gained a column since. */
const STALE_PLAN = { state: '0A000', message: /^cached plan must not change result type/ } as const;

/** Returns whether a prepared statement has to be prepared again. */
export function isStalePlan(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === STALE_PLAN.state && STALE_PLAN.message.test(error.message);
}

/** SQLSTATE of a statement that was canceled, for example by `statement_timeout`. */
const CANCELLED_STATE = '57014';

/**
 * Returns whether an error of the database is temporary: the database is unreachable, restarting, read-only or busy, or a
 * migration has made a prepared statement stale. Other errors, in the data or in the statement, occur again each time.
 */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (error instanceof DatabaseError) {
    return PASSING_CLASSES.includes(code.slice(0, 2)) || PASSING_STATES.includes(code) || isStalePlan(error);
  }
  return isOfConnecting(error) || PASSING_SYSTEM_CODES.includes(code) || PASSING_MESSAGES.test(error.message);
}

/** Connecting to the Unix socket of a server that does not run fails with ENOENT. */
function isOfConnecting(error: Error): boolean {
  return 'syscall' in error && error.syscall === 'connect';
}

/**
 * Errors of a connection that broke during a statement or got no response. The last one comes from the rollback of a transaction
 * whose commit got no response: it replaces the first error.
 */
const LOST_ANSWER =
  /^(Connection terminated unexpectedly|Query read timeout|Client has encountered a connection error and is not queryable)$/;
const LOST_ANSWER_CODES: readonly string[] = ['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT'];

/** Returns whether a failed statement may have been executed: its connection broke before the response. */
export function mayBeDone(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof DatabaseError) return false;
  return LOST_ANSWER.test(error.message) || LOST_ANSWER_CODES.includes(codeOf(error));
}

/** Returns whether a statement was canceled because it exceeded its timeout. */
export function isCancelled(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === CANCELLED_STATE;
}

/** Returns whether a statement failed because the database accepts no changes. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === READ_ONLY_STATE;
}

/** SQLSTATE of a server whose disk is full, and the operating system's codes for the disk of this process. */
const DISK_FULL_CODES: readonly string[] = ['53100', 'ENOSPC', 'EDQUOT'];

/** Returns whether the disk of the database or of this process is full, or the user's quota is used up. */
export function isDiskFull(error: unknown): boolean {
  return DISK_FULL_CODES.includes(codeOf(error));
}

/** SQLSTATE classes: data exception, integrity constraint violation, syntax error or unknown name. */
const MISFIT_CLASSES: readonly string[] = ['22', '23', '42'];

/** Returns whether the database refused data that does not fit its schema. */
export function isMisfit(error: unknown): boolean {
  return error instanceof DatabaseError && MISFIT_CLASSES.includes(codeOf(error).slice(0, 2));
}

/** SQLSTATE of a statement that the user of the database may not execute. */
const NOT_PERMITTED_STATE = '42501';

/** Returns whether a statement failed because the user of the database lacks a permission. */
export function isNotPermitted(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === NOT_PERMITTED_STATE;
}

/** SQLSTATE of a row that refers to a row that does not exist. */
const FOREIGN_KEY_STATE = '23503';

/** Returns whether a statement failed because it refers to a row that does not exist, or no longer exists. */
export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === FOREIGN_KEY_STATE;
}

/** SQLSTATE of a row that violates a unique constraint. */
const UNIQUE_STATE = '23505';

/** Returns whether a statement failed because of a unique constraint. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === UNIQUE_STATE;
}

/** The delay before the database is tried again. It doubles each time, up to the maximum. */
const WAIT_MS = { first: 500, max: 8_000 } as const;

export interface WaitOutOptions {
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** The log message, such as `Could not save a check`. */
  readonly failure: string;
}

/**
 * Does work on the database, and repeats it while it fails with temporary errors. The work must be idempotent: it may have been
 * done although its response was lost. The first success after the disk was full is logged.
 * @throws permanent errors immediately; the last temporary error when the signal aborts
 */
export async function waitOut<Result>(
  work: () => Promise<Result>,
  { signal, log, failure }: WaitOutOptions,
): Promise<Result> {
  for (let waitMs: number = WAIT_MS.first; ; waitMs = Math.min(2 * waitMs, WAIT_MS.max)) {
    try {
      const result = await work();
      fullDiskOf(log).end();
      return result;
    } catch (error) {
      if (!isTransient(error) || signal.aborted) throw error;
      if (isDiskFull(error)) fullDiskOf(log).begin();
      log.warn({ reason: messageOf(error) }, `${failure}; will retry`);
    }
    await delay(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

const fullDisks = new WeakMap<Logger, Outage>();

/** Returns the time during which work fails because of a full disk, whose end is logged. */
function fullDiskOf(log: Logger): Outage {
  const outage = fullDisks.get(log) ?? createOutage(log, 'The database is available again');
  fullDisks.set(log, outage);
  return outage;
}
