import { changesPerNodeMax, changesPerPageMax } from './limits.ts';

/** Expressions and functions that run in the page, so they refer to nothing outside themselves. */

/** The browser's types that the functions below use: this file is compiled without the DOM library. */
interface PageNode {
  readonly shadowRoot?: PageNode | null;
}
interface PageObserver {
  observe(root: PageNode, options: object): void;
  disconnect(): void;
}
type Method<Result, Argument> = (this: PageNode, argument: Argument) => Result;
type SelectAll = Method<Iterable<PageNode>, string>;
declare const document: PageNode & {
  readonly readyState: string;
  readonly fonts: { readonly ready: Promise<unknown> };
};
declare function requestAnimationFrame(callback: () => void): void;
declare const XPathResult: { readonly BOOLEAN_TYPE: number };
declare const Document: {
  readonly prototype: {
    readonly querySelector: Method<PageNode | null, string>;
    readonly querySelectorAll: SelectAll;
    readonly evaluate: (
      this: PageNode,
      expression: string,
      root: PageNode,
      resolver: null,
      type: number,
      result: null,
    ) => { readonly booleanValue: boolean };
  };
};
declare const DocumentFragment: typeof Document;
declare const Element: { readonly prototype: { readonly checkVisibility: (this: PageNode) => boolean } };
declare const Node: { readonly prototype: object };
declare const MutationObserver: new (
  callback: (records: readonly { readonly target: PageNode }[]) => void,
) => PageObserver;
/** How many times each node has changed, kept in the isolated world of the document. */
declare const self: { changes?: { readonly byNode: WeakMap<PageNode, number>; all: number } };

/**
 * Returns an expression that waits for fonts and two frames, for at most `limitMs`, and resolves with `document.readyState`.
 * @param evenIfLoading whether to wait even if the document is still loading
 */
export function untilDrawn(limitMs: number, evenIfLoading: boolean): string {
  return `(${drawInPage.toString()})(${limitMs}, ${evenIfLoading})`;
}

async function drawInPage(limitMs: number, evenIfLoading: boolean): Promise<string> {
  if (document.readyState === 'loading' && !evenIfLoading) return 'loading';
  const nextFrame = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(resolve));
  const drawn = async (): Promise<void> => {
    await document.fonts.ready;
    await nextFrame();
    await nextFrame();
  };
  await Promise.race([drawn(), new Promise((resolve) => setTimeout(resolve, limitMs))]);
  return document.readyState;
}

/** Evaluates to whether a document contains scripts or attributes such as `onload`. */
export const HAS_SCRIPTS = `(${scriptsInPage.toString()})()`;

function scriptsInPage(): boolean {
  const { querySelector, evaluate } = Document.prototype;
  const types = ':not([type]), [type=""], [type=module i], [type*=javascript i], [type*=ecmascript i]';
  if (querySelector.call(document, `script:is(${types})`) !== null) return true;
  const handlers = '//@*[starts-with(local-name(), "on")]';
  return evaluate.call(document, `boolean(${handlers})`, document, null, XPathResult.BOOLEAN_TYPE, null).booleanValue;
}

/** The interval at which a page is searched for the element. */
const ELEMENT_POLL_MS = 50;

/** Returns an expression that resolves with true once an element matches a selector, and with false after `limitMs`. */
export function untilElement(selector: string, limitMs: number): string {
  return `(${elementInPage.toString()})(${JSON.stringify(selector)}, ${limitMs}, ${ELEMENT_POLL_MS})`;
}

async function elementInPage(selector: string, limitMs: number, pollMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    try {
      if (Document.prototype.querySelector.call(document, selector) !== null) return true;
    } catch {
      // The browser does not support the selector.
      return false;
    }
    if (performance.now() >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** A page with fewer visible characters (such as "Loading, please wait") and no `CONTENT` is nearly empty. */
const TEXT_CHARACTERS_MIN = 20;
/** Elements that make a page more than a shell. Excludes SVG, because spinners are often SVG. */
const CONTENT =
  'h1, h2, h3, h4, h5, h6, img, picture, canvas, video, audio, iframe, object, embed, input, button, select, textarea, a[href]';

/** Evaluates to whether the document is nearly empty: hardly any text, and no heading, image, frame, control or link. */
export const IS_NEARLY_EMPTY = `(${emptinessInPage.toString()})(${JSON.stringify(CONTENT)}, ${TEXT_CHARACTERS_MIN})`;

function emptinessInPage(content: string, charactersMin: number): boolean {
  const { checkVisibility } = Element.prototype;
  const getter = <Value>(prototype: object, name: string): ((this: PageNode) => Value) | undefined =>
    Object.getOwnPropertyDescriptor(prototype, name)?.get;
  const shadowRootOf = getter<PageNode | null>(Element.prototype, 'shadowRoot');
  const childrenOf = getter<Iterable<PageNode>>(Node.prototype, 'childNodes');
  const typeOf = getter<number>(Node.prototype, 'nodeType');
  const textOf = getter<string>(Node.prototype, 'textContent');
  let characters = 0;

  /** Returns the length of an element's own text, without white space. */
  function lengthOf(element: PageNode): number {
    const texts = [...(childrenOf?.call(element) ?? [])].filter((node) => typeOf?.call(node) === 3);
    return texts.reduce((sum, text) => sum + (textOf?.call(text) ?? '').replace(/\s+/g, '').length, 0);
  }
  function showsContent(root: PageNode, select: SelectAll): boolean {
    for (const element of select.call(root, content)) if (checkVisibility.call(element)) return true;
    for (const element of select.call(root, '*')) {
      if (checkVisibility.call(element)) characters += lengthOf(element);
      if (characters >= charactersMin) return true;
      const shadowRoot = shadowRootOf?.call(element) ?? null;
      if (shadowRoot !== null && showsContent(shadowRoot, DocumentFragment.prototype.querySelectorAll)) return true;
    }
    return false;
  }
  return !showsContent(document, Document.prototype.querySelectorAll);
}

/**
 * Returns an expression that resolves once the document is no longer nearly empty, or after `limitMs`, with whether it is still
 * nearly empty.
 */
export function untilContent(limitMs: number): string {
  return `(${contentInPage.toString()})(() => ${IS_NEARLY_EMPTY}, ${limitMs}, ${ELEMENT_POLL_MS})`;
}

async function contentInPage(isNearlyEmpty: () => boolean, limitMs: number, pollMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (isNearlyEmpty()) {
    if (performance.now() >= deadline) return true;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return false;
}

/**
 * Returns an expression that resolves when the document has not changed for `quietMs`, or after `limitMs`, with whether it has
 * changed. Nodes that change repeatedly, such as a clock, do not count.
 */
export function untilQuiet(quietMs: number, limitMs: number): string {
  return `(${quietInPage.toString()})(${quietMs}, ${limitMs}, ${changesPerNodeMax}, ${changesPerPageMax})`;
}

/**
 * The timer runs in the page's thread: on a slow machine, it is as late as the page's timers, and earlier timers of the page run
 * first. Properties are read through their prototypes, because names in the document can hide the properties of the document
 * itself and of forms.
 */
function quietInPage(quietMs: number, limitMs: number, perNodeMax: number, perPageMax: number): Promise<boolean> {
  const shadowRootOf: ((this: PageNode) => PageNode | null) | undefined = Object.getOwnPropertyDescriptor(
    Element.prototype,
    'shadowRoot',
  )?.get;
  const options = { subtree: true, childList: true, attributes: true, characterData: true };
  self.changes ??= { byNode: new WeakMap(), all: 0 };
  const { changes } = self;
  const watched = new Set<PageNode>();
  let hasChanged = false;
  let timer: ReturnType<typeof setTimeout>;
  const { promise, resolve } = Promise.withResolvers<boolean>();

  const observer = new MutationObserver((records) => {
    let counts = false;
    for (const node of new Set(records.map(({ target }) => target))) {
      const times = (changes.byNode.get(node) ?? 0) + 1;
      changes.byNode.set(node, times);
      counts ||= times <= perNodeMax;
    }
    if (!counts || changes.all >= perPageMax) return;
    changes.all += 1;
    hasChanged = true;
    restartTimer();
  });
  const end = (): void => {
    observer.disconnect();
    resolve(hasChanged);
  };
  /** Observers do not report changes in shadow roots. */
  function watch(root: PageNode, select: SelectAll): void {
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
  function restartTimer(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const known = watched.size;
      watchAll();
      if (watched.size === known) return end();
      hasChanged = true;
      restartTimer();
    }, quietMs);
  }
  watched.add(document);
  watchAll();
  restartTimer();
  setTimeout(() => {
    hasChanged = true;
    clearTimeout(timer);
    end();
  }, limitMs);
  return promise;
}
