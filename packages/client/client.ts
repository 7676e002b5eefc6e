import { type ApiError, documentOf, errorOf, isStatus, OfflineError } from './errors.ts';
import { askedWaitMs, passesInMs, patiently, pause } from './patience.ts';
import type { Attributes, ChangedAttributes, ListMeta, NewAttributes, Relationships } from './schema.ts';

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
  /** The path of the next page; null on the last one. */
  readonly next: string | null;
  readonly meta: Type extends keyof ListMeta ? ListMeta[Type] : object;
}

/** What a request that creates a resource may say; anything for types that are created without attributes. */
export type New<Type extends ResourceType> = Type extends keyof NewAttributes ? NewAttributes[Type] : object;
/** What a request that changes a resource may say. */
export type Changed<Type extends ResourceType> = Type extends keyof ChangedAttributes
  ? ChangedAttributes[Type]
  : object;

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
  /** Other services with this API may have relationships without links. */
  readonly relationships?: Readonly<Record<string, { readonly links?: { readonly related?: string } }>> | null;
}

interface ListDocument {
  readonly data: readonly Resource[];
  readonly links?: { readonly next?: string | null };
  /** Other services with this API may leave it out. */
  readonly meta?: { readonly total: number; readonly page: { readonly number: number; readonly pages: number } };
}

export const API = '/api/v1';

/** Sends a request, like the global `fetch`. */
export type Fetch = (
  url: string,
  init: Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> },
) => Promise<Response>;

export interface ClientOptions {
  /** Where the service runs, such as `https://sitewarden.example`, with or without a `/` at the end. */
  readonly url: string;
  /** An API token, or the secret of a share link. */
  readonly token?: string;
  /** Default: the global `fetch`. It may itself throw `ApiError` and `OfflineError`. */
  readonly fetch?: Fetch;
  /** Further headers of every request, asked for before each. */
  headers?(): Readonly<Record<string, string>>;
  /**
   * How often a read is attempted while the service limits requests or fails for the moment (429, 502, 503, 504); half as often
   * if it returns 500 or no response, which tends to last. Default: 1.
   */
  readonly attempts?: number;
  /** Called before a read waits for another attempt. @param ms how long it waits */
  onWait?(ms: number, error: ApiError | OfflineError): void;
  /** Cancels all reads, and their waits, with its reason; requests that create, change or remove something are not cancelled. */
  readonly signal?: AbortSignal;
}

interface ReadOptions {
  readonly query?: Query;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Every function throws `ApiError` if the service refuses, and `OfflineError` if it does not respond. Paths are relative to
 * `/api/v1`.
 */
export interface Client {
  /** Reads one resource. */
  read<Type extends ResourceType>(path: string, options?: ReadOptions): Promise<Item<Type>>;
  /** Reads a page of a list. */
  readList<Type extends ResourceType>(path: string, options?: ReadOptions): Promise<List<Type>>;
  /** Reads a whole list, page by page as it is iterated. */
  readAll<Type extends ResourceType>(path: string, options?: ReadOptions): AsyncGenerator<Item<Type>, void>;
  /**
   * Creates a resource.
   * @param key a repetition with the same key creates nothing and returns the same response; null to send none
   */
  create<Type extends ResourceType>(path: string, attributes?: New<Type>, key?: string | null): Promise<Item<Type>>;
  /** Changes attributes of a resource. */
  change<Type extends ResourceType>(path: string, attributes: Changed<Type>): Promise<Item<Type>>;
  remove(path: string): Promise<void>;
  /**
   * Waits until a report has ended, and returns it. Waits as long as the service says when it limits requests.
   * @param options `everyMs` between requests, 2,000 by default
   */
  finished(
    reportId: string,
    options?: { readonly everyMs?: number; readonly signal?: AbortSignal },
  ): Promise<Item<'report'>>;
}

/** Creates a client of the API at an address. */
export function createClient({
  url,
  token,
  fetch: send = fetchOrThrow,
  headers = () => ({}),
  attempts = 1,
  onWait = () => undefined,
  signal: signalOfAll,
}: ClientOptions): Client {
  const address = url.replace(/\/$/, '') + API;
  const request = async <Document>(
    method: string,
    path: string,
    { body, key = null, signal }: { readonly body?: object; readonly key?: string | null } & ReadOptions,
  ): Promise<Document> => {
    signal?.throwIfAborted();
    const response = await send(address + path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers(),
        ...(body !== undefined && { 'content-type': 'application/vnd.api+json' }),
        ...(key !== null && { 'idempotency-key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
    if (!response.ok) throw await errorOf(response);
    return (response.status === 204 ? undefined : await documentOf(response)) as Document;
  };
  const get = <Document>(path: string, { query = {}, signal: signalOfRead }: ReadOptions): Promise<Document> => {
    const signal = eitherOf(signalOfAll, signalOfRead);
    return patiently(
      () => request<Document>('GET', path + queryOf(query), { signal }),
      (error, attempt) => {
        const waitMs = passesInMs(error, { attempt, attempts });
        if (waitMs !== null) onWait(waitMs, error as ApiError | OfflineError);
        return waitMs;
      },
      signal,
    );
  };
  const client: Client = {
    async read(path, options = {}) {
      return itemOf((await get<ResourceDocument>(path, options)).data);
    },
    async readList(path, options = {}) {
      return listOf(await get<ListDocument>(path, options));
    },
    async *readAll<Type extends ResourceType>(path: string, options: ReadOptions = {}) {
      let query: Query = { 'page[size]': PAGE_SIZE, ...options.query };
      const read = new Set<string>();
      // A service of this kind that links a page to itself would never end.
      for (let next: string | null = path; next !== null && !read.has(next); query = {}) {
        read.add(next);
        const list: List<Type> = await client.readList(next, { ...options, query });
        yield* list.items;
        next = list.next;
      }
    },
    async create(path, attributes, key = randomKey()) {
      const document = await request<ResourceDocument>('POST', path, {
        body: { data: { attributes: attributes ?? {} } },
        key,
      });
      return itemOf(document.data);
    },
    async change(path, attributes) {
      return itemOf((await request<ResourceDocument>('PATCH', path, { body: { data: { attributes } } })).data);
    },
    remove: (path) => request('DELETE', path, {}),
    async finished(reportId, { everyMs = 2_000, signal } = {}) {
      for (;;) {
        const report = await patiently(
          () => client.read<'report'>(`/reports/${reportId}`, { signal }),
          (error) => (isStatus(error, 429, 503) ? askedWaitMs(error) : null),
          signal,
        );
        if (report.status === 'finished' || report.status === 'failed') return report;
        await pause(everyMs, signal);
      }
    },
  };
  return client;
}

/** Items that a whole list is read by, the most that the service sends at a time. */
const PAGE_SIZE = 100;

const fetchOrThrow: Fetch = (url, init) =>
  fetch(url, init).catch((cause: unknown) => {
    if (init.signal?.aborted === true) throw cause;
    throw new OfflineError({ cause });
  });

/** Returns a new key for a request that creates something. `crypto.randomUUID` exists only over HTTPS and on loopback. */
export function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function eitherOf(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one === undefined || other === undefined ? (one ?? other) : AbortSignal.any([one, other]);
}

function queryOf(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  const text = new URLSearchParams(pairs).toString();
  return text === '' ? '' : `?${text}`;
}

function listOf<Type extends ResourceType>({ data, links = {}, meta }: ListDocument): List<Type> {
  return {
    items: [data].flat().map((resource) => itemOf<Type>(resource)),
    total: meta?.total ?? data.length,
    pages: meta?.page.pages ?? 1,
    page: meta?.page.number ?? 1,
    // Other services of this kind have null on the last page.
    next: links.next == null ? null : pathInApi(links.next),
    meta: (meta ?? {}) as unknown as List<Type>['meta'],
  };
}

/** Puts attributes and paths of relationships side by side. */
export function itemOf<Type extends ResourceType>({ type, id, attributes, relationships }: Resource): Item<Type> {
  const related = Object.entries(relationships ?? {}).flatMap(([name, relationship]) =>
    relationship?.links?.related == null ? [] : [[name, pathInApi(relationship.links.related)]],
  );
  return { ...attributes, type, id, related: Object.fromEntries(related) } as unknown as Item<Type>;
}

/** The service may return another address than the client uses, or none. */
function pathInApi(url: string): string {
  const { pathname, search } = new URL(url, 'http://127.0.0.1');
  return pathname.slice(pathname.indexOf(API) + API.length) + search;
}
