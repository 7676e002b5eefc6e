import { API, createClient, type Fetch } from 'sitewarden-client';
import { errorOf, OfflineError } from 'sitewarden-client/errors';
import { isUnattended } from './presence.ts';

export type { Item, List, Query } from 'sitewarden-client';

/** The secret in the URL of a share link; null on all other screens. Requests send it instead of the session. */
export function shareSecret(): string | null {
  return /^\/(?:share|latest)\/([^/]+)/.exec(location.pathname)?.[1] ?? null;
}

/** Headers that identify the reader: the share secret, if there is one; otherwise, the browser sends the session cookie. */
export function credentials(): Record<string, string> {
  const secret = shareSecret();
  return secret === null ? {} : { authorization: `Bearer ${secret}` };
}

/** Browsers that ask where to save a file don't read it until the user has chosen. */
const SAVED_AFTER_MS = 600_000;

/**
 * Downloads a file with a share secret, which a link cannot send, and saves it under the name that the service gives it.
 * @throws ApiError if the service refuses the request; OfflineError if it does not respond or the connection breaks
 */
export async function download(path: string): Promise<void> {
  const response = await send(API + path, { headers: credentials() });
  const content = await response.blob().catch((cause: unknown) => {
    throw new OfflineError({ cause });
  });
  const [, name = ''] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  const href = URL.createObjectURL(content);
  Object.assign(document.createElement('a'), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), SAVED_AFTER_MS);
}

/** Marks a request that no user action caused, so that it does not keep the session alive. */
export const UNATTENDED = { 'sitewarden-unattended': '?1' } as const;

const signedOutListeners = new Set<() => void>();

/** Calls the listener when the service refuses a request because the session has ended. Returns a function that removes it. */
export function onSignedOut(listener: () => void): () => void {
  signedOutListeners.add(listener);
  return () => signedOutListeners.delete(listener);
}

/** Notes that the service refused a request because the session has ended. */
export function noteSignedOut(): void {
  for (const listener of signedOutListeners) listener();
}

const backListeners = new Set<() => void>();
let isAway = false;

/** Calls the listener when the service responds again. Returns a function that removes it. */
export function onBack(listener: () => void): () => void {
  backListeners.add(listener);
  return () => backListeners.delete(listener);
}

function noteAway(isNowAway: boolean): void {
  const isBack = isAway && !isNowAway;
  isAway = isNowAway;
  if (isBack) for (const listener of backListeners) listener();
}

/**
 * Sends a request to the service.
 * @throws ApiError if the service refuses the request; OfflineError if it does not respond
 */
export const send: Fetch = async (url, init) => {
  const headers = { ...init.headers, ...(isUnattended() && UNATTENDED) };
  const response = await fetch(url, { ...init, headers }).catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    noteAway(true);
    throw new OfflineError({ cause });
  });
  noteAway(false);
  if (response.ok) return response;
  const error = await errorOf(response);
  if (error.code === 'unauthorized') noteSignedOut();
  throw error;
};

const client = createClient({ url: '', headers: credentials, fetch: send });

/** Paths are relative to `/api/v1`. Methods throw ApiError if the request fails, and OfflineError if there is no response. */
export const { read, readAll, readList, create, change, remove } = client;

/** Returns the id of the site that something belongs to. */
export function siteIdOf({ related }: { readonly related: { readonly site?: string } }): string | undefined {
  return related.site?.split('/').at(-1);
}
