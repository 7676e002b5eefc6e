import type { Generated, GeneratedAlways, Selectable } from 'kysely';
import type { Actor } from '../../domain/audit.ts';

/** Tables of passwords, sessions and sign-in. */
export interface SignInTables {
  passwords: PasswordTable;
  oidc_identities: OidcIdentityTable;
  sessions: SessionTable;
  sign_in_links: SignInLinkTable;
  sign_in_attempts: SignInAttemptTable;
  audit_log: AuditLogTable;
}

interface PasswordTable {
  account_id: string;
  /** From `accounts/passwords.ts`. */
  hash: string;
  updated_at: Generated<Date>;
}

interface OidcIdentityTable {
  issuer: string;
  subject: string;
  account_id: string;
  inserted_at: Generated<Date>;
}

interface SessionTable {
  id: Generated<number>;
  account_id: string;
  hash: Buffer;
  user_agent: string | null;
  inserted_at: Generated<Date>;
  last_seen_at: Generated<Date>;
  former_email: Generated<string | null>;
}

interface SignInLinkTable {
  hash: Buffer;
  account_id: string;
  for_owner: boolean;
  expires_at: Date;
}

interface SignInAttemptTable {
  key: Buffer;
  attempts: number;
  began_at: Generated<Date>;
}

interface AuditLogTable {
  id: GeneratedAlways<number>;
  inserted_at: Generated<Date>;
  account_id: string | null;
  /** Null if it is `account_id`, or no account acted. */
  actor_account_id: string | null;
  actor: Actor;
  actor_id: string | null;
  address: string | null;
  action: string;
  path: string | null;
  status: number | null;
  request_id: string | null;
}
export type AuditEntry = Selectable<AuditLogTable>;
