import { NOTIFICATION_EVENTS, WORSE_REASONS } from '../../domain/notifications.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { WantedChannel } from './desired.ts';

/** Returns an environment variable; undefined if it is not set. */
export type Variable = (name: string) => string | undefined;

/**
 * Reads a notification channel of the file, whose values are valid on their own.
 * @returns the channel, or a problem with the key that it is about
 */
export function readChannel(
  values: JsonObject,
  variable: Variable,
): { readonly channel: Omit<WantedChannel, 'place'> } | { readonly key: string; readonly problem: string } {
  const { name, kind, email, webhook_url_env: named, ...others } = values;
  const isEmail = kind === 'email';
  if (isEmail && named !== undefined)
    return { key: 'webhook_url_env', problem: 'webhook_url_env must be absent for the kind email.' };
  if (isEmail && email === undefined) return { key: 'kind', problem: 'The channel has no email.' };
  if (!isEmail && email !== undefined) return { key: 'email', problem: `email must be absent for the kind ${kind}.` };
  if (!isEmail && named === undefined)
    return { key: 'kind', problem: 'The channel has no webhook_url_env, the environment variable with its URL.' };
  const url = isEmail ? undefined : variable(String(named))?.trim();
  if (!isEmail && (url === undefined || url === ''))
    return { key: 'webhook_url_env', problem: `The environment variable ${named} with the URL is not set.` };
  const given = { ...others, name: String(name).trim(), ...(url !== undefined && { webhook_url: url }) };
  return {
    channel: {
      name: given.name,
      kind: String(kind),
      email: isEmail ? String(email).trim() : null,
      given,
      shown: {
        ...given,
        ...inOrder('events', NOTIFICATION_EVENTS, values),
        ...inOrder('worse_when', WORSE_REASONS, values),
      },
    },
  };
}

/** Returns words in the order in which the API shows them. */
function inOrder(name: string, words: readonly string[], values: JsonObject): JsonObject {
  const given = values[name];
  return Array.isArray(given) ? { [name]: words.filter((word) => given.includes(word)) } : {};
}
