import { createHmac, randomBytes } from 'node:crypto';

/** Secrets and signatures of the Standard Webhooks specification 1.0. */

/** As many bytes as the signature has: the specification allows 24 to 64. */
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

export function newWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * Returns the signature of a message, `v1,` and Base64.
 * @param secret Base64, with or without its prefix
 * @param message the values of `webhook-id` and `webhook-timestamp`, and the body as sent
 */
export function webhookSignature(
  secret: string,
  { id, timestamp, body }: { readonly id: string; readonly timestamp: string; readonly body: string | Uint8Array },
): string {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}
