import { contentStart, type PageElement, startTag } from '../../page-source/page-element.ts';

/** Functions that are serialized and run in the page, so they refer to nothing outside of themselves. */

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

/** The functions that `listElements` uses, which are passed into the page with it. */
interface Tools {
  readonly startTag: typeof startTag;
  readonly contentStart: typeof contentStart;
  readonly indexTags: typeof indexTags;
  readonly readNode: typeof readNode;
}

/** Reads the start tags of all elements of a document, and counts equal tags, and elements with the same id. */
function indexTags(all: Iterable<DomElement>, readTag: Tools['startTag']) {
  const tags = new Map<DomElement, { readonly tag: string[]; readonly key: string; readonly id: string }>();
  const equals = new Map<string, number>();
  const withId = new Map<string, number>();
  for (const element of all) {
    // Not `attributes`, because the browser would create an object for each attribute.
    const tag = readTag(element.localName, element.getAttributeNames(), (name) => element.getAttribute(name));
    const key = tag.join('\n');
    let id = '';
    for (let at = 1; at < tag.length && id === ''; at += 2) if (tag[at] === 'id') id = tag[at + 1] ?? '';
    tags.set(element, { tag, key, id });
    equals.set(key, (equals.get(key) ?? 0) + 1);
    if (id !== '') withId.set(id, (withId.get(id) ?? 0) + 1);
  }
  return { of: (element: DomElement) => tags.get(element) ?? { tag: [], key: '', id: '' }, equals, withId };
}

/** Reads a node for `contentStart`. */
function readNode(node: DomNode, childrenMax: number) {
  if (node.nodeType === 3) return { name: null, text: node.data, children: [] };
  const name = node.localName;
  const reference = name === 'a' ? 'href' : name === 'img' ? 'src' : null;
  const children: DomNode[] = [];
  for (let child = node.firstChild; child !== null && children.length < childrenMax; child = child.nextSibling) {
    if (child.nodeType === 1 || child.nodeType === 3) children.push(child);
  }
  return { name, text: reference === null ? '' : (node.getAttribute(reference) ?? ''), children: children.reverse() };
}

/** @param all all elements of the document */
function listElements(all: Iterable<DomElement>, tools: Tools): ElementList {
  const tags = tools.indexTags(all, tools.startTag);
  const elements: PageElement[] = [];
  const positions = new Map<DomElement, number>();
  const families = new Map<DomElement, ReturnType<typeof familyOf>>();

  /** Indexes the children of an element by name and by start tag. */
  function familyOf(parent: DomElement) {
    const names = new Map<string, number>();
    const equal = new Map<string, number>();
    const indexes = new Map<DomElement, readonly [named: number, equal: number]>();
    for (const child of parent.children) {
      const { key } = tags.of(child);
      const index = [names.get(child.localName) ?? 0, equal.get(key) ?? 0] as const;
      indexes.set(child, index);
      names.set(child.localName, index[0] + 1);
      equal.set(key, index[1] + 1);
    }
    return { names, equal, indexes };
  }

  function add(element: DomElement): number {
    // Starts with the outermost ancestor that is not in the list yet. Not recursive: pages can be nested deeply.
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
    const { tag, key, id } = tags.of(element);
    const family = parent === null ? null : (families.get(parent) ?? familyOf(parent));
    if (parent !== null && family !== null) families.set(parent, family);
    const [named, equal] = family?.indexes.get(element) ?? [0, 0];
    return {
      parent: parent === null ? -1 : (positions.get(parent) ?? -1),
      tag,
      equals: tags.equals.get(key) ?? 0,
      withId: tags.withId.get(id) ?? 0,
      named: [named, family?.names.get(element.localName) ?? 1],
      equal: [equal, family?.equal.get(key) ?? 1],
      content: tools.contentStart(element as DomNode, tools.readNode),
    };
  }

  return { elements, add };
}

/**
 * Returns an expression for `listElements` with its tools: a function of all elements of the document.
 * @param readTag an expression for the function that reads their start tags
 */
export function listElementsExpression(readTag = startTag.toString()): string {
  return `((all) => (${listElements.toString()})(all, {
    startTag: ${readTag}, contentStart: ${contentStart.toString()},
    indexTags: ${indexTags.toString()}, readNode: ${readNode.toString()} }))`;
}
