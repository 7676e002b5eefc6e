import { stringifySearch } from '../lib/search.ts';
import { errorOf, OfflineError } from './errors.ts';
import { isUnattended } from './presence.ts';
import type { Attributes, ListMeta, Relationships } from './schema.ts';

export type ResourceType = keyof Attributes;

/** A resource with its attributes, and the paths of what it is related to. */
export type Item<Type extends ResourceType> = Attributes[Type] & {
  readonly type: Type;
  readonly id: string;
  readonly related: Readonly<Partial<Record<Relationships[Type], string>>>;
};

/** A page of a list. */
export interface List<Type extends ResourceType> {
  readonly items: readonly Item<Type>[];
  /** Number of items in the whole list. */
  readonly total: number;
  readonly pages: number;
  readonly page: number;
  readonly meta: Type extends keyof ListMeta ? ListMeta[Type] : object;
}

/** Parameters of a query. Those without a value are not sent. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A resource as the service sends it. */
export interface ResourceDocument {
  readonly data: Resource;
}

interface Resource {
  readonly type: string;
  readonly id: string;
  readonly attributes: object;
  readonly relationships?: Readonly<Record<string, { readonly links: { readonly related: string } }>>;
}

interface ListDocument {
  readonly data: readonly Resource[];
  readonly meta: { readonly total: number; readonly page: { readonly number: number; readonly pages: number } };
}

export const API = '/api/v1';

/** The secret in the URL of a shared report; null on all other screens. It takes the place of the session. */
export function shareSecret(): string | null {
  return /^\/share\/([^/]+)/.exec(location.pathname)?.[1] ?? null;
}

/** Headers that identify the reader: a share secret if there is one; else the browser sends the cookie of the session. */
export function credentials(): Record<string, string> {
  const secret = shareSecret();
  return secret === null ? {} : { authorization: `Bearer ${secret}` };
}

/**
 * Reads one resource.
 * @throws ApiError if the service refuses; OfflineError if it does not answer
 */
export async function read<Type extends ResourceType>(
  path: string,
  { query = {}, signal }: { readonly query?: Query; readonly signal?: AbortSignal } = {},
): Promise<Item<Type>> {
  const document = await request<ResourceDocument>('GET', path + queryOf(query), { signal });
  return itemOf(document.data);
}

/**
 * Reads a page of a list.
 * @throws ApiError if the service refuses; OfflineError if it does not answer
 */
export async function readList<Type extends ResourceType>(
  path: string,
  { query = {}, signal }: { readonly query?: Query; readonly signal?: AbortSignal } = {},
): Promise<List<Type>> {
  const { data, meta } = await request<ListDocument>('GET', path + queryOf(query), { signal });
  return {
    items: data.map((resource) => itemOf<Type>(resource)),
    total: meta.total,
    pages: meta.page.pages,
    page: meta.page.number,
    meta: meta as unknown as List<Type>['meta'],
  };
}

/**
 * Creates a resource. A repetition with the same key creates nothing and returns the same answer.
 * @throws ApiError if the service refuses; OfflineError if it does not answer
 */
export async function create<Type extends ResourceType>(
  path: string,
  attributes: object = {},
  key: string = randomKey(),
): Promise<Item<Type>> {
  const body = { data: { attributes } };
  const document = await request<ResourceDocument>('POST', path, { body, key });
  return itemOf(document.data);
}

/**
 * Changes attributes of a resource.
 * @throws ApiError if the service refuses; OfflineError if it does not answer
 */
export async function change<Type extends ResourceType>(path: string, attributes: object): Promise<Item<Type>> {
  const document = await request<ResourceDocument>('PATCH', path, { body: { data: { attributes } } });
  return itemOf(document.data);
}

/**
 * Deletes a resource.
 * @throws ApiError if the service refuses; OfflineError if it does not answer
 */
export async function remove(path: string): Promise<void> {
  await request('DELETE', path, {});
}

/** Returns a new key for a request that creates something. `crypto.randomUUID` exists only over HTTPS and on loopback. */
export function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A browser that asks where to save a file reads it only then. */
const SAVED_AFTER_MS = 600_000;

/**
 * Reads a file with a share secret, which a link cannot send, and saves it under the name that the service gives it.
 * @throws ApiError if the service refuses; OfflineError if it does not answer, or breaks off
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

async function request<Document>(
  method: string,
  path: string,
  { body, key, signal }: { readonly body?: object; readonly key?: string; readonly signal?: AbortSignal | undefined },
): Promise<Document> {
  const response = await send(API + path, {
    method,
    headers: {
      ...credentials(),
      ...(body !== undefined && { 'content-type': 'application/vnd.api+json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
  return response.status === 204 ? (undefined as Document) : response.json();
}

/** Says that a request is not made by a person, and does not keep the session alive. */
export const UNATTENDED = { 'sitewarden-unattended': '?1' } as const;

const signedOutListeners = new Set<() => void>();

/** Calls the listener when the service refuses a request because the session has ended. Returns a function that ends this. */
export function onSignedOut(listener: () => void): () => void {
  signedOutListeners.add(listener);
  return () => signedOutListeners.delete(listener);
}

/**
 * Sends a request to the service.
 * @throws ApiError if the service refuses; OfflineError if it does not answer
 */
export async function send(
  url: string,
  init: RequestInit & { readonly headers?: Readonly<Record<string, string>> },
): Promise<Response> {
  const headers = { ...init.headers, ...(isUnattended() && UNATTENDED) };
  const response = await fetch(url, { ...init, headers }).catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new OfflineError({ cause });
  });
  if (response.ok) return response;
  const error = await errorOf(response);
  if (error.code === 'unauthorized') for (const listener of signedOutListeners) listener();
  throw error;
}

function queryOf(query: Query): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  return stringifySearch(Object.fromEntries(pairs.map(([name, value]) => [name, String(value)])));
}

/** Puts attributes and paths of relationships side by side. */
export function itemOf<Type extends ResourceType>({ type, id, attributes, relationships = {} }: Resource): Item<Type> {
  const related = Object.entries(relationships).map(([name, { links }]) => [name, pathInApi(links.related)]);
  return { ...attributes, type, id, related: Object.fromEntries(related) } as unknown as Item<Type>;
}

/** The service may be known under another address than the one that the browser uses. */
function pathInApi(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname.slice(pathname.indexOf(API) + API.length) + search;
}
