import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Doubt } from '../domain/session-end.ts';
import { findSession, replaceSession, reserveLogin, type StoredSession } from '../store/reports/login-sessions.ts';
import { createDoubtHabits } from './doubt-habits.ts';
import { leasePollMs, loginLeaseMs } from './limits.ts';
import { createRenewSession, type NumberedSession, type SessionParts, type SessionState } from './renew-session.ts';
import type { LoginOwner } from './run-login.ts';
import { createSessionSeal } from './seal-session.ts';

/** The sessions that the logins of reports begin. The crawl and checks of a report share one session, even across processes. */
export interface ReportSessions {
  /**
   * Returns the session of a report; signs in if there is none.
   * @param options.retries whether to try again if the last login did not work. Default: false
   * @throws database errors, and the signal's reason
   */
  open(owner: LoginOwner, signal: AbortSignal, options?: { readonly retries?: boolean }): Promise<SessionState>;
  /**
   * Call when a session seems to have ended. Signs in again if it has, once for all simultaneous callers.
   * @param doubts why it seems so. Doubts that have repeatedly been wrong are ignored. If absent, the session is always checked.
   * @returns the session with the same number if it has not ended
   */
  verify(owner: LoginOwner, number: number, signal: AbortSignal, doubts?: readonly Doubt[]): Promise<SessionState>;
  /** Returns the secret values of all sessions of a report. */
  secrets(reportId: string): Promise<readonly string[]>;
  /** Stores a session whose cookies the site has changed. */
  keep(reportId: string, numbered: NumberedSession): Promise<void>;
}

export function createReportSessions(parts: SessionParts): ReportSessions {
  const { db, credentialStore } = parts;
  const seal = createSessionSeal(credentialStore.box);
  const renew = createRenewSession(parts, seal);
  const habits = createDoubtHabits();

  /** Waits for a session that `isWanted`, or signs in. */
  const settle = async (
    owner: LoginOwner,
    isWanted: (stored: StoredSession, waitedMs: number) => boolean,
    signal: AbortSignal,
  ): Promise<SessionState> => {
    const reportId = owner.id;
    const by = randomUUID();
    let startedAt: number | null = null;
    for (;;) {
      signal.throwIfAborted();
      // Before the query, which computes the age of the confirmation: a late result must not make the confirmation look newer.
      const lookedAt = performance.now();
      const stored = await findSession(db, reportId);
      // After the first query, so that a slow database does not count as a wait for other logins.
      startedAt ??= performance.now();
      const waitedMs = lookedAt - startedAt;
      const current = seal.open(reportId, stored);
      const known = current ?? (stored.failure && { failure: stored.failure });
      if (known !== null && isWanted(stored, waitedMs)) return known;
      const reservation = { reportId, number: stored.number, by };
      const reserved = await reserveLogin(db, reservation, loginLeaseMs);
      if (reserved === 'gone') return { failure: { code: 'report_stopped', params: {} } };
      const state = reserved === 'reserved' ? await renew(owner, { reservation, stored, current }, signal) : null;
      if (state !== null) return state;
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
    async verify(owner, number, signal, doubts) {
      const isVain = doubts !== undefined && habits.areVain(owner.id, doubts);
      const state = await settle(
        owner,
        (stored, waitedMs) =>
          stored.number > number ||
          stored.failure !== null ||
          isVain ||
          (stored.confirmedMsAgo !== null && stored.confirmedMsAgo < waitedMs),
        signal,
      );
      if (doubts !== undefined && !isVain) habits.learn(owner.id, doubts, 'number' in state && state.number === number);
      return state;
    },
    secrets: async (reportId) => seal.openSecrets(reportId, await findSession(db, reportId)),
    keep: (reportId, { number, session }) => replaceSession(db, { reportId, number }, seal.seal(reportId, session)),
  };
}
