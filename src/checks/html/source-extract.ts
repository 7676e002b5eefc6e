import type { SourceTree } from '../../page-source/source-tree.ts';
import type { VnuMessage } from './vnu-output.ts';

/**
 * Characters of the source before and after an occurrence in its extract: as many as the validator shows if it has received them.
 */
const AROUND_RANGE = { before: 10, after: 6 };
const AROUND_CHARACTER = { before: 15, after: 14 };

/**
 * Returns a message with the extract and the start of its occurrence read from the document. The validator cuts extracts at the
 * end of the bytes that it has received, and may set the start of a tag one character too early there, so that both depend on how
 * the document arrived. The end of an occurrence does not.
 * @returns the message itself if its highlighted text is not at its position in the source
 */
export function withSourceExtract(message: VnuMessage, { text, lines }: SourceTree): VnuMessage {
  const { lastLine, lastColumn, firstColumn, extract, hiliteStart, hiliteLength } = message;
  if (lastLine === undefined || lastColumn === undefined || extract === undefined) return message;
  const end = lines.offsetOf({ line: lastLine, column: lastColumn }) + 1;
  const isRange = firstColumn !== undefined;
  const given = isRange ? lines.offsetOf({ line: message.firstLine ?? lastLine, column: firstColumn }) : end - 1;
  if (given < 0 || given >= end) return message;
  const start = tagStart(text, given, end);
  const highlighted = extract.slice(hiliteStart, (hiliteStart ?? 0) + (hiliteLength ?? 0));
  // A line break takes at most two characters, so a longer text cannot be the same. Reading it for each message could take
  // forever.
  if (end - start > 2 * highlighted.length) return message;
  const occurrence = unixLines(text.slice(start, end));
  if (occurrence === '' || !highlighted.endsWith(occurrence)) return message;
  const around = isRange ? AROUND_RANGE : AROUND_CHARACTER;
  const before = textBefore(text, start, around.before);
  const settled = {
    ...message,
    extract: before + occurrence + textAfter(text, end, around.after),
    hiliteStart: before.length,
    hiliteLength: occurrence.length,
  };
  if (!isRange) return settled;
  const { firstLine: _, ...rest } = settled;
  const { line, column } = lines.locationOf(start);
  return { ...rest, ...(line !== lastLine && { firstLine: line }), firstColumn: column };
}

/** Returns the start of a tag if it is the character after the given start of the occurrence; otherwise the given start. */
function tagStart(text: string, given: number, end: number): number {
  const isTag = text[end - 1] === '>' && text[given] !== '<';
  return isTag && text[given + 1] === '<' ? given + 1 : given;
}

/** Never splits a surrogate pair. */
function textBefore(text: string, offset: number, characters: number): string {
  const near = unixLines(text.slice(Math.max(0, offset - 2 * characters), offset));
  return near.slice(-characters).replace(/^[\uDC00-\uDFFF]/, '');
}

function textAfter(text: string, offset: number, characters: number): string {
  return unixLines(text.slice(offset, offset + 2 * characters))
    .slice(0, characters)
    .replace(/[\uD800-\uDBFF]$/, '');
}

function unixLines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
