import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { HookSignature } from '../domain/hook-signatures.ts';
import { hookSigningPurpose } from '../domain/secret-purposes.ts';
import { AppError } from '../platform/errors.ts';
import { isObject, type JsonObject } from '../platform/json-object.ts';
import { newSecret } from '../platform/kept-secret.ts';
import { SecretFault } from '../platform/secret-box.ts';
import { newWebhookSecret, webhookSignature } from '../platform/standard-webhooks.ts';
import type { CredentialStore } from '../store/reports/credential-store.ts';
import type { Schedule } from '../store/schedules/schedules.ts';

/** A call to a deploy hook. */
export interface HookCall {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** As sent. */
  readonly body: Uint8Array;
}

/** Clocks differ. A call that is repeated after a failure has a new time. */
const toleranceSeconds = 300;

/** What a scheme needs to verify a call. */
interface Scheme {
  /** The header with the signature, for the error. */
  readonly header: string;
  /** Whether the owner of the secret signed the call. */
  isSigned(call: HookCall, secret: string, now: Date): boolean;
}

const SCHEMES: Readonly<Record<HookSignature, Scheme>> = {
  github: {
    header: 'X-Hub-Signature-256',
    isSigned: ({ headers, body }, secret) =>
      isEqual(header(headers, 'x-hub-signature-256'), `sha256=${hmac('sha256', secret, body).toString('hex')}`),
  },
  gitlab: {
    header: 'X-Gitlab-Token',
    isSigned: ({ headers }, secret) => isEqual(header(headers, 'x-gitlab-token'), secret),
  },
  netlify: { header: 'X-Webhook-Signature', isSigned: isSignedByNetlify },
  standard: { header: 'webhook-signature', isSigned: isSignedAsStandard },
  vercel: {
    header: 'X-Vercel-Signature',
    isSigned: ({ headers, body }, secret) =>
      isEqual(header(headers, 'x-vercel-signature'), hmac('sha1', secret, body).toString('hex')),
  },
};

/**
 * Refuses a call that is not signed as the schedule requires.
 * @throws AppError forbidden; conflict if the secret was encrypted with another key
 */
export function requireSignature(
  { id, hook_signature: scheme, hook_signing_sealed: sealed }: Schedule,
  { box }: Pick<CredentialStore, 'box'>,
  call: HookCall,
  now: Date,
): void {
  if (scheme === null || sealed === null) return;
  if (SCHEMES[scheme].isSigned(call, openSigningSecret(box, id, sealed), now)) return;
  const detail =
    `This deploy hook only accepts signed calls: the ${SCHEMES[scheme].header} header is missing, wrong or too old. ` +
    'Compare the secret of the sender with the secret of the schedule.';
  throw new AppError('forbidden', detail);
}

function openSigningSecret(box: CredentialStore['box'], id: string, sealed: Buffer): string {
  try {
    return box.open(sealed, hookSigningPurpose(id));
  } catch (cause) {
    if (!(cause instanceof SecretFault)) throw cause;
    const detail =
      'The secret of the signature is encrypted with another key. Set deploy_hook_signature of the schedule to null, then set it again.';
    throw new AppError('conflict', detail, { cause });
  }
}

/**
 * Netlify signs a JSON Web Token with HS256. The token's header is not read: a signature with another algorithm does not match.
 */
function isSignedByNetlify({ headers, body }: HookCall, secret: string): boolean {
  const [head = '', claims = '', signature = '', ...rest] = header(headers, 'x-webhook-signature').split('.');
  const expected = hmac('sha256', secret, `${head}.${claims}`).toString('base64url');
  if (rest.length > 0 || !isEqual(signature, expected)) return false;
  const { iss: issuer, sha256: hash } = parsed(Buffer.from(claims, 'base64url').toString());
  return issuer === 'netlify' && isEqual(String(hash), createHash('sha256').update(body).digest('hex'));
}

/** Standard Webhooks: a list of signatures of id, time and body. Symmetric ones begin with `v1,`. */
function isSignedAsStandard({ headers, body }: HookCall, secret: string, now: Date): boolean {
  const [id, time] = [header(headers, 'webhook-id'), header(headers, 'webhook-timestamp')];
  if (!/^\d{1,12}$/.test(time) || Math.abs(now.getTime() / 1_000 - Number(time)) > toleranceSeconds) return false;
  const expected = webhookSignature(secret, { id, timestamp: time, body });
  return header(headers, 'webhook-signature')
    .split(' ')
    .slice(0, signaturesMax)
    .some((signature) => isEqual(signature, expected));
}

/** Returns the id of a signed call, which repetitions share; null if the scheme signs no id. */
export function messageIdOf(scheme: HookSignature, { headers }: HookCall): string | null {
  return scheme === 'standard' ? header(headers, 'webhook-id') : null;
}

/** A sender that changes its secret signs with both the old and the new secret. */
const signaturesMax = 10;

/** Whether a signed call reports that nothing has been deployed: GitHub's ping, and all states of a deployment except success. */
export function isBeforeDeployment(scheme: HookSignature, { headers, body }: HookCall): boolean {
  if (scheme !== 'github') return false;
  const event = header(headers, 'x-github-event');
  if (event === 'ping') return true;
  if (event !== 'deployment_status') return false;
  const { deployment_status: status } = parsed(Buffer.from(body).toString());
  const { state = 'success' } = isObject(status) ? status : {};
  return state !== 'success';
}

/** Returns a new secret for a scheme; null if the sender creates it. */
export function newSigningSecret(scheme: HookSignature): string | null {
  if (scheme === 'vercel') return null;
  return scheme === 'standard' ? newWebhookSecret() : newSecret();
}

/** Returns the problem with a secret that the sender created; null if there is none. */
export function signingSecretProblem(scheme: HookSignature, secret: string): string | null {
  if (scheme !== 'standard')
    return /^[\x21-\x7e]{16,255}$/.test(secret) ? null : 'must have 16 to 255 visible ASCII characters';
  return /^(whsec_)?[A-Za-z0-9+/]{32,88}={0,2}$/.test(secret)
    ? null
    : 'must be whsec_ followed by 24 to 64 bytes in base64';
}

function header(headers: HookCall['headers'], name: string): string {
  return [headers[name] ?? ''].flat().join(',');
}

function hmac(hash: 'sha1' | 'sha256', secret: string, content: string | Uint8Array): Buffer {
  return createHmac(hash, secret).update(content).digest();
}

/** Compares hashes of both, which have the same length, so that the time reveals nothing about the expected text. */
function isEqual(given: string, expected: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}

/** Returns the members of a JSON object; none if it is anything else. */
function parsed(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
