import { changesPerPageMax, changesPerPlaceMax } from './limits.ts';

/** The parts of the page's world that the functions below touch; this file is not checked against a browser's types. */
interface PageNode {
  readonly shadowRoot?: PageNode | null;
}
interface PageObserver {
  observe(root: PageNode, options: object): void;
  disconnect(): void;
}
interface PagePrototype<Methods> {
  readonly prototype: Methods;
}
type Select = (this: PageNode, selector: string) => Iterable<PageNode>;
declare const document: PageNode;
declare const MutationObserver: new (
  callback: (records: readonly { readonly target: PageNode }[]) => void,
) => PageObserver;
declare const Element: PagePrototype<object>;
declare const Document: PagePrototype<{ readonly querySelectorAll: Select }>;
declare const DocumentFragment: typeof Document;
/** What has changed how often, kept in our world of the document. */
declare const self: { changes?: { readonly at: WeakMap<PageNode, number>; all: number } };

/**
 * An expression that resolves when nothing in the document has changed for `quietMs`, after `limitMs` at the latest: with
 * whether anything has changed. Changes of a place that changes again and again, such as a clock, do not count.
 */
export function untilQuiet(quietMs: number, limitMs: number): string {
  return `(${quietInPage.toString()})(${quietMs}, ${limitMs}, ${changesPerPlaceMax}, ${changesPerPageMax})`;
}

/**
 * Runs in the page, and so stands alone. Its timer runs in the page's own thread: on a slow machine it is late just as the
 * page's timers are, and what the page has put on for an earlier time comes first. Properties are read through their
 * prototypes, because names in the document hide those of the document itself and of forms.
 */
function quietInPage(quietMs: number, limitMs: number, perPlaceMax: number, perPageMax: number): Promise<boolean> {
  const shadowRootOf: ((this: PageNode) => PageNode | null) | undefined = Object.getOwnPropertyDescriptor(
    Element.prototype,
    'shadowRoot',
  )?.get;
  const options = { subtree: true, childList: true, attributes: true, characterData: true };
  self.changes ??= { at: new WeakMap(), all: 0 };
  const { changes } = self;
  const watched = new Set<PageNode>();
  let hasChanged = false;
  let timer: ReturnType<typeof setTimeout>;
  const { promise, resolve } = Promise.withResolvers<boolean>();

  const observer = new MutationObserver((records) => {
    let counts = false;
    for (const place of new Set(records.map(({ target }) => target))) {
      const times = (changes.at.get(place) ?? 0) + 1;
      changes.at.set(place, times);
      counts ||= times <= perPlaceMax;
    }
    if (!counts || changes.all >= perPageMax) return;
    changes.all += 1;
    hasChanged = true;
    begin();
  });
  const end = (): void => {
    observer.disconnect();
    resolve(hasChanged);
  };
  /** Observers do not look into shadow roots, nor learn of new ones. */
  function watch(root: PageNode, select: Select): void {
    watched.add(root);
    observer.observe(root, options);
    for (const element of select.call(root, '*')) {
      const shadowRoot = shadowRootOf?.call(element) ?? null;
      if (shadowRoot !== null && !watched.has(shadowRoot))
        watch(shadowRoot, DocumentFragment.prototype.querySelectorAll);
    }
  }
  function watchAll(): void {
    for (const root of [...watched]) {
      watch(
        root,
        root === document ? Document.prototype.querySelectorAll : DocumentFragment.prototype.querySelectorAll,
      );
    }
  }
  function begin(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const known = watched.size;
      watchAll();
      if (watched.size === known) return end();
      hasChanged = true;
      begin();
    }, quietMs);
  }
  watched.add(document);
  watchAll();
  begin();
  setTimeout(() => {
    hasChanged = true;
    clearTimeout(timer);
    end();
  }, limitMs);
  return promise;
}
