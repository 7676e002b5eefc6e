import { defaultTreeAdapter, html, parse, type Token, type TreeAdapter, type TreeAdapterTypeMap } from 'parse5';
import type { SourceElement, SourceText } from './source-element.ts';
import { linesOf, type SourceLines } from './source-lines.ts';

export interface SourceTree {
  /** The decoded document, without a byte order mark. */
  readonly text: string;
  readonly lines: SourceLines;
  /** The `html` element. */
  readonly root: SourceElement;
  /** All elements with their own start tag, including elements in templates, in the order of the source. */
  readonly elements: readonly SourceElement[];
}

/**
 * A document has at most this many elements. 300,000 elements take 150 MB, and the accessibility check fails for a page of
 * 100,000. Formatting elements that are not closed are repeated in every block, so that a document of a few kB could have
 * millions: an ordinary document has at most one element per three characters (`<b>`), and some implied elements.
 */
const elementsMax = 300_000;
const elementMinCharacters = 3;
const impliedElementsMax = 1_000;

/**
 * Parses an HTML document as browsers do with scripting. Takes about 80 ms for 1 MB, proportional to the length, regardless of
 * the nesting depth.
 * @param text the decoded document, without a byte order mark
 * @returns null if it has too many elements
 */
export function parseSource(text: string): SourceTree | null {
  const builder = createTreeBuilder(Math.min(elementsMax, text.length / elementMinCharacters + impliedElementsMax));
  try {
    parse(text, { treeAdapter: builder.adapter, sourceCodeLocationInfo: true });
  } catch (error) {
    if (error instanceof TooManyElements) return null;
    throw error;
  }
  const { root, elements } = builder.finish(text.length);
  if (root === null) return null;
  const sent = elements.filter(({ start }) => start >= 0).sort((a, b) => a.start - b.start);
  return { text, lines: linesOf(text), root, elements: sent };
}

/** Chromium hardly nests elements any deeper than this: further elements become siblings. */
const climbsMax = 512;

/**
 * Returns the element to which the character at an offset belongs: for a tag, the element that it opens or closes; otherwise the
 * innermost element around it.
 * @returns null before the first element, and for a position after more nested elements than `climbsMax`: a page can have 100,000
 *   positions and as many nested elements
 */
export function elementAt({ elements }: SourceTree, offset: number): SourceElement | null {
  let from = 0;
  let to = elements.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((elements[middle]?.start ?? 0) <= offset) from = middle + 1;
    else to = middle;
  }
  // An element without its own end tag ends with another element, so its ancestors show its position.
  let element = elements[from - 1] ?? null;
  for (let climbs = 0; element !== null && element.end <= offset && element.parent !== null; climbs += 1) {
    element = climbs < climbsMax ? element.parent : null;
  }
  return element;
}

/** The parser made more elements than allowed. */
class TooManyElements extends Error {
  override readonly name = 'TooManyElements';
}

class BuiltElement implements SourceElement {
  parent: BuiltElement | null = null;
  readonly children: BuiltNode[] = [];
  start = -1;
  startTagEnd = -1;
  end = -1;
  readonly name: string;
  readonly namespace: html.NS;
  readonly attributes: Token.Attribute[];

  constructor(name: string, namespace: html.NS, attributes: Token.Attribute[]) {
    this.name = name;
    this.namespace = namespace;
    this.attributes = attributes;
  }
}

/** A text node, or a comment, which is not kept. */
class BuiltText implements SourceText {
  parent: BuiltElement | null = null;
  text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const COMMENT = new BuiltText('');

type BuiltNode = BuiltElement | BuiltText;

interface BuiltTypes extends TreeAdapterTypeMap {
  node: BuiltNode;
  parentNode: BuiltElement;
  childNode: BuiltNode;
  document: BuiltElement;
  documentFragment: BuiltElement;
  element: BuiltElement;
  commentNode: BuiltText;
  textNode: BuiltText;
  template: BuiltElement;
  documentType: BuiltText;
}

interface TreeBuilder {
  readonly adapter: TreeAdapter<BuiltTypes>;
  /** The result of the parser: the root, and all elements in the order of their creation. */
  finish(textLength: number): { readonly root: SourceElement | null; readonly elements: readonly SourceElement[] };
}

/**
 * Creates an adapter with which parse5 builds the tree of `parseSource`. parse5's own nodes take three times the memory, because
 * each has the positions of its attributes.
 * @param elementsMax beyond it, the adapter throws `TooManyElements`
 */
function createTreeBuilder(elementsMax: number): TreeBuilder {
  const document = new BuiltElement('#document', html.NS.HTML, []);
  const elements: BuiltElement[] = [];
  let mode = html.DOCUMENT_MODE.NO_QUIRKS;
  const adapter: TreeAdapter<BuiltTypes> = {
    ...CHANGING,
    ...READING,
    createDocument: () => document,
    createElement(name, namespace, attributes) {
      if (elements.length >= elementsMax) throw new TooManyElements();
      const element = new BuiltElement(name, namespace, attributes);
      elements.push(element);
      return element;
    },
    getDocumentMode: () => mode,
    setDocumentMode(_, found) {
      mode = found;
    },
  };
  return {
    adapter,
    finish(textLength) {
      placeCopies(elements);
      return { root: rootOf(document, textLength), elements };
    },
  };
}

function rootOf(document: BuiltElement, textLength: number): BuiltElement | null {
  const root = document.children.find((child) => child instanceof BuiltElement) ?? null;
  // Content after the end tags of these elements also belongs to them.
  for (const element of [root, ...(root?.children ?? [])]) {
    if (element instanceof BuiltElement && element.name !== 'head') element.end = textLength;
  }
  if (root !== null) root.parent = null;
  return root;
}

/**
 * Sets the positions of formatting elements that the parser repeated for another block (`<b><p></b>`): they have the tag of the
 * first element.
 */
function placeCopies(elements: readonly BuiltElement[]): void {
  const unplaced = elements.filter(({ start }) => start < 0);
  const names = new Set(unplaced.map(({ name }) => name));
  const placed = elements.filter(({ start, name }) => start >= 0 && names.has(name));
  const originals = new Map(placed.map((element) => [element.attributes, element]));
  for (const copy of unplaced) {
    const original = originals.get(copy.attributes);
    if (original === undefined) continue;
    copy.start = original.start;
    copy.startTagEnd = original.startTagEnd;
    copy.end = original.startTagEnd;
  }
}

type Adapter = TreeAdapter<BuiltTypes>;

/** Creates and changes nodes. */
const CHANGING = {
  // The content of a template is appended to the template itself.
  createDocumentFragment: () => new BuiltElement('#fragment', html.NS.HTML, []),
  setTemplateContent() {},
  createCommentNode: () => COMMENT,
  createTextNode: (text) => new BuiltText(text),
  setDocumentType() {},
  adoptAttributes({ attributes }, more) {
    const recipient = { attrs: attributes } as Parameters<typeof defaultTreeAdapter.adoptAttributes>[0];
    defaultTreeAdapter.adoptAttributes(recipient, more);
  },
  appendChild(parent, child) {
    if (child === COMMENT) return;
    parent.children.push(child);
    child.parent = parent;
  },
  insertBefore(parent, child, reference) {
    if (child === COMMENT) return;
    // The reference is usually the last child.
    parent.children.splice(parent.children.lastIndexOf(reference), 0, child);
    child.parent = parent;
  },
  insertText(parent, text) {
    const last = parent.children.at(-1);
    if (last instanceof BuiltText) last.text += text;
    else CHANGING.appendChild(parent, new BuiltText(text));
  },
  insertTextBefore(parent, text, reference) {
    const before = parent.children[parent.children.lastIndexOf(reference) - 1];
    if (before instanceof BuiltText) before.text += text;
    else CHANGING.insertBefore(parent, new BuiltText(text), reference);
  },
  detachNode(node) {
    const siblings = node.parent?.children ?? [];
    const index = siblings.lastIndexOf(node);
    if (index !== -1) siblings.splice(index, 1);
    node.parent = null;
  },
  setNodeSourceCodeLocation(node, location) {
    if (!(node instanceof BuiltElement) || location === null) return;
    node.start = location.startOffset;
    node.startTagEnd = location.endOffset;
    node.end = location.endOffset;
  },
  updateNodeSourceCodeLocation(node, { endOffset }) {
    if (node instanceof BuiltElement && endOffset !== undefined) node.end = Math.max(endOffset, node.startTagEnd);
  },
} satisfies Partial<Adapter>;

/** A placeholder that only shows that a location exists. */
const PLACED = { startLine: 0, startCol: 0, startOffset: 0, endLine: 0, endCol: 0, endOffset: 0 };

/** Reads nodes. */
const READING = {
  getTemplateContent: (template) => template,
  getFirstChild: ({ children }) => children[0] ?? null,
  getChildNodes: ({ children }) => children,
  getParentNode: ({ parent }) => parent,
  getAttrList: ({ attributes }) => attributes,
  getTagName: ({ name }) => name,
  getNamespaceURI: ({ namespace }) => namespace,
  getTextNodeContent: ({ text }) => text,
  getCommentNodeContent: ({ text }) => text,
  getDocumentTypeNodeName: () => '',
  getDocumentTypeNodePublicId: () => '',
  getDocumentTypeNodeSystemId: () => '',
  getNodeSourceCodeLocation: (node) => (node instanceof BuiltElement && node.start >= 0 ? PLACED : null),
  isTextNode: (node): node is BuiltText => node instanceof BuiltText,
  isCommentNode: (node): node is BuiltText => node === COMMENT,
  isDocumentTypeNode: (_node): _node is BuiltText => false,
  isElementNode: (node): node is BuiltElement => node instanceof BuiltElement,
} satisfies Partial<Adapter>;
