import { shortened } from '../../platform/shorten.ts';
import { messageMaxCharacters } from '../limits.ts';
import { mapOutside, withoutPageText, withTypographicQuotes } from './quoted-text.ts';
import { ATTRIBUTE_TAGS, ELEMENT_TAGS, MESSAGE_TAGS, SYNONYMS } from './tag-rules.ts';

/** The tag of a message that no rule knows: a newer validator may have messages of a new kind. */
export const FALLBACK_TAG = 'other';

/** All tags that there are, in alphabetical order. */
export const HTML_TAGS: readonly string[] = [
  ...new Set([
    ...MESSAGE_TAGS.map(([tag]) => tag),
    ...Object.keys(ELEMENT_TAGS),
    ...Object.keys(ATTRIBUTE_TAGS),
    FALLBACK_TAG,
  ]),
].sort();

const tagsByElement = invert(ELEMENT_TAGS);
const tagsByAttribute = invert(ATTRIBUTE_TAGS);

/**
 * The tags of a message of the validator, in alphabetical order, at least one. They follow from its wording and from
 * the elements and attributes that it names, never from values quoted out of the page.
 */
export function tagsOf(message: string): readonly string[] {
  const wording = withoutPageText(inKnownWords(shortened(message, messageMaxCharacters)));
  const tags = new Set<string>();
  for (const [tag, pattern] of MESSAGE_TAGS) {
    if (pattern.test(wording)) tags.add(tag);
  }
  for (const name of namesBeside(wording, ELEMENT_NAME)) {
    for (const tag of tagsByElement.get(name) ?? []) tags.add(tag);
    if (name.includes('-')) tags.add('custom element');
  }
  for (const name of namesBeside(wording, ATTRIBUTE_NAME)) {
    for (const tag of tagsByAttribute.get(name) ?? []) tags.add(tag);
    if (name.startsWith('aria-')) tags.add('aria');
    if (name.startsWith('on')) tags.add('script');
  }
  return tags.size === 0 ? [FALLBACK_TAG] : [...tags].sort();
}

const ELEMENT_NAME =
  /(?:elements?|child element|(?:start|end) tag|tag) “([^“”]{0,80})”|“([^“”]{0,80})” (?:element|(?:start|end) tag)/gi;
const ATTRIBUTE_NAME = /attributes? “([^“”]{0,80})”|“([^“”]{0,80})” (?:pseudo-)?attribute/gi;

/** The message in the spaces, quotation marks and words of the rules. */
function inKnownWords(message: string): string {
  const spaced = message.replace(/\s+/g, ' ').trim();
  const quoted = spaced.includes('“') ? spaced : withTypographicQuotes(spaced).replace(/n't\b/g, 'n’t');
  // What is between quotation marks is not the validator's own wording.
  return mapOutside(quoted, (wording) => SYNONYMS.reduce(replaceIn, wording));
}

function replaceIn(text: string, [pattern, word]: (typeof SYNONYMS)[number]): string {
  return text.replace(pattern, word);
}

function namesBeside(message: string, pattern: RegExp): string[] {
  return [...message.matchAll(pattern)].map((match) => (match[1] ?? match[2] ?? '').toLowerCase());
}

function invert(names: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, readonly string[]> {
  const inverted = new Map<string, string[]>();
  for (const [tag, members] of Object.entries(names)) {
    for (const member of members) inverted.set(member, [...(inverted.get(member) ?? []), tag]);
  }
  return inverted;
}
