/** How to fix HTML issues, by what their messages are about. A test verifies that messages of real pages have one. */

/** The first one whose tags the issue has all is its remedy. */
const REMEDIES: readonly (readonly [tags: readonly string[], remedy: string])[] = [
  [['parsing stopped'], 'Fix the error before this one, then check the page again: the rest of it was not checked.'],
  [['duplicate id'], 'Give each element its own ID, and change the labels, links and scripts that refer to it.'],
  [['duplicate attribute'], 'Remove all but one of the attributes with this name: browsers use only the first.'],
  [['doctype'], 'Make <!DOCTYPE html> the first line of the document, before anything else.'],
  [
    ['obsolete attribute'],
    'Remove the attribute. Do what it did in CSS, or with the replacement that the message names.',
  ],
  [['obsolete element'], 'Replace the element: by CSS for its look, or by an element that HTML has for its meaning.'],
  [['unknown element'], 'Use an element that HTML has, or give the element of a script a name with a hyphen.'],
  [['redundant'], 'Remove it: it has no effect.'],
  [['stray tag'], 'Remove the tag, or add the one that belongs to it. Often an element before it ends too early.'],
  [['attribute', 'end tag'], 'Move the attributes to the start tag: end tags have none.'],
  [
    ['void element'],
    'Write a start tag and an end tag: only elements without content, such as “br”, may end with “/>”.',
  ],
  [['unclosed element'], 'Add the missing end tag, and close elements in the reverse order of their start tags.'],
  [['end tag'], 'Close elements in the reverse order of their start tags, each with an end tag of its own.'],
  [
    ['image', 'missing attribute'],
    'Add the attribute that the message names. In “alt”, say what the image shows; leave it empty for decoration.',
  ],
  [['missing attribute'], 'Add the attribute that the message names to the element.'],
  [['missing element'], 'Add the element that the message names.'],
  [['heading', 'empty'], 'Put a text into the heading, or remove it.'],
  [['bad value', 'empty'], 'Give the attribute a value, or remove it.'],
  [['empty'], 'Give the element content, or remove it.'],
  [['table', 'text'], 'Move the text into a cell of the table, or out of the table.'],
  [['nesting', 'text'], 'Remove the text, or put it into an element that allows text.'],
  [['nesting'], 'Move the inner element out of the outer one, or use another element for one of the two.'],
  [
    ['aria', 'disallowed attribute'],
    'Remove the attribute, or use an element or a role that has it: “div” and “span” alone have none.',
  ],
  [['disallowed attribute'], 'Remove the attribute, or move it to an element that has it. It may be misspelled.'],
  [
    ['bad value', 'url'],
    'Percent-encode what URLs may not contain (a space as %20), and fill in placeholders of templates that are left.',
  ],
  [['bad value', 'id'], 'Use an ID or a name without spaces.'],
  [['bad value'], 'Use a value that the attribute allows: the end of the message says what is wrong with this one.'],
  [['language'], 'Name the language of the page in the “html” start tag, for example with lang="en".'],
  [['viewport'], 'Let people zoom: remove “user-scalable=no” and “maximum-scale” from the viewport.'],
  [['sectioning', 'heading'], 'Begin the section with a heading, or use “div” if it needs none.'],
  [['heading'], 'Begin with one “h1”, and go down one level at a time.'],
  [['table'], 'Give each row as many cells as the table has columns, counting “colspan” and “rowspan”.'],
  [['css'], 'Correct the property or its value: browsers ignore what they do not understand.'],
  [['character reference'], 'End the reference with a semicolon, or write “&” as “&amp;” if none is meant.'],
  [['character encoding'], 'Save the document as UTF-8, and put <meta charset="utf-8"> at the start of its head.'],
  [['unicode'], 'Replace the character by one that is allowed, or by a space.'],
  [['attribute', 'syntax'], 'Look just before this place for a quotation mark, “=” or “>” that is missing.'],
  [
    ['syntax'],
    'Look at this place and just before it for a character that is missing or has to be escaped, “<” as “&lt;”.',
  ],
  [['form', 'url'], 'Remove the attribute: a form without “action” is sent to its own page.'],
  [['form'], 'Change the control or its attributes so that they agree, as the message says.'],
  [['aria'], 'Follow the rule in the message, or use an HTML element that has this meaning without ARIA.'],
  [['recommendation'], 'Follow the advice, or mute the issue where it does not apply.'],
];

/** Returns how to fix an issue with these tags, in one or two sentences; null if only its message says it. */
export function htmlRemedy(tags: readonly string[]): string | null {
  return REMEDIES.find(([needed]) => needed.every((tag) => tags.includes(tag)))?.[1] ?? null;
}
