import { type LoginSession, secretsOfSession } from '../domain/login-session.ts';
import { loginSecretsPurpose, loginSessionPurpose } from '../domain/secret-purposes.ts';
import { openOrNull, type SecretBox } from '../platform/secret-box.ts';
import type { SealedSession, StoredSession } from '../store/reports/login-sessions.ts';
import { withMasked } from './masked-values.ts';

export type SessionSeal = ReturnType<typeof createSessionSeal>;

/** Encrypts and decrypts sessions, and the secret values of all sessions of a report. */
export function createSessionSeal(box: SecretBox) {
  const openSecrets = (reportId: string, { secretsSealed }: Pick<StoredSession, 'secretsSealed'>): string[] => {
    const text = openOrNull(box, secretsSealed, loginSecretsPurpose(reportId));
    return text === null ? [] : JSON.parse(text);
  };
  return {
    openSecrets,
    /** @returns null if there is no session, or if it cannot be decrypted */
    open(reportId: string, { sealed, number }: StoredSession) {
      const text = openOrNull(box, sealed, loginSessionPurpose(reportId));
      return text === null ? null : { number, session: JSON.parse(text) as LoginSession };
    },
    seal(reportId: string, session: LoginSession): SealedSession {
      return {
        sealed: box.seal(JSON.stringify(session), loginSessionPurpose(reportId)),
        addSecrets(secretsSealed) {
          const masked = withMasked(openSecrets(reportId, { secretsSealed }), secretsOfSession(session));
          return box.seal(JSON.stringify(masked), loginSecretsPurpose(reportId));
        },
      };
    },
  };
}
