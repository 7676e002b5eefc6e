import type { Failure } from '../domain/failures/failure.ts';
import type { LoginSession } from '../domain/login-session.ts';
import type { Logger } from '../platform/logger.ts';
import type { Database } from '../store/database.ts';
import type { CredentialStore } from '../store/reports/credential-store.ts';
import {
  endReservation,
  extendReservation,
  type LoginReservation,
  type ReservationEnd,
  type StoredSession,
} from '../store/reports/login-sessions.ts';
import {
  firstLoginPausesMs,
  laterLoginPausesMs,
  leaseExtendedMs,
  loginLeaseMs,
  loginsPerReportMax,
  loginsTimeMaxMs,
  probePausesMs,
  sessionMaxMs,
} from './limits.ts';
import { type LoginMeans, type LoginOwner, type LoginResult, probeSession, runLogin } from './run-login.ts';
import type { SessionSeal } from './seal-session.ts';
import { createTakeCode } from './take-code.ts';
import { withPauses } from './with-pauses.ts';

/** A session, and the number of its login among the logins of the report. */
export interface NumberedSession {
  readonly number: number;
  readonly session: LoginSession;
}

/** A session, or why there is none. */
export type SessionState = NumberedSession | { readonly failure: Failure };

export interface SessionParts extends Pick<LoginMeans, 'pool'> {
  readonly db: Database;
  readonly credentialStore: CredentialStore;
  readonly log: Logger;
}

export interface Renewal {
  readonly reservation: LoginReservation;
  readonly stored: StoredSession;
  /** The session that may have ended; null without one. */
  readonly current: NumberedSession | null;
}

/**
 * Signs in under a reservation, unless the session turns out not to have ended.
 * @returns null if another process has taken the reservation over
 */
export type RenewSession = (owner: LoginOwner, renewal: Renewal, signal: AbortSignal) => Promise<SessionState | null>;

export function createRenewSession(parts: SessionParts, seal: SessionSeal): RenewSession {
  const { db, log } = parts;
  const takeCode = createTakeCode(parts);

  /** Signs in again, unless that happens too often. */
  const signIn = async (
    owner: LoginOwner,
    { number, spentMs }: StoredSession,
    signal: AbortSignal,
  ): Promise<LoginResult> => {
    if (number >= loginsPerReportMax) return TOO_OFTEN;
    if (spentMs >= loginsTimeMaxMs) return TOO_LONG;
    const hasWorked = number > 0;
    return withPauses(
      () => runLogin(owner, { ...parts, takeCode, signal, hasWorked }),
      // Repeated logins with a wrong password lock accounts.
      (result) => 'session' in result || !result.isTransient,
      hasWorked ? laterLoginPausesMs : firstLoginPausesMs,
      signal,
    );
  };

  /**
   * Returns whether a session has not ended. False if the site does not show that: the login that follows shows what is wrong.
   */
  const isAlive = async (owner: LoginOwner, { session }: NumberedSession, signal: AbortSignal): Promise<boolean> => {
    const probe = () => probeSession(owner, session, { ...parts, signal });
    return (await withPauses(probe, (state) => state !== 'unknown', probePausesMs, signal)) === 'alive';
  };

  const renew = async (
    owner: LoginOwner,
    { reservation, stored, current }: Renewal,
    signal: AbortSignal,
  ): Promise<SessionState | null> => {
    const { reportId, number } = reservation;
    const end = (how: ReservationEnd): Promise<boolean> => endReservation(db, reservation, how);
    if (current !== null && (await isAlive(owner, current, signal))) {
      return (await end('not_needed')) ? current : null;
    }
    const result = await signIn(owner, stored, signal);
    if ('session' in result) {
      const next = { number: number + 1, session: result.session };
      const isStored = await end({ ...seal.seal(reportId, next.session), maxMs: sessionMaxMs });
      log.debug({ reportId, number: next.number, isStored }, 'Signed in to a site');
      return isStored ? next : null;
    }
    log.info({ reportId, failure: result.failure.code }, 'A login did not work');
    const failure: Failure = { code: 'login_failed', params: { why: result.failure } };
    return (await end({ failure })) ? { failure } : null;
  };

  return async (owner, renewal, signal) => {
    const lease = holdLease(db, renewal.reservation);
    try {
      return await renew(owner, renewal, AbortSignal.any([signal, lease.signal]));
    } catch (error) {
      await endReservation(db, renewal.reservation, 'broken_off').catch(() => undefined);
      if (lease.signal.aborted && !signal.aborted) return null;
      throw error;
    } finally {
      lease.end();
    }
  };
}

/** Extends a reservation until `end` is called. Its signal is aborted if the reservation is lost. */
function holdLease(db: Database, reservation: LoginReservation): { readonly signal: AbortSignal; end(): void } {
  const lost = new AbortController();
  const timer = setInterval(() => {
    extendReservation(db, reservation, loginLeaseMs).then(
      (isHeld) => isHeld || lost.abort(),
      // The database may be back before the reservation ends. If not, the login cannot be stored.
      () => undefined,
    );
  }, leaseExtendedMs);
  return { signal: lost.signal, end: () => clearInterval(timer) };
}

const permanently = (failure: Failure): LoginResult => ({ failure, step: null, isTransient: false });
const TOO_OFTEN = permanently({ code: 'login_too_often', params: { max: loginsPerReportMax } });
const TOO_LONG = permanently({ code: 'login_too_long', params: { minutes: loginsTimeMaxMs / 60_000 } });
