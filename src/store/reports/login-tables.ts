import type { Generated, JSONColumnType } from 'kysely';
import type { Failure } from '../../domain/failures/failure.ts';

/** The tables of logins. */
export interface LoginTables {
  login_sessions: LoginSessionTable;
  used_totp_periods: UsedTotpPeriodTable;
}

/** The session that the login of a report began. */
interface LoginSessionTable {
  report_id: string;
  /** The number of successful logins. */
  number: Generated<number>;
  session_sealed: Buffer | null;
  failure: JSONColumnType<Failure | null, string | null | undefined, string | null>;
  busy_until: Date | null;
  /** The reservation, which only its holder ends. */
  busy_by: string | null;
  busy_since: Date | null;
  /** The total time of all logins, in milliseconds. */
  spent_ms: Generated<number>;
  confirmed_at: Date | null;
  expires_at: Date | null;
  /** Values that are masked, even after the report has ended. */
  secrets_sealed: Buffer | null;
}

/** The last period of each key whose one-time password was used. */
interface UsedTotpPeriodTable {
  key_code: Buffer;
  period: number;
  used_at: Generated<Date>;
}
