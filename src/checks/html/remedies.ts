/** How to fix HTML issues, by the topics of their messages. A test verifies that messages of real pages have one. */

/** The first remedy whose tags are all tags of the issue applies. */
const REMEDIES: readonly (readonly [tags: readonly string[], remedy: string])[] = [
  [['parsing stopped'], 'Fix the previous error, then check the page again: the rest of the page was not checked.'],
  [['duplicate id'], 'Give each element its own ID, and change the labels, links and scripts that refer to it.'],
  [['duplicate attribute'], 'Remove all but one of the attributes with this name: browsers use only the first.'],
  [['doctype'], 'Make <!DOCTYPE html> the first line of the document, before anything else.'],
  [['obsolete attribute'], 'Remove the attribute. Use CSS or the replacement named in the message.'],
  [['obsolete element'], 'Use CSS if the element only affects appearance; otherwise use a current HTML element.'],
  [['unknown element'], 'Use an HTML element. The names of custom elements must contain a hyphen.'],
  [['redundant'], 'Remove it: it has no effect.'],
  [['stray tag'], 'Remove the tag, or add the matching tag. Often an earlier element ends too early.'],
  [['attribute', 'end tag'], 'Move the attributes to the start tag: end tags cannot have attributes.'],
  [
    ['void element'],
    'Write a start tag and an end tag: only elements without content, such as “br”, may end with “/>”.',
  ],
  [['unclosed element'], 'Add the missing end tag, and close elements in the reverse order of their start tags.'],
  [['end tag'], 'Close elements in the reverse order of their start tags, each with its own end tag.'],
  [
    ['image', 'missing attribute'],
    'Add the attribute that the message names. In “alt”, describe the image; leave it empty for decorative images.',
  ],
  [['missing attribute'], 'Add the attribute that the message names to the element.'],
  [['missing element'], 'Add the element that the message names.'],
  [['heading', 'empty'], 'Add text to the heading, or remove it.'],
  [['bad value', 'empty'], 'Give the attribute a value, or remove it.'],
  [['empty'], 'Give the element content, or remove it.'],
  [['table', 'text'], 'Move the text into a cell of the table, or out of the table.'],
  [['nesting', 'text'], 'Remove the text, or put it into an element that allows text.'],
  [['nesting'], 'Move the inner element out of the outer one, or use another element for one of them.'],
  [
    ['aria', 'disallowed attribute'],
    'Remove the attribute, or use an element or a role that supports it: plain “div” and “span” do not.',
  ],
  [['disallowed attribute'], 'Remove the attribute, or move it to an element that supports it. It may be misspelled.'],
  [
    ['bad value', 'url'],
    'Percent-encode characters that URLs must not contain (a space as %20), and fill in leftover template placeholders.',
  ],
  [['bad value', 'id'], 'Use an ID or a name without spaces.'],
  [['bad value'], 'Use a value that the attribute allows: the end of the message says what is wrong.'],
  [['language'], 'Set the language of the page in the “html” start tag, for example lang="en".'],
  [['viewport'], 'Let users zoom: remove “user-scalable=no” and “maximum-scale” from the viewport.'],
  [['sectioning', 'heading'], 'Start the section with a heading, or use “div” if it needs no heading.'],
  [['heading'], 'Start with one “h1”, and go down one level at a time.'],
  [['table'], 'Give each row as many cells as the table has columns, counting “colspan” and “rowspan”.'],
  [['css'], 'Fix the property or its value: browsers ignore what they do not support.'],
  [['character reference'], 'End the reference with a semicolon, or write “&” as “&amp;” if no reference is intended.'],
  [['character encoding'], 'Save the document as UTF-8, and put <meta charset="utf-8"> at the start of its head.'],
  [['unicode'], 'Replace the character with an allowed character or a space.'],
  [['attribute', 'syntax'], 'Look for a missing quotation mark, “=” or “>” just before this position.'],
  [['syntax'], 'Check this position and the text before it for a missing or unescaped character: write “<” as “&lt;”.'],
  [['form', 'url'], 'Remove the attribute: a form without “action” is submitted to the page that it is on.'],
  [['form'], 'Change the control or its attributes so that they match, as the message says.'],
  [['aria'], 'Follow the rule in the message, or use an HTML element that has this meaning without ARIA.'],
  [['recommendation'], 'Follow the advice, or mute the issue if it does not apply.'],
];

/** Returns how to fix an issue with these tags, in one or two sentences; null if only its message explains it. */
export function htmlRemedy(tags: readonly string[]): string | null {
  return REMEDIES.find(([needed]) => needed.every((tag) => tags.includes(tag)))?.[1] ?? null;
}
