/** An element of a page after scripts have run, or an ancestor of one, with the data for finding it in the source of the page. */
export interface PageElement {
  /** Position of its parent in the list, which comes before it; -1 for the root. */
  readonly parent: number;
  /** As `startTag` returns it. */
  readonly tag: readonly string[];
  /** Elements of the document with an equal start tag, itself included. */
  readonly equals: number;
  /** Elements of the document with its id; 0 without an id. */
  readonly withId: number;
  /** Its index among its parent's children of the same name, and their number. */
  readonly named: readonly [index: number, of: number];
  /** The same for its parent's children with an equal start tag. */
  readonly equal: readonly [index: number, of: number];
  /** As `contentStart` returns it. */
  readonly content: string;
}

/** The parts of a node that `contentStart` reads. */
export interface ContentNode<Node> {
  /** Null for text. */
  readonly name: string | null;
  /** For text, the text; for an image or a link, its URL. */
  readonly text: string;
  /** In reverse order, and only the first of many. */
  readonly children: readonly Node[];
}

/**
 * Returns a start tag in a form in which equal tags are equal: its name, then names and values of attributes, sorted by name.
 * Long values are cut. Runs in the page, too, so it refers to nothing outside itself.
 */
export function startTag(
  name: string,
  attributes: readonly string[],
  value: (attribute: string) => string | null | undefined,
): string[] {
  const valueMaxCharacters = 200;
  const tag = [name];
  for (const attribute of attributes.length > 1 ? [...attributes].sort() : attributes) {
    const text = value(attribute) ?? '';
    const isLong = text.length > valueMaxCharacters;
    tag.push(attribute, isLong ? `${text.slice(0, valueMaxCharacters)} ${text.length}` : text);
  }
  return tag;
}

/**
 * Returns how the content of an element starts, which distinguishes it from others with an equal start tag: the first characters
 * that are not white space, and what images show and links lead to. Looks at a few nodes only. Runs in the page, too, so it
 * refers to nothing outside itself.
 */
export function contentStart<Node>(
  element: Node,
  read: (node: Node, childrenMax: number) => ContentNode<Node>,
): string {
  const [maxCharacters, nodeMaxCharacters, nodesMax, childrenMax] = [40, 400, 40, 12];
  // Browsers and our parser read selects differently, and the content of the others is not shown.
  const skipped = ['script', 'style', 'template', 'noscript', 'select', 'iframe'];
  const open = [element];
  let found = '';
  for (let count = 0; count < nodesMax && found.length < maxCharacters; count += 1) {
    const node = open.pop();
    if (node === undefined) break;
    const { name, text, children } = read(node, childrenMax);
    if (name !== null && skipped.includes(name)) continue;
    found += text.slice(0, nodeMaxCharacters).replace(/\s+/g, '').slice(0, maxCharacters);
    open.push(...children);
  }
  return found.slice(0, maxCharacters);
}
