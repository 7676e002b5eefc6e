import type { HtmlOccurrence } from '../../../packages/client/occurrences.ts';
import type { Certainty, FoundIssue, RawCheck } from '../../domain/check.ts';
import { CheckFault } from '../../domain/check-fault.ts';
import type { SourceTree } from '../../page-source/source-tree.ts';
import { shortened } from '../../platform/shorten.ts';
import type { Interpretation } from '../check-engine.ts';
import { messageMaxCharacters, rawCheckMaxCharacters } from '../limits.ts';
import { withSourceExtract } from './source-extract.ts';
import { ATTRIBUTE_TAGS, ELEMENT_TAGS, MESSAGE_TAGS, SYNONYMS } from './tag-rules.ts';
import { engineVersionOf, parseVnuOutput, type VnuMessage, type VnuOutput } from './vnu-output.ts';

/** @throws CheckFault when the validator could not check the document, or the response is not from a validator */
export function interpretVnuAnswer(
  answer: Uint8Array,
  pageUrl: string,
  source: () => SourceTree | null = () => null,
): Interpretation {
  const output = parseVnuOutput(answer);
  const failure = output.messages.find((message) => message.type === 'non-document-error');
  // Permanent: the validator fetches nothing, so the same document would fail again.
  if (failure !== undefined)
    throw new CheckFault({ code: 'validator_gave_up', params: { text: failure.message } }, { permanent: true });
  return {
    issues: interpretVnuOutput({ ...output, messages: settledMessages(output, source) }, pageUrl),
    notes: [],
    engineVersion: engineVersionOf(output),
    rawCheck: () => rawHtmlCheck({ url: pageUrl, ...withoutUrl(output) }, rawCheckMaxCharacters),
  };
}

function settledMessages({ messages }: VnuOutput, source: () => SourceTree | null): readonly VnuMessage[] {
  const tree = messages.some(({ extract }) => extract !== undefined) ? source() : null;
  return tree === null ? messages : messages.map((message) => withSourceExtract(message, tree));
}

function withoutUrl({ url: _, ...rest }: VnuOutput): Omit<VnuOutput, 'url'> {
  return rest;
}

/**
 * Returns the issues in the validator's output: one for each type, subtype and message, in the order of their first occurrence,
 * with occurrences in document order.
 */
export function interpretVnuOutput(raw: VnuOutput, pageUrl: string): readonly FoundIssue[] {
  const kinds = new Map<string, { first: VnuMessage; occurrences: HtmlOccurrence[] }>();
  for (const message of raw.messages) {
    const key = JSON.stringify([...classify(message), message.message]);
    const known = kinds.get(key);
    if (known === undefined) kinds.set(key, { first: message, occurrences: [occurrenceOf(message)] });
    else known.occurrences.push(occurrenceOf(message));
  }
  return [...kinds.values()].map(({ first, occurrences }) => {
    const [type, subType] = classify(first);
    return {
      type,
      subType,
      message: first.message,
      ruleId: null,
      helpUrl: null,
      impact: null,
      tags: tagsOf(first.message),
      url: pageUrl,
      howMany: occurrences.length,
      occurrences,
    };
  });
}

/**
 * Errors keep their subtype. An info with the subtype `warning` is a warning, and any other info a warning with the subtype
 * `info`.
 */
function classify(message: VnuMessage): readonly [type: Certainty, subType: string | null] {
  if (message.type !== 'info') return ['error', message.subType ?? null];
  return ['warning', message.subType === 'warning' ? null : 'info'];
}

function occurrenceOf(message: VnuMessage): HtmlOccurrence {
  const lastLine = message.lastLine ?? 0;
  return {
    extract: message.extract ?? '',
    coordinates: {
      first_line: message.firstLine ?? lastLine,
      last_line: lastLine,
      first_column: message.firstColumn ?? null,
      last_column: message.lastColumn ?? 0,
      hilite_start: message.hiliteStart ?? 0,
      hilite_length: message.hiliteLength ?? 0,
    },
  };
}

/** Returns the validator's output unchanged, or with only the first messages if it is too large. */
export function rawHtmlCheck(output: VnuOutput, maxCharacters: number): RawCheck {
  let charactersLeft = maxCharacters - JSON.stringify({ ...output, messages: [] }).length;
  const messages = output.messages.filter((message) => {
    charactersLeft -= JSON.stringify(message).length + 1;
    return charactersLeft >= 0;
  });
  return { json: JSON.stringify({ ...output, messages }), omitted: output.messages.length - messages.length };
}

/** The tag of messages that match no rule: newer validators may have new messages. */
export const FALLBACK_TAG = 'other';

/** All tags, in alphabetical order. */
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
 * Returns the tags of a validator message, in alphabetical order, at least one. Depends on the wording and on the elements and
 * attributes that the message names, never on values that it quotes from the page.
 */
export function tagsOf(message: string): readonly string[] {
  const wording = withoutPageText(normalize(shortened(message, messageMaxCharacters)));
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

/** Normalizes the white space, quotation marks and words of a message to match the rules. */
function normalize(message: string): string {
  const spaced = message.replace(/\s+/g, ' ').trim();
  const quoted = spaced.includes('“') ? spaced : withTypographicQuotes(spaced).replace(/n't\b/g, 'n’t');
  // Text in quotation marks may come from the page.
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

/**
 * The functions below find the quotes from the page in messages. Quotes can contain any text, so the functions take linear time,
 * unlike backtracking patterns.
 */

/** Replaces all text outside of “quotation marks”. */
function mapOutside(text: string, replace: (wording: string) => string): string {
  const pieces: string[] = [];
  let done = 0;
  for (;;) {
    const start = text.indexOf('“', done);
    const end = start === -1 ? -1 : text.indexOf('”', start);
    if (end === -1) return [...pieces, replace(text.slice(done))].join('');
    pieces.push(replace(text.slice(done, start)), text.slice(start, end + 1));
    done = end + 1;
  }
}

/** Replaces pairs of straight quotation marks and backticks with “”. */
function withTypographicQuotes(text: string): string {
  const pieces: string[] = [];
  let done = 0;
  let from = 0;
  const marks = new Set(['"', '`']);
  while (from < text.length && marks.size > 0) {
    const mark = text.charAt(from);
    const end = marks.has(mark) ? text.indexOf(mark, from + 1) : -1;
    if (end !== -1) {
      pieces.push(text.slice(done, from), `“${text.slice(from + 1, end)}”`);
      done = end + 1;
      from = end;
    } else if (marks.has(mark)) marks.delete(mark);
    from += 1;
  }
  return pieces.join('') + text.slice(done);
}

/** The words before and after quotes from the page, in lower case. */
const QUOTATIONS: readonly {
  readonly after: string;
  readonly until: string;
  /** Whether the quote ends at the last match of `until`, because it may contain earlier ones. */
  readonly isLast?: boolean;
  readonly isAtStart?: boolean;
  readonly isRepeated?: boolean;
}[] = [
  { after: 'bad value “', until: '” for ' },
  { after: 'css: “', until: '”: ', isAtStart: true },
  { after: 'duplicate id “', until: '”', isLast: true },
  { after: 'first occurrence of id “', until: '”', isLast: true },
  { after: 'first occurrence of the id “', until: '”', isLast: true },
  { after: 'heading “', until: '” (with computed level', isRepeated: true },
  { after: 'only allowed when the input type is ', until: '' },
  { after: 'should instead be “', until: '”', isLast: true },
];

/** Removes text that the message quotes from the page, because it could match patterns by chance. */
function withoutPageText(message: string): string {
  return QUOTATIONS.reduce(withoutQuotation, message);
}

function withoutQuotation(message: string, { after, until, ...options }: (typeof QUOTATIONS)[number]): string {
  const { isLast = false, isAtStart = false, isRepeated = false } = options;
  const lower = message.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const pieces: string[] = [];
  let done = 0;
  do {
    const start = lower.indexOf(after, done);
    if (start === -1 || (isAtStart && start > 0)) break;
    const from = start + after.length;
    const end = until === '' ? message.length : isLast ? lower.lastIndexOf(until) : lower.indexOf(until, from);
    if (end < from) break;
    pieces.push(message.slice(done, from));
    done = end;
  } while (isRepeated);
  return pieces.join('') + message.slice(done);
}
