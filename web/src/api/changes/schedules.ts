import { type New, randomKey } from 'sitewarden-client';
import type { HookSignature } from '../../lib/hook-signatures.ts';
import { change, create, type Item, remove } from '../client.ts';

/**
 * Creates a schedule.
 * @param attributes the attributes of `POST /schedules`, which the service validates
 * @param key prevents a second schedule if the request is repeated because the response was lost
 */
export function createSchedule(attributes: object, key?: string): Promise<Item<'schedule'>> {
  return create<'schedule'>('/schedules', attributes as New<'schedule'>, key);
}

/** Changes some attributes of a schedule. */
export function changeSchedule(id: string, attributes: object): Promise<Item<'schedule'>> {
  return change<'schedule'>(`/schedules/${id}`, attributes);
}

/** Deletes a schedule. Its reports are kept. */
export function deleteSchedule(id: string): Promise<void> {
  return remove(`/schedules/${id}`);
}

/** Starts a run of an active schedule. */
export function runSchedule(id: string): Promise<Item<'report'>> {
  return create<'report'>(`/schedules/${id}/runs`);
}

/**
 * Requires that calls to the deploy hook are signed with this secret; null requires no signature. Without a secret, this function
 * generates one, because the API generates none if a signature is already required. Vercel generates its own.
 * @returns the generated secret; null if one was given
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
