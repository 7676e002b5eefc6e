/** An element of a page after scripts have run, or an ancestor of one: what it takes to find it in the source of the page. */
export interface PageElement {
  /** Position of its parent in the list, which comes before it; -1 for the root. */
  readonly parent: number;
  /** As `startTag` returns it. */
  readonly tag: readonly string[];
  /** Elements of the document with an equal start tag, itself included. */
  readonly equals: number;
  /** Elements of the document with its id; 0 without an id. */
  readonly withId: number;
  /** Its index among the children of its parent with its name, and their number. */
  readonly named: readonly [index: number, of: number];
  /** The same among those with an equal start tag. */
  readonly equal: readonly [index: number, of: number];
  /** As `contentStart` returns it. */
  readonly content: string;
}

/** What `contentStart` reads of a node. */
export interface ContentNode<Node> {
  /** Null for text. */
  readonly name: string | null;
  /** Of text: the text. Of an element: what an image shows or a link leads to. */
  readonly text: string;
  readonly children: readonly Node[];
}

/**
 * Returns a start tag in a form in which equal tags are equal: its name, then names and values of attributes, sorted by name. Long
 * values are cut. Runs in the page, too, so it refers to nothing outside of itself.
 */
export function startTag(
  name: string,
  attributes: Iterable<{ readonly name: string; readonly value: string }>,
): string[] {
  const valueMaxCharacters = 200;
  const pairs: [string, string][] = [];
  for (const { name: attribute, value } of attributes) {
    const isLong = value.length > valueMaxCharacters;
    pairs.push([attribute, isLong ? `${value.slice(0, valueMaxCharacters)} ${value.length}` : value]);
  }
  pairs.sort(([a], [b]) => (a < b ? -1 : 1));
  return [name, ...pairs.flat()];
}

/**
 * Returns how the content of an element starts, which tells it from others with an equal start tag: the first characters that are
 * not white space, and what images show and links lead to. Looks at a few nodes only. Runs in the page, too, so it refers to
 * nothing outside of itself.
 */
export function contentStart<Node>(element: Node, read: (node: Node) => ContentNode<Node>): string {
  const [maxCharacters, nodeMaxCharacters, nodesMax] = [40, 400, 60];
  // Browsers and our parser read selects differently, and what the others contain is not shown.
  const skipped = ['script', 'style', 'template', 'noscript', 'select', 'iframe'];
  const open = [element];
  let found = '';
  for (let count = 0; count < nodesMax && found.length < maxCharacters; count += 1) {
    const node = open.pop();
    if (node === undefined) break;
    const { name, text, children } = read(node);
    if (name !== null && skipped.includes(name)) continue;
    found += text.slice(0, nodeMaxCharacters).replace(/\s+/g, '').slice(0, maxCharacters);
    for (const child of children.slice(0, nodesMax).reverse()) open.push(child);
  }
  return found.slice(0, maxCharacters);
}
