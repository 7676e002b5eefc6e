import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { addressKey } from '../domain/email-address.ts';
import { RetryLater } from '../platform/errors.ts';
import { countAttempts, uncountAttempts } from '../store/accounts/sign-in-attempts.ts';
import type { Executor } from '../store/database.ts';

/** Attempts per minute. Successful sign-ins do not count. */
export const ATTEMPTS_MAX = {
  /** From an address, to sign in to an account. */
  addressAndAccount: 5,
  /** From an address, to sign in to any account: enough for an office behind one address. */
  address: 30,
  /**
   * From all addresses, to sign in to an account: guessing does not pay. Only devices that the account does not know are locked
   * out.
   */
  account: 30,
  /** From a device, to sign in to an account that knows it. */
  device: 5,
  /** From a session, to give the current password. */
  session: 5,
  /** From an address, to sign up. */
  signUp: 5,
} as const;

/** An attempt that was admitted. */
export interface Attempt {
  /** Subtracts the attempt, because it succeeded. */
  succeed(db: Executor): Promise<void>;
}

type Limited = readonly [key: Buffer, max: number];

/**
 * Admits an attempt to sign in, whether or not there is such an account.
 * @throws RetryLater rate_limited
 */
export async function admitSignIn(db: Executor, address: string, email: string): Promise<Attempt> {
  const [from, account] = [networkOf(address), addressKey(email)];
  // The address first, so that one address cannot fill the table.
  const byAddress: Limited = [keyOf('address', from), ATTEMPTS_MAX.address];
  const others: readonly Limited[] = [
    [keyOf('address and account', from, account), ATTEMPTS_MAX.addressAndAccount],
    [keyOf('account', account), ATTEMPTS_MAX.account],
  ];
  await count(db, [byAddress]);
  await count(db, others);
  return attemptUnder([byAddress, ...others]);
}

/**
 * Admits an attempt by a device to sign in to an account that knows it. It is counted separately from attempts by strangers, who
 * could otherwise lock the owner out.
 * @throws RetryLater rate_limited
 */
export function admitKnownDevice(db: Executor, deviceId: string): Promise<Attempt> {
  return admitOne(db, keyOf('device', deviceId), ATTEMPTS_MAX.device);
}

/** Admits an attempt by a session to give the current password. @throws RetryLater rate_limited */
export function admitConfirmation(db: Executor, sessionId: number): Promise<Attempt> {
  return admitOne(db, keyOf('session', String(sessionId)), ATTEMPTS_MAX.session);
}

/** Admits an attempt to sign up, which counts even if it succeeds. @throws RetryLater rate_limited */
export async function admitSignUp(db: Executor, address: string): Promise<void> {
  await count(db, [[keyOf('sign-up', networkOf(address)), ATTEMPTS_MAX.signUp]]);
}

async function admitOne(db: Executor, key: Buffer, max: number): Promise<Attempt> {
  await count(db, [[key, max]]);
  return attemptUnder([[key, max]]);
}

async function count(db: Executor, limited: readonly Limited[]): Promise<void> {
  const counted = await countAttempts(
    db,
    limited.map(([key]) => key),
  );
  const over = counted.filter(({ key, attempts }) => {
    const [, max = 0] = limited.find(([candidate]) => candidate.equals(key)) ?? [];
    return attempts > max;
  });
  if (over.length === 0) return;
  const seconds = Math.max(...over.map(({ secondsLeft }) => secondsLeft));
  throw new RetryLater('rate_limited', `Too many attempts. Try again in ${seconds} seconds.`, seconds);
}

function attemptUnder(limited: readonly Limited[]): Attempt {
  const keys = limited.map(([key]) => key);
  return { succeed: (db) => uncountAttempts(db, keys) };
}

function keyOf(...parts: readonly string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}

/** Returns the part of an address that its user cannot change at will: for IPv6, the first 64 bits. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail = ''] = address.split('%')[0]?.split('::') ?? [];
  const [left, right] = [head.split(':').filter(Boolean), tail.split(':').filter(Boolean)];
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
