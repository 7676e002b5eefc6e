/** One error of a response, as in the reference of the API. */
export interface ErrorItem {
  readonly code: string;
  readonly detail: string;
  /** The attribute that is wrong, such as `starting_url`; null if the error is of the whole request. */
  readonly field: string | null;
  /** For people who look into the log of the service. */
  readonly id: string | null;
}

/** The service refused a request. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly items: readonly ErrorItem[];
  /** When to try again, in seconds; null if the service does not say. */
  readonly retryAfterSeconds: number | null;

  constructor(status: number, items: readonly ErrorItem[], retryAfterSeconds: number | null = null) {
    super(items.map(({ detail }) => detail).join(' '));
    this.status = status;
    this.items = items;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  get code(): string {
    return this.items[0]?.code ?? 'internal';
  }
}

/** The service did not respond. */
export class OfflineError extends Error {
  override readonly name = 'OfflineError';

  constructor(options?: ErrorOptions) {
    super('The service does not respond.', options);
  }
}

interface ErrorDocument {
  readonly errors?: readonly {
    readonly code?: string;
    readonly detail?: string;
    readonly title?: string;
    readonly id?: string;
    readonly source?: { readonly pointer?: string };
  }[];
}

/**
 * Reads the document of a response that is a success.
 * @throws ApiError invalid_response if it has none, as from a page to sign in that a proxy puts in front of the service
 */
export async function documentOf(response: Response): Promise<object> {
  const document: unknown = parsed(await textOf(response));
  if (typeof document === 'object' && document !== null && 'data' in document && isData(document.data)) return document;
  const detail = `The response with status ${response.status} is not from this API. Check the address of the service.`;
  throw new ApiError(response.status, [{ code: 'invalid_response', detail, field: null, id: null }]);
}

/** Whether it is a resource, or a list of resources. */
function isData(data: unknown): boolean {
  return [data].flat().every((item) => typeof item === 'object' && item !== null && 'attributes' in item);
}

/** @throws OfflineError if the response ends early */
function textOf(response: Response): Promise<string> {
  return response.text().catch((cause: unknown) => {
    if (cause instanceof Error && cause.name === 'AbortError') throw cause;
    throw new OfflineError({ cause });
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Reads the errors of a response that is not a success. Proxies respond without a document of the API. */
export async function errorOf(response: Response): Promise<ApiError> {
  const document = (await response.json().catch(() => null)) as ErrorDocument | null;
  const errors = Array.isArray(document?.errors) && document.errors.length > 0 ? document.errors : undefined;
  const items = errors?.map(({ code, detail, title, id, source }) => ({
    code: code ?? 'internal',
    detail: detail ?? title ?? '',
    // Requests of /auth have flat bodies, and a bulk update has attributes of its sites and of their schedules.
    field: /^(?:\/data\/attributes)?(?:\/(?:change|schedule))?\/([^/]+)/.exec(source?.pointer ?? '')?.[1] ?? null,
    id: id ?? null,
  }));
  const retryAfter = /^\d{1,6}$/.exec(response.headers.get('retry-after') ?? '')?.[0];
  return new ApiError(
    response.status,
    items ?? [{ code: 'internal', detail: `The service returned ${response.status}.`, field: null, id: null }],
    retryAfter === undefined ? null : Number(retryAfter),
  );
}

/** Whether the service refused something because credits are missing. */
export function isShortOfCredits(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'credits_exhausted';
}

export function isStatus(error: unknown, ...statuses: readonly number[]): boolean {
  return error instanceof ApiError && statuses.includes(error.status);
}
