import { setTimeout as delay } from 'node:timers/promises';
import type { Failure } from '../domain/failures/failure.ts';
import type { LoginSession } from '../domain/login-session.ts';
import { loginSessionPurpose } from '../domain/secret-purposes.ts';
import type { Logger } from '../platform/logger.ts';
import { SecretFault } from '../platform/secret-box.ts';
import type { Database } from '../store/database.ts';
import type { CredentialStore } from '../store/reports/credential-store.ts';
import {
  endReservation,
  findSession,
  replaceSession,
  reserveLogin,
  type StoredSession,
  saveSession,
} from '../store/reports/login-sessions.ts';
import { leasePollMs, loginAttemptsMax, loginLeaseMs, loginsPerReportMax, sessionMaxMs } from './limits.ts';
import { isSessionAlive, type LoginMeans, type LoginOwner, type LoginResult, runLogin } from './run-login.ts';
import { createTakeCode } from './take-code.ts';

/** A session, and the number of its login among the logins of the report. */
export interface NumberedSession {
  readonly number: number;
  readonly session: LoginSession;
}

/** A session, or why there is none. */
export type SessionState = NumberedSession | { readonly failure: Failure };

/** The sessions that the logins of reports begin. Crawl and checks of a report share one, also in several processes. */
export interface ReportSessions {
  /**
   * Returns the session of a report; signs in if there is none.
   * @param options.retries whether to try again if the last login did not work. Default: false
   * @throws database errors, and the signal's reason
   */
  open(owner: LoginOwner, signal: AbortSignal, options?: { readonly retries?: boolean }): Promise<SessionState>;
  /**
   * Call when a session seems to have ended. Signs in again if it has, once for all that ask at the same time.
   * @returns the session with the same number if it has not ended
   */
  verify(owner: LoginOwner, number: number, signal: AbortSignal): Promise<SessionState>;
  /** Returns the session of a report without signing in; null if there is none. */
  find(reportId: string): Promise<NumberedSession | null>;
  /** Stores a session whose cookies the site has changed. */
  keep(reportId: string, numbered: NumberedSession): Promise<void>;
}

export interface SessionParts extends Pick<LoginMeans, 'pool'> {
  readonly db: Database;
  readonly credentialStore: CredentialStore;
  readonly log: Logger;
}

export function createReportSessions(parts: SessionParts): ReportSessions {
  const { db, credentialStore, log } = parts;
  const takeCode = createTakeCode(parts);
  const { box } = credentialStore;
  const seal = (reportId: string, session: LoginSession): Buffer =>
    box.seal(JSON.stringify(session), loginSessionPurpose(reportId));

  /** @returns null for a session that cannot be decrypted */
  const opened = (reportId: string, { sealed, number }: StoredSession): NumberedSession | null => {
    if (sealed === null) return null;
    try {
      return { number, session: JSON.parse(box.open(sealed, loginSessionPurpose(reportId))) };
    } catch (error) {
      if (error instanceof SecretFault) return null;
      throw error;
    }
  };

  const signIn = async (owner: LoginOwner, before: number, signal: AbortSignal): Promise<SessionState> => {
    const reportId = owner.id;
    const number = before + 1;
    const result = number > loginsPerReportMax ? TOO_OFTEN : await attempt(owner, signal);
    if ('session' in result) {
      await saveSession(db, { reportId, number }, seal(reportId, result.session), sessionMaxMs);
      log.debug({ reportId, number }, 'Signed in to a site');
      return { number, session: result.session };
    }
    const failure: Failure = { code: 'login_failed', params: { why: result.failure } };
    await endReservation(db, reportId, { failure });
    log.info({ reportId, failure: result.failure.code }, 'A login did not work');
    return { failure };
  };

  const attempt = async (owner: LoginOwner, signal: AbortSignal): Promise<LoginResult> => {
    for (let attempts = 1; ; attempts += 1) {
      const result = await runLogin(owner, { ...parts, takeCode, signal });
      // Repeated with a wrong password, logins lock accounts.
      if ('session' in result || !result.isTransient || attempts >= loginAttemptsMax) return result;
    }
  };

  /** Signs in under a reservation, unless the session turns out to last. */
  const renew = async (owner: LoginOwner, number: number, current: NumberedSession | null, signal: AbortSignal) => {
    try {
      if (current === null || !(await isSessionAlive(owner, current.session, { ...parts, signal }))) {
        return await signIn(owner, number, signal);
      }
      await endReservation(db, owner.id, 'not_needed');
      return current;
    } catch (error) {
      await endReservation(db, owner.id, 'broken_off').catch(() => undefined);
      throw error;
    }
  };

  /** Waits for a session that `isWanted`, or signs in. */
  const settle = async (
    owner: LoginOwner,
    isWanted: (stored: StoredSession, waitedMs: number) => boolean,
    signal: AbortSignal,
  ): Promise<SessionState> => {
    const reportId = owner.id;
    const startedAt = performance.now();
    for (;;) {
      signal.throwIfAborted();
      const stored = await findSession(db, reportId);
      const current = opened(reportId, stored);
      const known = current ?? (stored.failure && { failure: stored.failure });
      if (known !== null && isWanted(stored, performance.now() - startedAt)) return known;
      const reservation = await reserveLogin(db, { reportId, number: stored.number }, loginLeaseMs);
      if (reservation === 'gone') return { failure: { code: 'report_stopped', params: {} } };
      if (reservation === 'reserved') return renew(owner, stored.number, current, signal);
      await delay(leasePollMs, undefined, { signal });
    }
  };

  return {
    open: (owner, signal, { retries = false } = {}) =>
      settle(
        owner,
        ({ sealed, failure }, waitedMs) =>
          sealed !== null || (failure !== null && (!retries || waitedMs > leasePollMs)),
        signal,
      ),
    verify: (owner, number, signal) => {
      return settle(
        owner,
        (stored, waitedMs) =>
          stored.number > number ||
          stored.failure !== null ||
          (stored.confirmedMsAgo !== null && stored.confirmedMsAgo < waitedMs),
        signal,
      );
    },
    find: async (reportId) => opened(reportId, await findSession(db, reportId)),
    keep: (reportId, { number, session }) => replaceSession(db, { reportId, number }, seal(reportId, session)),
  };
}

const TOO_OFTEN: LoginResult = {
  failure: { code: 'login_too_often', params: { max: loginsPerReportMax } },
  step: null,
  isTransient: false,
};
