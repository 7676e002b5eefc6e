/** The limits of `collectInPage`, passed into the page. */
export interface CollectLimits {
  /** Different links. */
  readonly hrefsMax: number;
  readonly hrefMaxCharacters: number;
  readonly allMaxCharacters: number;
  readonly framesMax: number;
  readonly titleMaxCharacters: number;
}

/** The contents of a page, before URLs are resolved. */
export interface CollectedPage {
  /** Links in document order, each once; consecutive links with the same base form a run. */
  readonly runs: readonly { readonly base: string; readonly hrefs: readonly string[] }[];
  /** The `<link rel="canonical">` in the head. They are resolved against `base`. */
  readonly canonicals: readonly string[];
  readonly base: string;
  readonly title: string;
  /** How many links lead to a route in the fragment. */
  readonly hashRoutes: number;
}

/** The parts of the DOM that `collectInPage` uses; this project does not include the browser's types. */
interface PageNode {
  readonly contentDocument?: PageNode | null;
}
type Getter<T> = ((this: PageNode) => T) | undefined;
interface PagePrototype<Methods> {
  readonly prototype: Methods;
}
declare const document: PageNode;
declare const Node: PagePrototype<object>;
declare const Element: PagePrototype<{ getAttribute(this: PageNode, name: string): string | null }>;
declare const Document: PagePrototype<{ querySelectorAll(this: PageNode, selector: string): Iterable<PageNode> }>;
declare const DocumentFragment: typeof Document;

/**
 * Collects the links of the document, of its open shadow roots and of its same-origin frames, in document order. Links are the
 * same elements as in `src/spider/extract-links.ts`.
 *
 * Runs in an isolated world of the page, so it must not refer to anything outside the function. Properties are read through
 * their prototypes, because named elements of the document hide properties of the document and of forms. Returns JSON, which
 * is the fastest way out of a page.
 */
export function collectInPage(limits: CollectLimits): string {
  const getter = <T>(prototype: object, name: string): Getter<T> =>
    Object.getOwnPropertyDescriptor(prototype, name)?.get;
  const nameOf = getter<string>(Element.prototype, 'localName');
  const shadowRootOf = getter<PageNode | null>(Element.prototype, 'shadowRoot');
  const baseUriOf = getter<string>(Node.prototype, 'baseURI');
  const titleOf = getter<string>(Document.prototype, 'title');
  const attribute = (element: PageNode, name: string): string | null =>
    Element.prototype.getAttribute.call(element, name);
  const baseOf = (owner: PageNode): string => {
    const base = baseUriOf?.call(owner) ?? '';
    return base.length <= limits.hrefMaxCharacters ? base : 'about:invalid';
  };

  const runs: { base: string; hrefs: string[] }[] = [];
  const known = new Set<string>();
  let characters = 0;
  let hashRoutes = 0;
  let frames = 0;

  function keep(base: string, href: string): void {
    // Many links differ only in their fragment.
    const target = href.split('#', 1)[0] ?? '';
    if (href.startsWith('#/', target.length) || href.startsWith('#!/', target.length)) hashRoutes += 1;
    const key = `${base}\n${target}`;
    if (target.length > limits.hrefMaxCharacters || known.size >= limits.hrefsMax || known.has(key)) return;
    characters += target.length;
    if (characters > limits.allMaxCharacters) return;
    known.add(key);
    const last = runs.at(-1);
    if (last?.base === base) last.hrefs.push(target);
    else runs.push({ base, hrefs: [target] });
  }

  function visit(root: PageNode, base: string, select: typeof Document.prototype.querySelectorAll): void {
    for (const element of select.call(root, '*')) {
      const name = nameOf?.call(element).toLowerCase();
      const href = name === 'a' || name === 'area' ? attribute(element, 'href') : null;
      if (href !== null) keep(base, href);
      const shadowRoot = shadowRootOf?.call(element) ?? null;
      if (shadowRoot !== null) visit(shadowRoot, base, DocumentFragment.prototype.querySelectorAll);
      if (name === 'iframe' || name === 'frame' || name === 'object') visitFrame(element);
    }
  }

  function visitFrame(element: PageNode): void {
    // Null for the document of another origin.
    const inner = element.contentDocument ?? null;
    if (inner === null || frames >= limits.framesMax) return;
    frames += 1;
    visit(inner, baseOf(inner), Document.prototype.querySelectorAll);
  }

  const base = baseOf(document);
  visit(document, base, Document.prototype.querySelectorAll);
  const canonicals: string[] = [];
  for (const link of Document.prototype.querySelectorAll.call(document, 'head link[rel][href]')) {
    const isCanonical = /(^|\s)canonical(\s|$)/i.test(attribute(link, 'rel') ?? '');
    const href = attribute(link, 'href') ?? '';
    if (isCanonical && canonicals.length < 10 && href.length <= limits.hrefMaxCharacters) canonicals.push(href);
  }
  const title = (titleOf?.call(document) ?? '').slice(0, limits.titleMaxCharacters);
  return JSON.stringify({ runs, canonicals, base, title, hashRoutes });
}
