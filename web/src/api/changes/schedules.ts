import { type New, randomKey } from 'sitewarden-client';
import type { HookSignature } from '../../lib/hook-signatures.ts';
import { change, create, type Item, remove } from '../client.ts';

/**
 * Creates a schedule.
 * @param attributes those of `POST /schedules`, which the service checks
 * @param key makes a repetition after a lost answer create nothing
 */
export function createSchedule(attributes: object, key?: string): Promise<Item<'schedule'>> {
  return create<'schedule'>('/schedules', attributes as New<'schedule'>, key);
}

/** Changes some attributes of a schedule. */
export function changeSchedule(id: string, attributes: object): Promise<Item<'schedule'>> {
  return change<'schedule'>(`/schedules/${id}`, attributes);
}

/** Deletes a schedule. Its reports stay. */
export function deleteSchedule(id: string): Promise<void> {
  return remove(`/schedules/${id}`);
}

/** Starts a report of an active schedule now. */
export function runSchedule(id: string): Promise<Item<'report'>> {
  return create<'report'>(`/schedules/${id}/runs`);
}

/**
 * Demands that calls of the deploy hook are signed, from now on with this secret; null demands no signature. Without a secret, one
 * is made here, since the API makes none for a signature that is demanded already; Vercel makes its own.
 * @returns the secret that was made; null if it was given
 */
export async function signDeployHook(
  id: string,
  signature: HookSignature | null,
  secret: string,
): Promise<string | null> {
  const made = signature === null || signature === 'vercel' || secret !== '' ? null : newSecret(signature);
  const given = made ?? secret;
  await changeSchedule(id, {
    deploy_hook_signature: signature,
    deploy_hook_signing_secret: given === '' ? null : given,
  });
  return made;
}

/** Standard Webhooks prescribes the form of secrets. */
function newSecret(signature: HookSignature): string {
  return signature === 'standard' ? `whsec_${btoa(randomKey())}` : randomKey();
}
