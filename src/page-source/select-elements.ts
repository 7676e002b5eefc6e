import { compile, type Options } from 'css-select';
import { handedDown, isElement, type SourceElement, type SourceText } from './source-element.ts';

type Node = SourceElement | SourceText;
type Matches = (element: SourceElement) => boolean;

/**
 * Steps that all selectors of a page may take together, in about two seconds. Ordinary pages take a few thousand, but
 * `:nth-child` counts the siblings of each element, and a page can have 100,000 of both. Steps are counted rather than measured,
 * so that the same page always has the same result.
 */
const stepsMax = 100_000_000;

/** Characters, or entries of a list, that native code reads in the time of a step. */
const PER_STEP = 32;

/** Reaching the children of an element takes as long as this many steps. */
const DESCENT_STEPS = 10;

class TooManySteps extends Error {}

/** Matches elements with selectors. */
export interface SelectorMatcher {
  /**
   * Returns the selectors that match an element, or an element around it, in the given order. Once all selectors together have
   * taken too many steps, returns none.
   */
  matching(element: SourceElement): readonly string[];
  /** Whether there were too many steps. */
  isExhausted(): boolean;
}

/** Creates a matcher for the elements of a page. Strings that are not selectors match nothing. */
export function createSelectorMatcher(selectors: readonly string[]): SelectorMatcher {
  let steps = 0;
  const spend = (count: number): void => {
    steps += count;
    if (steps > stepsMax) throw new TooManySteps();
  };
  const options = optionsFor(spend);
  const compiled = new Map(selectors.map((selector) => [selector, compiledSelector(selector, options)]));
  const none: readonly string[] = [];
  // A list for each element, not for each selector: 200 selectors of 100,000 elements would take a gigabyte.
  const matching = handedDown(none, (element, around) => {
    spend(selectors.length);
    const all = selectors.filter((selector) => around.includes(selector) || compiled.get(selector)?.(element) === true);
    return all.length === around.length ? around : all;
  });
  return {
    matching(element) {
      if (steps > stepsMax) return none;
      try {
        return matching(element);
      } catch (error) {
        if (error instanceof TooManySteps) return none;
        throw error;
      }
    },
    isExhausted: () => steps > stepsMax,
  };
}

/** Returns whether a string is a CSS selector (Selectors Level 4, without states such as `:hover`). */
export function isSelector(text: string): boolean {
  return (
    compiledSelector(
      text,
      optionsFor(() => undefined),
    ) !== null
  );
}

function compiledSelector(selector: string, options: Options<Node, SourceElement>): Matches | null {
  try {
    return compile<Node, SourceElement>(selector, options);
  } catch {
    return null;
  }
}

/**
 * Lets css-select read the tree of a document.
 * @param spend receives the steps of each access; throws to stop
 */
function optionsFor(spend: (steps: number) => void): Options<Node, SourceElement> {
  const depthOf = handedDown(0, (_, around) => around + 1);
  /** Not copied: an element can have 100,000 siblings. css-select does not change the list. */
  const childrenOf = (element: SourceElement): Node[] => {
    spend(element.children.length / PER_STEP);
    return element.children as Node[];
  };
  return {
    adapter: {
      isTag(node): node is SourceElement {
        spend(1);
        return isElement(node);
      },
      getName({ name }) {
        spend(1);
        return name;
      },
      getAttributeValue({ attributes }, name) {
        const value = attributes.find((attribute) => attribute.name === name)?.value;
        spend(1 + attributes.length + (value?.length ?? 0) / PER_STEP);
        return value;
      },
      hasAttrib({ attributes }, name) {
        spend(1 + attributes.length);
        return attributes.some((attribute) => attribute.name === name);
      },
      getChildren(node) {
        if (!isElement(node)) return [];
        // css-select inserts the list at the start of a list with an entry per level.
        spend(DESCENT_STEPS + depthOf(node) / PER_STEP);
        return childrenOf(node);
      },
      getParent({ parent }) {
        spend(1);
        return parent;
      },
      getSiblings(node) {
        spend(1);
        return node.parent === null ? [node] : childrenOf(node.parent);
      },
      getText: (node) => textOf(node, spend),
      removeSubsets: (nodes) => nodes,
    },
  };
}

/** Returns the text in a node, regardless of the nesting depth of its elements. */
function textOf(node: Node, spend: (steps: number) => void): string {
  const open = [node];
  const texts: string[] = [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    spend(1 + (isElement(next) ? 0 : next.text.length / PER_STEP));
    if (isElement(next)) for (const child of next.children.toReversed()) open.push(child);
    else texts.push(next.text);
  }
  return texts.join('');
}
