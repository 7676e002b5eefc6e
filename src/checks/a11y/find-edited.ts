import { type EditedPart, editedElementsOf } from '../../page-source/edited-element.ts';
import type { LocatedElement } from '../../page-source/locate-element.ts';
import type { PageElement } from '../../page-source/page-element.ts';
import type { SourceTree } from '../../page-source/source-tree.ts';
import { shortened } from '../../platform/shorten.ts';

/** The element that has to be edited for an occurrence, if it is not the occurrence's own element. As it is stored. */
export type EditedElement = Readonly<{
  /** Its start tag, shortened. */
  markup: string;
  line: number;
  column: number;
}>;

/** Characters of the start tag of an edited element. */
const MARKUP_MAX_CHARACTERS = 200;
/** Maximum number of ancestors to search for an element in the source, if the element itself is not in it. */
const CLIMBS_MAX = 64;

/**
 * Returns a function that finds the element to edit; null if it is the element itself, or unknown.
 * @param tree null if there is no source
 * @param elements elements of the page with their ancestors
 * @param located the same elements in the source
 */
export function findEdited(
  tree: SourceTree | null,
  elements: readonly PageElement[],
  located: readonly LocatedElement[],
): (element: number, part: EditedPart) => EditedElement | null {
  if (tree === null) return () => null;
  const editedElementOf = editedElementsOf(tree);

  /** Returns the position of an element in the list, or of its nearest ancestor in the source if the element is not in it. */
  function nearestInSource(element: number): number {
    let at = element;
    for (let climbs = 0; climbs < CLIMBS_MAX && at >= 0 && located[at]?.element === null; climbs += 1) {
      at = elements[at]?.parent ?? -1;
    }
    return at;
  }

  return (element, part) => {
    const own = located[element]?.element ?? null;
    const known = part === 'surroundings' ? located[nearestInSource(element)]?.element : own;
    const edited = known == null ? null : editedElementOf(known, part);
    if (edited === null || edited === own || edited.start < 0) return null;
    const markup = shortened(tree.text.slice(edited.start, edited.startTagEnd), MARKUP_MAX_CHARACTERS);
    return { markup, ...tree.lines.locationOf(edited.start) };
  };
}
