import { compile, type Options } from 'css-select';
import { handedDown, isElement, type SourceElement, type SourceText } from './source-element.ts';

type Node = SourceElement | SourceText;

/** Lets css-select read the tree of a document. */
const OPTIONS: Options<Node, SourceElement> = {
  adapter: {
    isTag: isElement,
    getName: ({ name }) => name,
    getAttributeValue: ({ attributes }, name) => attributes.find((attribute) => attribute.name === name)?.value,
    hasAttrib: ({ attributes }, name) => attributes.some((attribute) => attribute.name === name),
    getChildren: (node) => (isElement(node) ? [...node.children] : []),
    getParent: ({ parent }) => parent,
    getSiblings: (node) => (node.parent === null ? [node] : [...node.parent.children]),
    getText: textOf,
    removeSubsets: (nodes) => nodes,
  },
};

/** Returns the text in a node, regardless of the nesting depth of its elements. */
function textOf(node: Node): string {
  const open = [node];
  const texts: string[] = [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (isElement(next)) open.push(...next.children.toReversed());
    else texts.push(next.text);
  }
  return texts.join('');
}

/**
 * Compiles a CSS selector (Selectors Level 4, without states such as `:hover`).
 * @returns a function that returns whether an element matches it, or is inside a matching element; null if it is not a selector
 */
export function compileSelector(selector: string): ((element: SourceElement) => boolean) | null {
  const matches = compiled(selector);
  return matches && handedDown(false, (element, isInside) => isInside || matches(element));
}

function compiled(selector: string): ((element: SourceElement) => boolean) | null {
  try {
    return compile<Node, SourceElement>(selector, OPTIONS);
  } catch {
    return null;
  }
}
