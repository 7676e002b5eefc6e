import type { contentStart, PageElement, startTag } from '../../answers/page-element.ts';

/** Runs in the page, so it refers to nothing outside of itself. */

/** The browser's types that are used here: this file is compiled without the DOM library. */
export interface DomElement {
  readonly localName: string;
  getAttributeNames(): string[];
  getAttribute(name: string): string | null;
  readonly parentElement: DomElement | null;
  readonly children: Iterable<DomElement>;
}
interface DomNode extends DomElement {
  readonly nodeType: number;
  readonly data: string;
  readonly firstChild: DomNode | null;
  readonly nextSibling: DomNode | null;
}

export interface ElementList {
  /** The elements that were added, with their ancestors: each once, parents first. */
  readonly elements: readonly PageElement[];
  /** Adds an element of the document. Returns its position in the list. */
  add(element: DomElement): number;
}

/** @param all all elements of the document */
export function listElements(
  all: Iterable<DomElement>,
  tools: { readonly startTag: typeof startTag; readonly contentStart: typeof contentStart },
): ElementList {
  const keys = new Map<DomElement, string>();
  const tags = new Map<DomElement, string[]>();
  const equals = new Map<string, number>();
  const withId = new Map<string, number>();
  const count = (counts: Map<string, number>, key: string): number => {
    const next = (counts.get(key) ?? 0) + 1;
    counts.set(key, next);
    return next;
  };
  for (const element of all) {
    // Not `attributes`, for which the browser makes an object each.
    const tag = tools.startTag(element.localName, element.getAttributeNames(), (name) => element.getAttribute(name));
    const key = tag.join('\n');
    tags.set(element, tag);
    keys.set(element, key);
    count(equals, key);
    const id = idIn(tag);
    if (id !== null) count(withId, id);
  }
  const elements: PageElement[] = [];
  const positions = new Map<DomElement, number>();
  const families = new Map<DomElement, ReturnType<typeof familyOf>>();

  function idIn(tag: readonly string[]): string | null {
    for (let at = 1; at < tag.length; at += 2) if (tag[at] === 'id') return tag[at + 1] || null;
    return null;
  }

  /** Indexes the children of an element by name and by start tag. */
  function familyOf(parent: DomElement) {
    const names = new Map<string, number>();
    const equal = new Map<string, number>();
    const indexes = new Map<DomElement, readonly [named: number, equal: number]>();
    for (const child of parent.children) {
      const key = keys.get(child) ?? '';
      indexes.set(child, [count(names, child.localName) - 1, count(equal, key) - 1]);
    }
    return { names, equal, indexes };
  }

  function read(node: DomNode, childrenMax: number) {
    if (node.nodeType === 3) return { name: null, text: node.data, children: [] };
    const name = node.localName;
    const reference = name === 'a' ? 'href' : name === 'img' ? 'src' : null;
    const children: DomNode[] = [];
    for (let child = node.firstChild; child !== null && children.length < childrenMax; child = child.nextSibling) {
      if (child.nodeType === 1 || child.nodeType === 3) children.push(child);
    }
    return { name, text: reference === null ? '' : (node.getAttribute(reference) ?? ''), children: children.reverse() };
  }

  function add(element: DomElement): number {
    // From the outermost ancestor that is not in the list yet. Not recursive: pages are nested deeply.
    const chain: DomElement[] = [];
    let next: DomElement | null = element;
    for (; next !== null && !positions.has(next); next = next.parentElement) chain.push(next);
    for (const member of chain.reverse()) {
      positions.set(member, elements.length);
      elements.push(describe(member));
    }
    return positions.get(element) ?? -1;
  }

  function describe(element: DomElement): PageElement {
    const parent = element.parentElement;
    const key = keys.get(element) ?? '';
    const tag = tags.get(element) ?? [];
    const family = parent === null ? null : (families.get(parent) ?? familyOf(parent));
    if (parent !== null && family !== null) families.set(parent, family);
    const [named, equal] = family?.indexes.get(element) ?? [0, 0];
    return {
      parent: parent === null ? -1 : (positions.get(parent) ?? -1),
      tag,
      equals: equals.get(key) ?? 0,
      withId: withId.get(idIn(tag) ?? '') ?? 0,
      named: [named, family?.names.get(element.localName) ?? 1],
      equal: [equal, family?.equal.get(key) ?? 1],
      content: tools.contentStart(element as DomNode, read),
    };
  }

  return { elements, add };
}
