import type { Effect } from '../engine-description.ts';
import { BY_HEADINGS, SCREEN_READER, EFFECTS_OF_SEVERAL_CHECKS as SHARED } from '../shared-effects.ts';

/**
 * Whom HTML issues hinder, and how, by the topics and words of their messages. They follow from what browsers do with such errors
 * (https://html.spec.whatwg.org/multipage/parsing.html#parse-errors). A test verifies that the messages that are frequent on real
 * sites have an effect.
 */
type Rule = readonly [tags: string, message: RegExp | null, ...effect: [words: string, hindrance: Effect['hindrance']]];

/** Returns the effect of an error that browsers correct. */
function harmless(why: string): readonly [words: string, hindrance: 'none'] {
  return [`No direct effect on visitors today: ${why}.`, 'none'];
}

const IGNORED = harmless('browsers ignore this part of the code');
const STRUCTURE = harmless('browsers guess the structure, but a later edit of the page may break its layout');
const OUTDATED = harmless('browsers still support this outdated code, but may stop doing so');
const WRONG_LETTERS = 'Visitors may see wrong letters or symbols.';
const MISSING_IMAGE = 'Everyone sees a gap instead of the image.';
const TABLE_GAPS =
  'Visitors may see gaps in the table, and people who use a screen reader may hear the wrong headings for its cells.';
const BEFORE_TABLE = 'Visitors may find this content above the table instead of in it.';
const UNSURE_LINK =
  'Visitors may find that the link covers too much or too little, because browsers guess where it ends.';
const SWALLOWED = 'Visitors may miss the rest of the page, because browsers treat it as part of an unfinished element.';
const MISREAD = 'Visitors may miss a URL, some text or a style of the element, because browsers misread its code.';

/** The document as a whole, and its languages and characters. */
const DOCUMENT_RULES: readonly Rule[] = [
  ['parsing stopped', null, 'The rest of the page could not be checked, so its errors are unknown.', 'some'],
  ['document structure, missing element', /“title”/, SHARED.unnamedPage, 'severe'],
  ['document structure, empty', /“title”/, SHARED.unnamedPage, 'severe'],
  [
    'doctype',
    /^(?:Almost|Obsolete|Legacy|No space)/,
    ...harmless('browsers accept the outdated first line of the page'),
  ],
  [
    'doctype',
    null,
    'Visitors may see a different layout in each browser, because browsers treat the page like a page from the 1990s.',
    'some',
  ],
  ['viewport', null, SHARED.noZoom, 'some'],
  ['language, recommendation', null, SHARED.wrongPronunciation, 'some'],
  ['language', /“(?:xml:)?lang”/, SHARED.wrongPronunciation, 'severe'],
  ['meta', /legacy encoding declaration|“charset=”/, ...harmless('browsers recognize how the text is stored')],
  ['character encoding', null, WRONG_LETTERS, 'some'],
  ['syntax', /byte sequence/, WRONG_LETTERS, 'some'],
  ['unicode', /Normalization/, ...harmless('the text looks right, but searching for it may fail')],
  ['unicode', null, WRONG_LETTERS, 'some'],
  ['meta', null, ...IGNORED],
];

/** Names, roles, states, headings, lists and tables, which assistive technology conveys. */
const MEANING_RULES: readonly Rule[] = [
  ['duplicate id', null, SHARED.duplicateId, 'some'],
  ['image, missing attribute', /“area”.{0,200}“alt”/, SHARED.clickableArea, 'severe'],
  ['image, missing attribute', /“alt”/, SHARED.imageWithoutText, 'severe'],
  ['aria, redundant', null, ...harmless('browsers know this role of the element anyway')],
  ['aria', /“role=tab”/, `${SCREEN_READER} must guess which content a tab opens.`, 'some'],
  ['aria', /aria-disabled/, `${SCREEN_READER} hear that the link is unavailable, although it works.`, 'some'],
  ['aria, disallowed attribute', /aria-label(?:ledby)?” attribute must not/, SHARED.ignoredName, 'severe'],
  ['aria, nesting, heading', null, `${BY_HEADINGS} miss this heading, because it is inside a button.`, 'some'],
  ['aria, bad value', /“role”/, SHARED.wrongRole, 'severe'],
  ['aria, bad value', null, SHARED.wrongState, 'severe'],
  ['aria, missing attribute', null, SHARED.missingState, 'severe'],
  ['aria, disallowed attribute', null, SHARED.wrongDetails, 'severe'],
  ['heading', /skipping/, SHARED.skippedLevel, 'some'],
  ['heading, empty', null, SHARED.emptyHeading, 'some'],
  ['heading, sectioning', null, `${BY_HEADINGS} may miss this section, because it has no heading.`, 'some'],
  ['heading', /level of 1|top-level heading/, SHARED.noMainHeading, 'some'],
  ['sectioning', /visible “main”/, SHARED.severalMains, 'some'],
  ['list, nesting', /as child of element “(?:ul|ol|menu)”/, SHARED.wrongList, 'severe'],
  ['list, nesting', /^Element “li”/, SHARED.looseListItem, 'severe'],
  ['list, nesting', /^Element “d[td]”|as child of element “dl”/, SHARED.looseTerms, 'severe'],
  ['list, missing element', /“d[td]”/, SHARED.looseTerms, 'severe'],
  ['table, id', /“headers”/, SHARED.wrongCellHeadings, 'severe'],
  ['table', /columns? |row group|no cells/, TABLE_GAPS, 'some'],
  ['table, text', null, BEFORE_TABLE, 'some'],
  ['table, nesting', /^Element “(?:caption|col|colgroup|tbody|thead|tfoot|tr|td|th)”/, ...STRUCTURE],
  ['table, nesting', /(?:as child of element|seen in) “(?:table|tbody|thead|tfoot|tr)”/, BEFORE_TABLE, 'some'],
];

/** Links, forms, and what they contain. */
const CONTROL_RULES: readonly Rule[] = [
  [
    'label, nesting',
    /“label” must not.{0,200}“label”/,
    'Visitors may choose the wrong field, because its label is inside another.',
    'some',
  ],
  ['nesting', /must not appear as a descendant/, SHARED.nestedControl, 'severe'],
  ['label, bad value', /“for”/, SHARED.unlabeledField, 'severe'],
  ['label, id', null, SHARED.unlabeledField, 'severe'],
  ['form', /“option”.{0,200}must not be empty/, 'Everyone sees an empty entry in the list.', 'some'],
  ['form', /more than one selected/, ...harmless('browsers choose the last of the selected entries')],
  ['form, bad value', /“autocomplete”/, SHARED.noAutofill, 'severe'],
  [
    'form, bad value',
    /“type” on element “input”/,
    'Everyone gets a plain text field instead of a specialized one, such as a date picker.',
    'some',
  ],
  ['form, url', /“action”/, ...harmless('browsers submit the form to the page that it is on')],
  [
    'form, disallowed attribute',
    /“href” not allowed/,
    'Visitors who choose the button may stay on the page, because browsers ignore the address of a button.',
    'some',
  ],
  ['image, missing attribute', /“src/, MISSING_IMAGE, 'some'],
  ['image, bad value, empty', /“src”/, MISSING_IMAGE, 'some'],
  [
    'link, missing attribute',
    /“(?:a|area)”.{0,200}“href”/,
    'If this is meant as a link, people who use a keyboard cannot reach it.',
    'some',
  ],
  [
    'bad value, url',
    /^Bad value “[^”]*(?:\{\{|\{%|<%|\$\{)/,
    'Everyone gets an error or a gap here, because the address contains an unfilled template placeholder.',
    'severe',
  ],
  ['bad value, url', /Illegal character|Backslash/, ...harmless('browsers correct the address')],
  [
    'bad value, url',
    /“(?:href|src|action)”/,
    'Visitors may get an error or a gap here, because the address is wrong.',
    'some',
  ],
  [
    'bad value, id',
    /“id”/,
    'Visitors may reach the wrong part of the page or miss a label, because the ID of the element is invalid.',
    'some',
  ],
  ['security', null, ...harmless('the embedded content works, but can remove its own restrictions')],
];

/** Markup that browsers have to correct. */
const SYNTAX_RULES: readonly Rule[] = [
  ['obsolete element', /“(?:marquee|blink)”/, SHARED.motion, 'severe'],
  ['obsolete', null, ...OUTDATED],
  ['disallowed attribute', /“name” attribute is never allowed/, ...OUTDATED],
  [
    'duplicate attribute',
    null,
    'Visitors may miss part of the design or a function, because browsers use only the first of two values.',
    'some',
  ],
  ['redundant', null, ...harmless('this part of the code is unnecessary')],
  ['css', null, ...harmless('browsers skip the faulty style')],
  ['unknown element', null, 'Visitors may miss a word here, because browsers hide words in angle brackets.', 'some'],
  ['disallowed attribute', null, ...IGNORED],
  ['bad value', null, ...harmless('browsers make sense of the faulty value or ignore it')],
  ['missing attribute', null, ...IGNORED],
  ['character reference', null, ...harmless('browsers guess which symbol is meant')],
  ['syntax', /expecting text or an end tag/, SWALLOWED, 'severe'],
  ['syntax', /^Bad character/, ...harmless('browsers show the character as text')],
  ['syntax', /^Saw “<\?”|slash|^Self-closing|^No space|open elements|^Bogus/, ...STRUCTURE],
  ['attribute, syntax', null, MISREAD, 'some'],
  ['syntax', /Probable cause/, MISREAD, 'some'],
  ['unclosed element', /“(?:iframe|textarea|select|script|style|title|noscript)”/, SWALLOWED, 'severe'],
  ['unclosed element', /“a”/, UNSURE_LINK, 'some'],
  ['nesting', /^(?:Start|End) tag “a”/, UNSURE_LINK, 'some'],
  ['microdata', null, ...harmless('search engines may miss details, such as prices')],
  ['xml', null, ...IGNORED],
  ['script, text', null, ...IGNORED],
  ...['nesting', 'stray tag', 'unclosed element', 'end tag', 'start tag', 'void element', 'missing element'].map(
    (tag) => [tag, null, ...STRUCTURE] as const,
  ),
  ['text', null, ...STRUCTURE],
  ['image, attribute', /“area”/, ...IGNORED],
  ['list', /^Duplicate|first occurrence/, ...harmless('browsers show both terms with their explanations')],
  ['empty', null, ...IGNORED],
];

/** Of the rules whose tags are all tags of the issue, and whose pattern matches its message, the first applies. */
const RULES = [...DOCUMENT_RULES, ...MEANING_RULES, ...CONTROL_RULES, ...SYNTAX_RULES].map(
  ([tags, message, words, hindrance]) => ({ tags: tags.split(', '), message, effect: { words, hindrance } }),
);

const UNKNOWN: Effect = { words: null, hindrance: 'some' };

/** Returns whom an issue with this message and these tags hinders, and how. */
export function htmlEffect(message: string, tags: readonly string[]): Effect {
  const rule = RULES.find(
    (each) => each.tags.every((tag) => tags.includes(tag)) && (each.message === null || each.message.test(message)),
  );
  return rule?.effect ?? UNKNOWN;
}
