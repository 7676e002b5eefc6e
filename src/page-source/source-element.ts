/** An attribute as the parser reads it: the value decoded, the name in lower case, or as SVG and MathML spell it. */
export interface SourceAttribute {
  readonly name: string;
  readonly value: string;
  /** Such as `xlink` in `xlink:href`; absent or empty for most. */
  readonly prefix?: string | undefined;
}

/**
 * An element that a browser creates from a document before scripts run, with its position in the source. Offsets are in UTF-16
 * code units from 0.
 */
export interface SourceElement {
  /** In lower case, or as SVG and MathML spell it. */
  readonly name: string;
  /** Each name once, in the order of the source. */
  readonly attributes: readonly SourceAttribute[];
  /** Null for the root. The parent of the content of a template is the template. */
  readonly parent: SourceElement | null;
  /** In tree order, without comments. For a template, its content, which a browser keeps separately. */
  readonly children: readonly (SourceElement | SourceText)[];
  /** The offset of the `<` of its start tag; -1 for an element without a tag of its own, such as an implied `<tbody>`. */
  readonly start: number;
  /** The offset after the `>` of its start tag; -1 as above. */
  readonly startTagEnd: number;
  /** The offset after its end tag; without one, where the element ends. At least `startTagEnd`. */
  readonly end: number;
}

/** Text between two tags, decoded; also the content of scripts and styles. */
export interface SourceText {
  readonly text: string;
  readonly parent: SourceElement | null;
}

/**
 * Returns a function that reads something from the start tags of elements, once from each tag: the parser copies an unclosed
 * `<b>` into each paragraph that follows, with the same list of attributes, which may be long.
 */
export function oncePerTag<Value>(
  read: (attributes: SourceElement['attributes'], name: string) => Value,
): (element: SourceElement) => Value {
  const known = new Map<SourceElement['attributes'], Value>();
  return ({ attributes, name }) => known.getOrInsertComputed(attributes, () => read(attributes, name));
}

/**
 * Returns a function that computes a value from each element and the value of its parent, once, regardless of the nesting depth.
 * @param above the value above the root
 */
export function handedDown<Value>(
  above: Value,
  make: (element: SourceElement, ofParent: Value) => Value,
): (element: SourceElement) => Value {
  const known = new Map<SourceElement, Value>();
  return (element) => {
    const unknown: SourceElement[] = [];
    let open: SourceElement | null = element;
    for (; open !== null && !known.has(open); open = open.parent) unknown.push(open);
    let value = (open && known.get(open)) ?? above;
    for (const below of unknown.reverse()) {
      value = make(below, value);
      known.set(below, value);
    }
    return value;
  };
}

export function isElement(node: SourceElement | SourceText): node is SourceElement {
  return 'name' in node;
}
