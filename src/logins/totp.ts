import { createHmac } from 'node:crypto';

/** The key of one-time passwords, and how they are computed from it (RFC 6238). */
export interface TotpKey {
  readonly key: Uint8Array;
  readonly algorithm: 'sha1' | 'sha256' | 'sha512';
  readonly digits: number;
  readonly periodS: number;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** Shorter keys are typing errors: authenticators use 80 bits or more. */
const keyMinBytes = 8;
const keyMaxBytes = 128;
/** Sites use 30 or 60 seconds. In shorter periods, a code could not be entered; longer ones are typing errors. */
const periodMinS = 10;
const periodMaxS = 120;

/** Reads a key: base32 as sites show it, with or without spaces, or a URL `otpauth://totp/…`. @returns null if it is neither */
export function parseTotpKey(text: string): TotpKey | null {
  const given = text.trim();
  if (!/^otpauth:/i.test(given)) return keyOf(given, {});
  const url = URL.parse(given);
  if (url === null || url.host !== 'totp') return null;
  return keyOf(url.searchParams.get('secret') ?? '', Object.fromEntries(url.searchParams));
}

function keyOf(
  base32: string,
  { algorithm = 'SHA1', digits = '6', period = '30' }: Record<string, string>,
): TotpKey | null {
  const key = fromBase32(base32);
  const known = (['sha1', 'sha256', 'sha512'] as const).find(
    (name) => name === algorithm.toLowerCase().replace('-', ''),
  );
  const isValid = /^[6-8]$/.test(digits) && /^\d{2,3}$/.test(period);
  const periodS = Number(period);
  if (key === null || known === undefined || !isValid || periodS < periodMinS || periodS > periodMaxS) return null;
  return { key, algorithm: known, digits: Number(digits), periodS };
}

/** Decodes base32 (RFC 4648, 6), ignoring case, spaces, hyphens and padding. */
function fromBase32(text: string): Uint8Array | null {
  const digits = text.toUpperCase().replace(/[\s=-]/g, '');
  if (digits.length > keyMaxBytes * 2 || !/^[A-Z2-7]+$/.test(digits)) return null;
  const bytes: number[] = [];
  let [bits, value] = [0, 0];
  for (const digit of digits) {
    value = ((value << 5) | ALPHABET.indexOf(digit)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 0xff);
  }
  return bytes.length < keyMinBytes ? null : Uint8Array.from(bytes);
}

/** Returns the number of the period at a time in milliseconds since 1970. */
export function periodAt({ periodS }: TotpKey, timeMs: number): number {
  return Math.floor(timeMs / 1_000 / periodS);
}

/** Returns the one-time password of a period (RFC 4226, 5.3). */
export function totpCode({ key, algorithm, digits }: TotpKey, period: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(period));
  const hash = createHmac(algorithm, key).update(counter).digest();
  const offset = hash.readUInt8(hash.length - 1) & 0x0f;
  const number = hash.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}
