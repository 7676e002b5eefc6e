/** A response that a page used while it was shown. */
export interface LoadedResource {
  readonly url: string;
  /** As the browser names it, such as `stylesheet`. */
  readonly type: string;
  readonly status: number;
  /** The headers that affect how browsers use the response. */
  readonly headers: Readonly<Record<string, string>>;
  /** The headers that request it only if it has changed; empty if it has no reliable validator. */
  readonly conditions: Readonly<Record<string, string>>;
  /** The SHA-256 of its content; empty if the content has no effect, as in a redirect; null if it is not known. */
  readonly content: string | null;
}

/** What a page loaded while it was shown. */
export interface LoadedResources {
  /** In the order of their URLs, each once. */
  readonly resources: readonly LoadedResource[];
  /** Whether scripts could change the page. */
  readonly isScripted: boolean;
}

/** Whether two responses are the same to pages: they have the same content, or, if that is not known, the same validator. */
export function isSameResource(one: LoadedResource, other: LoadedResource): boolean {
  if (one.url !== other.url || one.type !== other.type || one.status !== other.status) return false;
  if (!hasSameEntries(one.headers, other.headers)) return false;
  if (one.content !== null && other.content !== null) return one.content === other.content;
  return hasSameValidator(one, other);
}

/** Whether two responses certainly are the same version of a resource. */
export function hasSameValidator(
  { conditions }: Pick<LoadedResource, 'conditions'>,
  other: Pick<LoadedResource, 'conditions'>,
): boolean {
  const name = 'if-none-match' in conditions ? 'if-none-match' : 'if-modified-since';
  return conditions[name] !== undefined && conditions[name] === other.conditions[name];
}

function hasSameEntries(one: LoadedResource['headers'], other: LoadedResource['headers']): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/** Whether two lists have the same resources. */
export function areSameResources(some: readonly LoadedResource[], others: readonly LoadedResource[]): boolean {
  return (
    some.length === others.length &&
    some.every((one, index) => {
      const other = others[index];
      return other !== undefined && isSameResource(one, other);
    })
  );
}
