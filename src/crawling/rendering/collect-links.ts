/** The limits of `collectInPage`, handed into the page with it. */
export interface CollectLimits {
  /** Different links. */
  readonly hrefsMax: number;
  readonly hrefMaxCharacters: number;
  readonly allMaxCharacters: number;
  readonly framesMax: number;
  readonly titleMaxCharacters: number;
}

/** What a page holds, before any URL is resolved. */
export interface CollectedPage {
  /** Links in document order, each once, those that follow each other in one document together. */
  readonly runs: readonly { readonly base: string; readonly hrefs: readonly string[] }[];
  /** Of `<link rel="canonical">` in the head, and what they are resolved against. */
  readonly canonicals: readonly string[];
  readonly base: string;
  readonly title: string;
  /** How many links lead to a route behind `#`. */
  readonly hashRoutes: number;
}

/** The parts of the page's world that `collectInPage` touches; this file is not checked against a browser's types. */
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
 * The links of the document, of the open shadow roots in it and of the frames whose documents are of the same origin, at
 * the places of their hosts. Which elements are links is as in `src/spider/extract-links.ts`.
 *
 * Runs in the page, in a world of its own, and so stands alone. Properties are read through their prototypes, because
 * names in the document hide those of the document itself and of forms. Gives JSON, which leaves a page fastest.
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
    // Pages are full of links to places in one page: cut, they are one.
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
