import type { FastifyReply, FastifyRequest } from 'fastify';
import { openDevice, sealDevice } from '../../accounts/known-devices.ts';
import type { Passwords } from '../../accounts/passwords.ts';
import type { SignUp } from '../../accounts/register.ts';
import type { Browser, NewSession } from '../../accounts/sessions.ts';
import { AppError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { findAccount } from '../../store/accounts/accounts.ts';
import { hasIdentity } from '../../store/accounts/oidc-identities.ts';
import { findPassword } from '../../store/accounts/passwords.ts';
import { deleteSession, findSession, type SessionHolder } from '../../store/accounts/sessions.ts';
import type { CountExchange } from '../../store/counts/count-exchange.ts';
import type { Database } from '../../store/database.ts';
import type { AddressSettings } from '../http/links.ts';
import {
  DEVICE_COOKIE,
  type Exchange,
  readCookie,
  sessionOf,
  writeDeviceCookie,
  writeSessionCookie,
} from '../http/session-cookie.ts';
import type { OidcProvider, OidcSettings } from './oidc-provider.ts';

export interface AuthSettings extends AddressSettings, OidcSettings {
  readonly signUp: SignUp;
}

/** What the routes under `/auth` use. */
export interface AuthParts {
  readonly db: Database;
  readonly passwords: Passwords;
  /** Null if there is no provider. */
  readonly oidc: OidcProvider | null;
  readonly box: SecretBox;
  readonly log: Logger;
  /** Requests in the last minute to other processes. */
  readonly requestCounts: Pick<CountExchange, 'add' | 'others'>;
  readonly settings: AuthSettings;
}

/** Returns the browser that attempts to sign in or sign up. From now on, the request is recorded as an attempt. */
export function browserOf({ box, settings }: AuthParts, request: FastifyRequest): Browser {
  request.attempt = 'made';
  const device = openDevice(box, readCookie(request, settings, DEVICE_COOKIE));
  return { address: request.ip, userAgent: request.headers['user-agent'], device };
}

/** @throws AppError unauthorized without a session */
export async function requireSession({ db, settings }: AuthParts, request: FastifyRequest): Promise<SessionHolder> {
  const session = await sessionOf(db, request, settings);
  if (session === undefined) throw new AppError('unauthorized', 'You are not signed in.');
  return session;
}

/** Sets the cookies of a new session. This ends the browser's earlier session, whose cookie it overwrites. */
export async function enter(
  { db, box, settings }: AuthParts,
  exchange: Pick<Exchange, 'request' | 'reply'>,
  session: NewSession,
  earlier: Pick<SessionHolder, 'accountId' | 'sessionId'> | null | undefined,
): Promise<void> {
  if (earlier) await deleteSession(db, earlier.accountId, earlier.sessionId);
  writeSessionCookie({ ...exchange, settings }, session.secret);
  writeDeviceCookie({ ...exchange, settings }, sealDevice(box, session.accountId));
  exchange.request.actor = { accountId: session.accountId, sessionId: session.id };
}

/** Signs the browser in and returns the account and session. */
export async function answerSignedIn(
  parts: AuthParts,
  exchange: Pick<Exchange, 'request' | 'reply'>,
  session: NewSession,
  status: 200 | 201 = 200,
): Promise<FastifyReply> {
  const { db, settings } = parts;
  await enter(parts, exchange, session, await sessionOf(db, exchange.request, settings));
  return exchange.reply.code(status).send(await whoIs(db, { accountId: session.accountId, sessionId: session.id }));
}

/** Returns the account and the session of a browser, in the form that it may see; both are null if no one is signed in. */
export async function whoIs(db: Database, holder: Pick<SessionHolder, 'accountId' | 'sessionId'> | undefined) {
  const account = holder && (await findAccount(db, holder.accountId));
  const session = holder && (await findSession(db, holder.accountId, holder.sessionId));
  if (account === undefined || session === undefined) return { account: null, session: null };
  const { id, name, email } = account;
  return {
    account: {
      ...{ id, name, email },
      has_password: (await findPassword(db, id)) !== undefined,
      oidc: await hasIdentity(db, id),
    },
    session: {
      id: String(session.id),
      inserted_at: utcTime(session.inserted_at),
      expires_at: utcTime(session.expires_at),
      former_email: session.former_email,
    },
  };
}
