import { hash } from 'node:crypto';
import { tagWith, writtenValue } from './markup.ts';
import { isElement, oncePerTag, type SourceElement } from './source-element.ts';

/** Attributes that are edited often, and do not make another element. */
const EDITED = new Set(['class', 'style']);

/**
 * Returns the paths of elements of a page, as docs/decisions/0079-what-belongs-together.md defines them: what stays when the text
 * or the classes of an element are edited, and is of no other element of the page unless ids occur twice.
 */
export class ElementPaths {
  readonly #places = new Map<SourceElement, string>();
  readonly #indexes = new Map<SourceElement, ReadonlyMap<SourceElement, number>>();
  readonly #idOf = oncePerTag((attributes) => attributes.find(({ name }) => name === 'id')?.value ?? null);

  /** Returns a path in hexadecimal. */
  of(element: SourceElement): string {
    const tag = isSingle(element)
      ? element.name
      : tagWith(element, (attribute) =>
          EDITED.has(attribute.name) ? [] : [`${attribute.name}=${writtenValue(attribute, element)}`],
        );
    return digest([this.#placeOf(element), tag]);
  }

  /** Returns where an element is below the nearest ancestor with an id. Ancestors are not climbed twice, however deep they are. */
  #placeOf(element: SourceElement): string {
    const unknown: SourceElement[] = [];
    let open: SourceElement | null = element;
    for (; open !== null && !this.#places.has(open); open = this.#idOf(open) === null ? open.parent : null)
      unknown.push(open);
    let place = open === null ? '' : (this.#places.get(open) ?? '');
    for (const below of unknown.reverse()) {
      const id = this.#idOf(below);
      const parts = id === null ? [place, below.name, this.#indexOf(below)] : [id];
      place = digest(parts);
      this.#places.set(below, place);
    }
    return place;
  }

  /** Returns the position of an element among the children of its parent with its name, from 0. */
  #indexOf(element: SourceElement): number {
    const { parent } = element;
    if (parent === null) return 0;
    const known = this.#indexes.get(parent) ?? indexesOf(parent);
    this.#indexes.set(parent, known);
    return known.get(element) ?? 0;
  }
}

/** Tells whether a document has one element of this name whatever its attributes are: `html`, and the `head` and `body` in it. */
function isSingle({ parent }: SourceElement): boolean {
  return parent === null || parent.parent === null;
}

function indexesOf({ children }: SourceElement): ReadonlyMap<SourceElement, number> {
  const counts = new Map<string, number>();
  const indexes = new Map<SourceElement, number>();
  for (const child of children) {
    if (!isElement(child)) continue;
    const index = counts.get(child.name) ?? 0;
    counts.set(child.name, index + 1);
    indexes.set(child, index);
  }
  return indexes;
}

function digest(parts: readonly (string | number)[]): string {
  return hash('sha256', JSON.stringify(parts));
}
