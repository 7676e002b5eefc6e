import type { Generated } from 'kysely';

/** Tables of passwords, sessions and sign-in. */
export interface SignInTables {
  passwords: PasswordTable;
  oidc_identities: OidcIdentityTable;
  sessions: SessionTable;
  sign_in_links: SignInLinkTable;
  sign_in_attempts: SignInAttemptTable;
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
