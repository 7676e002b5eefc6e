import { contentStart, type PageElement, startTag } from './page-element.ts';
import { isElement, oncePerTag, type SourceElement, type SourceText } from './source-element.ts';
import type { SourceTree } from './source-tree.ts';

/** The result of the search for an element in the source of its page. */
export interface LocatedElement {
  /** Null if the server did not send it, or if it cannot be identified. */
  readonly element: SourceElement | null;
  /** Whether a script created it, because the source has no similar element. */
  readonly isMadeByScript: boolean;
}

/**
 * Finds elements of a page, as it is after scripts have run, in its source. If an element could be confused with another, it is
 * not found: a wrong position is worse than none. docs/decisions/0051-element-locations.md lists the rules.
 * @returns an entry for each of the elements
 */
export function locateElements(tree: SourceTree, elements: readonly PageElement[]): readonly LocatedElement[] {
  const source = indexSource(tree.root);
  const located: (SourceElement | null)[] = [];
  const isMade: boolean[] = [];
  for (const element of elements) {
    const parent = located[element.parent] ?? null;
    located.push(locate(source, element, parent));
    const unlike = !source.byTag.has(keyOf(element.tag)) && !source.byId.has(idOf(element) ?? '');
    const fewer = parent !== null && source.familyOf(parent).named(nameOf(element)).length < element.named[1];
    isMade.push(located.at(-1) === null && unlike && (fewer || isMade[element.parent] === true));
  }
  const claims = new Map<SourceElement, number>();
  for (const found of located) if (found !== null) claims.set(found, (claims.get(found) ?? 0) + 1);
  return located.map((found, index) => ({
    // A script may have copied the element with all its attributes.
    element: found !== null && claims.get(found) === 1 ? found : null,
    isMadeByScript: isMade[index] === true,
  }));
}

/** The searched part of the source: without the content of templates, which no page shows. */
interface SourceIndex {
  readonly root: SourceElement;
  /** Null for an id that several elements have. */
  readonly byId: ReadonlyMap<string, SourceElement | null>;
  /** By start tag; null if several elements have it. */
  readonly byTag: ReadonlyMap<string, SourceElement | null>;
  tagOf(element: SourceElement): readonly string[];
  familyOf(parent: SourceElement): Family;
}

/** The children of an element. */
interface Family {
  /** The children with a name. */
  named(name: string): readonly SourceElement[];
  /** The children with a start tag. */
  equal(key: string): readonly SourceElement[];
}

/** A start tag, as a list and as one string. */
interface IndexedTag {
  readonly tag: readonly string[];
  readonly key: string;
}

function indexSource(root: SourceElement): SourceIndex {
  const tags = new Map<SourceElement, IndexedTag>();
  const byId = new Map<string, SourceElement | null>();
  const byTag = new Map<string, SourceElement | null>();
  const families = new Map<SourceElement, Family>();
  const readTag = oncePerTag((attributes, name): IndexedTag => {
    const values = new Map(attributes.map(withPrefix));
    const tag = startTag(name, [...values.keys()], (attribute) => values.get(attribute));
    return { tag, key: keyOf(tag) };
  });
  const open = [root];
  for (let element = open.pop(); element !== undefined; element = open.pop()) {
    const indexed = readTag(element);
    tags.set(element, indexed);
    byTag.set(indexed.key, byTag.has(indexed.key) ? null : element);
    const id = element.attributes.find(({ name }) => name === 'id')?.value;
    if (id !== undefined) byId.set(id, byId.has(id) ? null : element);
    if (element.name !== 'template') for (const child of element.children) if (isElement(child)) open.push(child);
  }
  const tagOf = (element: SourceElement): readonly string[] => tags.get(element)?.tag ?? [];
  const familyOf = (parent: SourceElement): Family => {
    const known = families.get(parent);
    if (known !== undefined) return known;
    const children = parent.children.filter(isElement);
    const byName = Map.groupBy(children, ({ name }) => name);
    const byKey = Map.groupBy(children, (child) => tags.get(child)?.key ?? '');
    const family: Family = { named: (name) => byName.get(name) ?? [], equal: (key) => byKey.get(key) ?? [] };
    families.set(parent, family);
    return family;
  };
  return { root, byId, byTag, tagOf, familyOf };
}

function withPrefix({
  name,
  value,
  prefix,
}: SourceElement['attributes'][number]): readonly [name: string, value: string] {
  // The prefix of `xmlns` is empty.
  return [prefix ? `${prefix}:${name}` : name, value];
}

function keyOf(tag: readonly string[]): string {
  return tag.join('\n');
}

function nameOf({ tag }: PageElement): string {
  return tag[0] ?? '';
}

function idOf({ tag }: PageElement): string | null {
  return attributesOf(tag).get('id') || null;
}

function attributesOf(tag: readonly string[]): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (let at = 1; at < tag.length; at += 2) attributes.set(tag[at] ?? '', tag[at + 1] ?? '');
  return attributes;
}

function locate(source: SourceIndex, element: PageElement, parent: SourceElement | null): SourceElement | null {
  if (element.parent === -1) return source.root;
  const name = nameOf(element);
  // A page has one head and one body, even after scripts have changed them.
  if (element.parent === 0 && parent !== null && (name === 'head' || name === 'body')) {
    return source.familyOf(parent).named(name)[0] ?? null;
  }
  const id = idOf(element);
  const withId = id !== null && element.withId === 1 ? source.byId.get(id) : undefined;
  if (withId?.name === name) return withId;
  const sibling = parent === null ? null : amongSiblings(source, element, parent);
  return sibling ?? onlyOne(source, element, parent);
}

/** Finds an element among the children of its parent. */
function amongSiblings(source: SourceIndex, element: PageElement, parent: SourceElement): SourceElement | null {
  const family = source.familyOf(parent);
  const inPlace = memberOf(family.named(nameOf(element)), element.named);
  const equal = memberOf(family.equal(keyOf(element.tag)), element.equal);
  if (equal !== null && contentOf(equal) === element.content) {
    if (equal === inPlace || element.content !== '') return equal;
  }
  if (inPlace === null) return null;
  if (contentOf(inPlace) === element.content) {
    // A script changed attributes. An element without content is found only if the script merely added some.
    return element.content !== '' || hasGrown(source.tagOf(inPlace), element.tag) ? inPlace : null;
  }
  // A script changed the content. Similar elements may be other elements that have moved.
  return equal === inPlace && element.equal[1] === 1 && element.tag.length > 1 ? inPlace : null;
}

/** Returns the member at an index, if there are as many members as in the page. */
function memberOf(members: readonly SourceElement[], [index, of]: PageElement['named']): SourceElement | null {
  return members.length === of ? (members[index] ?? null) : null;
}

/** Finds an element that resembles no other, neither in the page nor in the source: a script may have moved it. */
function onlyOne(source: SourceIndex, element: PageElement, parent: SourceElement | null): SourceElement | null {
  if (element.equals !== 1 || element.tag.length === 1) return null;
  const found = source.byTag.get(keyOf(element.tag)) ?? null;
  return found !== null && (found.parent === parent || contentOf(found) === element.content) ? found : null;
}

/** Returns whether a page's start tag matches the source, apart from additional attributes and classes and any style. */
function hasGrown(sent: readonly string[], now: readonly string[]): boolean {
  const attributes = attributesOf(now);
  const kept = [...attributesOf(sent)].filter(([name]) => name !== 'style');
  return kept.length > 0 && kept.every(([name, value]) => isKept(name, value, attributes.get(name)));
}

function isKept(name: string, sent: string, now: string | undefined): boolean {
  if (sent === now) return true;
  if (name !== 'class' || now === undefined) return false;
  const classes = new Set(now.split(/\s+/));
  return sent.split(/\s+/).every((token) => token === '' || classes.has(token));
}

function contentOf(element: SourceElement): string {
  return contentStart<SourceElement | SourceText>(element, (node, childrenMax) => {
    if (!isElement(node)) return { name: null, text: node.text, children: [] };
    const { name, attributes } = node;
    const reference = name === 'a' ? 'href' : name === 'img' ? 'src' : null;
    const text = reference === null ? undefined : attributes.find((candidate) => candidate.name === reference)?.value;
    return { name, text: text ?? '', children: node.children.slice(0, childrenMax).reverse() };
  });
}
