import { classesOf, FILES, TARGETS, tagWith, writtenValue } from './markup.ts';
import { oncePerTag, type SourceAttribute, type SourceElement } from './source-element.ts';

/**
 * What of an element's markup is the same in all rows and on all pages of a template, so that one change fixes them all.
 * docs/decisions/0079-what-belongs-together.md defines it well enough for other programs to compute it.
 */

/** Classes that mark the current page in its navigation. */
const STATE_CLASSES = new Set(['active', 'current', 'selected', 'is-active', 'is-current']);
/** Attributes with what a template writes into each row: names, what they refer to, what is entered, what is said. */
const OF_ROWS = new Set([
  ...['name', 'for', 'form', 'headers', 'list', 'popovertarget', 'usemap', 'value'],
  ...['aria-activedescendant', 'aria-controls', 'aria-describedby', 'aria-details', 'aria-errormessage'],
  ...['aria-flowto', 'aria-labelledby', 'aria-owns', 'aria-label', 'placeholder', 'summary', 'title'],
]);
/** Elements whose name is a word of HTML or of another standard, rather than of the row. */
const WITH_KEYWORDS = new Set(['meta', 'param', 'slot']);
/** Elements whose ids name parts of the page, such as its header. Ids of other ones mostly number rows. */
const PARTS = new Set([
  ...[
    'article',
    'aside',
    'dialog',
    'div',
    'dl',
    'fieldset',
    'footer',
    'form',
    'header',
    'main',
    'nav',
    'ol',
    'section',
  ],
  ...['table', 'ul'],
]);
/** Ancestors that tell rows of different lists apart. */
const SURROUNDINGS_MAX = 2;

/** Writes the template tags of a page. */
export class TemplateTags {
  readonly #pageUrl: string;
  /** The classes of ancestors: those of one with 100,000 children are read once. */
  readonly #classesOf = oncePerTag((attributes) => {
    const value = attributes.find(({ name }) => name === 'class')?.value ?? '';
    return withoutNumbers(classesOf(value, STATE_CLASSES));
  });

  /** @param pageUrl resolves the URLs of files, so that a logo is the same on all pages */
  constructor(pageUrl: string) {
    this.#pageUrl = pageUrl;
  }

  /** Returns the start tag of an element without what differs from row to row and from page to page. */
  of(element: SourceElement): string {
    const tag = tagWith(element, (attribute) => this.#written(attribute, element));
    return element.attributes.some(({ name }) => isOfRow(name, element)) ? tag + this.#around(element) : tag;
  }

  #written(attribute: SourceAttribute, element: SourceElement): string[] {
    const { name, value } = attribute;
    if (name === 'aria-current') return [];
    if (TARGETS.has(name) || isOfRow(name, element)) return [name];
    if (name === 'class') return [`class=${classesOf(value, STATE_CLASSES)}`];
    if (!FILES.has(name)) return [`${name}=${withoutNumbers(writtenValue(attribute, element))}`];
    const file = URL.parse(value, this.#pageUrl)?.href ?? value;
    return [`${name}=${writtenValue({ name, value: file }, element)}`];
  }

  /** Returns names and classes of the nearest ancestors. */
  #around({ parent }: SourceElement): string {
    let around = '';
    for (let depth = 0, element = parent; element !== null && depth < SURROUNDINGS_MAX; depth += 1) {
      around += `\n<${element.name} ${this.#classesOf(element)}`;
      element = element.parent;
    }
    return around;
  }
}

/** Returns whether the value of an attribute differs from row to row. */
function isOfRow(name: string, { name: tag }: SourceElement): boolean {
  if (name === 'id') return !PARTS.has(tag);
  return OF_ROWS.has(name) && !(name === 'name' && WITH_KEYWORDS.has(tag));
}

function withoutNumbers(value: string): string {
  return value.replaceAll(/[0-9]+/g, '*');
}
