/** A file that a page loaded while it was shown. */
export interface LoadedResource {
  readonly url: string;
  /** As the browser names it, such as `stylesheet`. */
  readonly type: string;
  /** The headers that request it only if it has changed. */
  readonly conditions: Readonly<Record<string, string>>;
}

/** What a page loaded while it was shown. */
export interface LoadedResources {
  /** In the order of their URLs, each once. */
  readonly resources: readonly LoadedResource[];
  /** Whether scripts could change the page. */
  readonly isScripted: boolean;
}
