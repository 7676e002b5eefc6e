import { parseFragment } from 'parse5';
import { isElement, oncePerTag, type SourceAttribute, type SourceElement } from './source-element.ts';

/**
 * The parts of an element's markup that identify it across reports. docs/contract/fingerprints.md defines them precisely enough
 * for other programs to compute them, so every change here changes that page.
 */

/** Characters of an attribute's value, or of other markup, that count. */
const VALUE_CHARACTERS_MAX = 200;
/** Characters of an element's text that count: fewer, because texts are edited more often. */
const TEXT_CHARACTERS_MAX = 40;

/** Attributes whose values change with each request or build. Only their names count. */
const VOLATILE = new Set(['nonce', 'integrity']);
/** Inputs with a value that their author chose. In other inputs, the value is what was entered, or an anti-forgery token. */
const CHOICES = new Set(['radio', 'checkbox', 'submit', 'reset', 'button']);
/** Attributes that link to other URLs: occurrences that differ only in these have the same cause. */
export const TARGETS = new Set(['href', 'action', 'formaction', 'cite']);
/** Attributes with the URL of a file that the page shows or executes. */
export const FILES = new Set(['src', 'srcset', 'data', 'poster']);

/** Attributes with ids and names, and references to them. */
const IDS = new Set([
  ...['id', 'name', 'for', 'form', 'headers', 'list', 'popovertarget', 'commandfor'],
  ...['aria-activedescendant', 'aria-controls', 'aria-describedby', 'aria-details', 'aria-errormessage'],
  ...['aria-flowto', 'aria-labelledby', 'aria-owns'],
]);
/** Ids that React counts up (`useId`), in the notations of its versions 18, 19.0 and later. They differ from load to load. */
const COUNTED_IDS = /:r[0-9a-v]+:|«r[0-9a-v]+»|_r_[0-9a-v]+_/g;

/** Returns the start tag of an element, independent of the order of attributes and classes, of white space and of builds. */
export function startTagOf(element: SourceElement): string {
  return tagWith(element, (attribute) => [`${attribute.name}=${writtenValue(attribute, element)}`]);
}

/** Returns the beginning of the text directly in an element, without white space and digits: `at 12:03` is `at:`. */
export function ownTextOf({ children }: SourceElement): string {
  let text = '';
  for (const child of children) {
    if (isElement(child)) continue;
    text = firstCharacters(text + lettersOf(child.text), TEXT_CHARACTERS_MAX);
    if (text.length >= TEXT_CHARACTERS_MAX) break;
  }
  return text;
}

/** Returns text with straight quotes and single spaces, shortened. Takes time only for the returned part. */
export function plain(text: string, charactersMax = VALUE_CHARACTERS_MAX): string {
  return beginningOf(text, charactersMax, (start) =>
    start.replaceAll(/[“”„]/g, '"').replaceAll(/[‘’]/g, "'").replaceAll(/\s+/g, ' ').trim(),
  );
}

/**
 * Returns the element that an engine reports, if it is not in the source.
 * @param markup starts with its start tag; other markup, such as a start tag that is cut off, has no element
 */
export function reportedElement(markup: string): SourceElement | null {
  const name = /^<([a-z][^\s/>]*)/i.exec(markup)?.[1]?.toLowerCase();
  if (name === undefined) return null;
  const [node] = parseFragment(markup).childNodes;
  if (node === undefined || !('tagName' in node) || node.tagName !== name) return null;
  const texts = node.childNodes.flatMap((child) => ('value' in child ? [{ text: child.value, parent: null }] : []));
  return { name, attributes: node.attrs, parent: null, children: texts, start: -1, startTagEnd: -1, end: -1 };
}

/**
 * Returns a start tag with its attributes as `write` writes them: in order, and without the values that change with each request.
 */
export function tagWith(
  { name: tag, attributes }: SourceElement,
  write: (attribute: SourceAttribute) => readonly string[],
): string {
  const parts = attributes.flatMap((attribute) => (VOLATILE.has(attribute.name) ? [attribute.name] : write(attribute)));
  return [tag, ...parts.sort()].join('\n');
}

/** Returns the value of an attribute in the form that counts in the start tag of its element. */
export function writtenValue({ name, value }: SourceAttribute, { name: tag, attributes }: SourceElement): string {
  if (name === 'class') return classesOf(value);
  if (name === 'value' && tag === 'input') {
    const type = attributes.find((attribute) => attribute.name === 'type')?.value.toLowerCase() ?? 'text';
    return CHOICES.has(type) ? plain(value) : '';
  }
  if (IDS.has(name)) return plain(value).replaceAll(COUNTED_IDS, '*');
  if (FILES.has(name) || (name === 'href' && tag === 'link')) return withoutVersion(value);
  return plain(TARGETS.has(name) ? withoutQuery(value) : value);
}

/** Returns the classes once each, sorted. */
export function classesOf(value: string, without: ReadonlySet<string> = new Set()): string {
  const classes = new Set(value.split(/\s+/).filter((name) => name !== '' && !without.has(name)));
  return plain([...classes].sort().join(' '));
}

/** Returns the URL of a file without what changes with each build. */
export function withoutVersion(url: string): string {
  return withoutBuild(plain(withoutQuery(url)));
}

/** Drops the query of a URL: it often holds a build number, to bypass caches. */
function withoutQuery(value: string): string {
  const end = value.search(/[?#]/);
  return end === -1 ? value : value.slice(0, end);
}

/** Replaces text that looks like the hash of a file's content: `app.3f9a2c41.js` is `app.*.js`. */
function withoutBuild(url: string): string {
  return url.replaceAll(/[a-z0-9]{8,}/gi, (run) => (/[a-z]/i.test(run) && /[0-9]/.test(run) ? '*' : run));
}

function lettersOf(text: string): string {
  return beginningOf(text, TEXT_CHARACTERS_MAX, (start) => start.replaceAll(/[\s0-9]+/g, ''));
}

/**
 * Returns the first characters of the result of `normalize`, which converts text from left to right and does not make it longer.
 */
function beginningOf(text: string, charactersMax: number, normalize: (start: string) => string): string {
  for (let length = 4 * charactersMax; ; length *= 2) {
    const start = normalize(text.slice(0, length));
    // Characters of two code units count once, and the last character may be cut.
    if (length >= text.length || start.length > 2 * charactersMax) return firstCharacters(start, charactersMax);
  }
}

/** Returns the first characters of a text: code points, so that none is cut. */
function firstCharacters(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  return Array.from(text.slice(0, 2 * charactersMax))
    .slice(0, charactersMax)
    .join('');
}

/**
 * The parts of an element's markup that are the same in all rows and on all pages of a template, so that one change fixes them
 * all. docs/contract/fingerprints.md defines them precisely enough for other programs to compute them.
 */

/** Classes that mark the current page in its navigation, and the open part of a menu around it. */
const STATE_CLASSES = new Set([
  ...['active', 'current', 'selected', 'is-active', 'is-current'],
  ...['collapsed', 'open', 'show', 'is-open', 'is-expanded'],
]);
/** Attributes that a template writes into each row: names, references to them, values, texts. */
const OF_ROWS = new Set([
  ...['name', 'for', 'form', 'headers', 'list', 'popovertarget', 'usemap', 'value'],
  ...['aria-activedescendant', 'aria-controls', 'aria-describedby', 'aria-details', 'aria-errormessage'],
  ...['aria-flowto', 'aria-labelledby', 'aria-owns', 'aria-label', 'placeholder', 'summary', 'title'],
]);
/** Elements whose name is a word of HTML or of another standard, rather than of the row. */
const WITH_KEYWORDS = new Set(['meta', 'param', 'slot']);
/** Elements whose ids name parts of the page, such as its header. Ids of other elements mostly number rows. */
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
/** Ancestors that distinguish rows of different lists. */
const SURROUNDINGS_MAX = 2;

/** Writes the template tags of a page. */
export class TemplateTags {
  readonly #pageUrl: string;
  /** The classes of ancestors: an ancestor with 100,000 children is read once. */
  readonly #classesOf = oncePerTag((attributes) => {
    const value = attributes.find(({ name }) => name === 'class')?.value ?? '';
    return withoutNumbers(classesOf(value, STATE_CLASSES));
  });

  /** @param pageUrl resolves the URLs of files, so that a logo is the same on all pages */
  constructor(pageUrl: string) {
    this.#pageUrl = pageUrl;
  }

  /** Returns the start tag of an element without the parts that differ from row to row and from page to page. */
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

  /** Returns the names and classes of the nearest ancestors. */
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
