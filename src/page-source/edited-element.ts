import { handedDown, isElement, type SourceElement } from './source-element.ts';
import type { SourceTree } from './source-tree.ts';

/**
 * Which element has to be edited for an issue with an element. docs/contract/fingerprints.md defines it precisely enough for
 * other programs to find it.
 */
export type EditedPart =
  | 'element'
  /** The image that is the only content of the element, so that its alternative text is the name of the element. */
  | 'image'
  /** The outermost element around it without landmarks, which has to become a landmark. */
  | 'surroundings';

/** Levels that are searched for an image: images are hardly ever wrapped in more elements. */
const LEVELS_MAX = 16;

/** Returns a function that finds the element that has to be edited; null for none. */
export function editedElementsOf(tree: SourceTree): (element: SourceElement, part: EditedPart) => SourceElement | null {
  let surroundingsOf: ((element: SourceElement) => SourceElement | null) | null = null;
  return (element, part) => {
    if (part === 'element') return element;
    if (part === 'image') return onlyImageIn(element);
    surroundingsOf ??= findSurroundings(tree);
    return surroundingsOf(element);
  };
}

/** Returns the image that is the only content of an element; null if there is other content, or screen readers ignore it. */
function onlyImageIn(element: SourceElement): SourceElement | null {
  let inner = onlyChildOf(element);
  for (let level = 1; inner !== null && level <= LEVELS_MAX; level += 1) {
    if (attributeOf(inner, 'aria-hidden') === 'true') return null;
    const role = attributeOf(inner, 'role');
    if (role === 'img' || (inner.name === 'img' && role === null)) return inner;
    inner = onlyChildOf(inner);
  }
  return null;
}

/** Returns the only child of an element; null if it has none, several, or text. */
function onlyChildOf({ children }: SourceElement): SourceElement | null {
  let only: SourceElement | null = null;
  for (const child of children) {
    if (isElement(child)) {
      if (only !== null) return null;
      only = child;
    } else if (child.text.trim() !== '') return null;
  }
  return only;
}

const LANDMARKS = new Set(['main', 'nav', 'aside', 'header', 'footer']);
const LANDMARK_ROLES = new Set(['banner', 'complementary', 'contentinfo', 'main', 'navigation', 'region', 'search']);

/** Returns a function that finds the outermost element around an element, or itself, that contains no landmark. */
function findSurroundings({ elements }: SourceTree): (element: SourceElement) => SourceElement | null {
  const withLandmarks = new Set<SourceElement>();
  for (const element of elements) {
    if (!isLandmark(element)) continue;
    let around: SourceElement | null = element;
    for (; around !== null && !withLandmarks.has(around); around = around.parent) withLandmarks.add(around);
  }
  return handedDown<SourceElement | null>(null, (element, ofParent) =>
    isWholePage(element) || withLandmarks.has(element) ? null : (ofParent ?? element),
  );
}

/** Whether an element is `html`, or `head` or `body` in it. */
function isWholePage({ parent }: SourceElement): boolean {
  return parent === null || parent.parent === null;
}

function isLandmark(element: SourceElement): boolean {
  const role = attributeOf(element, 'role');
  return role === null ? LANDMARKS.has(element.name) : LANDMARK_ROLES.has(role);
}

function attributeOf({ attributes }: SourceElement, name: string): string | null {
  return attributes.find((attribute) => attribute.name === name)?.value ?? null;
}
