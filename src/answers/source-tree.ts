import { parse } from 'parse5';
import { createEnclosingElements, type EnclosingElements } from './enclosing-elements.ts';
import type { SourceElement } from './source-element.ts';
import { linesOf, type SourceLines } from './source-lines.ts';
import { createTreeBuilder, TooManyElements } from './tree-builder.ts';

export interface SourceTree {
  readonly lines: SourceLines;
  /** The `html` element. */
  readonly root: SourceElement;
  /** All elements with a start tag of their own, also those in templates, in the order of the source. */
  readonly elements: readonly SourceElement[];
  readonly enclosing: EnclosingElements;
}

/**
 * A document has at most this many elements. 300,000 take 150 MB, and the accessibility check fails for a page of 100,000. Formatting
 * elements that are not closed are repeated in every block, so that a document of a few kB could have millions: an ordinary
 * one has at most one in three characters (`<b>`), and some that are implied.
 */
const elementsMax = 300_000;
const elementMinCharacters = 3;
const impliedElementsMax = 1_000;

/**
 * Parses an HTML document as browsers do with scripting. Takes about 80 ms for 1 MB, proportional to the length, however
 * deep elements are nested.
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
  return { lines: linesOf(text), root, elements: sent, enclosing: createEnclosingElements() };
}

/**
 * Returns the element to which the character at an offset belongs: for a tag, the element that it opens or closes; otherwise the
 * innermost element around it. A page can have 100,000 issues in elements nested as deep, so that ancestors are not climbed one by
 * one.
 * @returns null before the first element
 */
export function elementAt({ elements, enclosing }: SourceTree, offset: number): SourceElement | null {
  let from = 0;
  let to = elements.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((elements[middle]?.start ?? 0) <= offset) from = middle + 1;
    else to = middle;
  }
  const element = elements[from - 1];
  // An element without an end tag of its own ends with another one, so that its ancestors tell where it is.
  return element === undefined ? null : enclosing.around(element, offset);
}
