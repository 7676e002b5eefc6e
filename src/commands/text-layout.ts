import { stripVTControlCharacters } from 'node:util';
import type { Output } from './terminal.ts';

/** The width of terminals that do not report it. */
const COLUMNS_DEFAULT = 80;

/** Returns the columns of a terminal, or infinity for files and pipes, which get whole lines. */
export function columnsOf({ isTTY, columns }: Pick<Output, 'isTTY' | 'columns'>): number {
  return isTTY === true ? columns || COLUMNS_DEFAULT : Number.POSITIVE_INFINITY;
}

const CONTROLS = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** Returns text as one line without control characters, so that text from sites and users cannot control the terminal. */
export function plainLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu, ' ').trim();
}

/**
 * Breaks a line between words into lines of at most `columns`. Longer words, such as URLs, stay whole.
 * @param first the columns available for the first line
 */
export function wrap(line: string, columns: number, first = columns): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (current === '' || widthOf(longer) <= (lines.length === 0 ? first : columns)) {
      current = longer;
    } else {
      lines.push(current.trimEnd());
      current = word;
    }
  }
  return [...lines, current];
}

/** Writes one or more lines of text, wrapped to the width of the terminal. Control characters become spaces. */
export function writeText(output: Output, text: string): void {
  for (const line of text.split('\n')) {
    output.write(`${wrap(line.replace(CONTROLS, ' '), columnsOf(output)).join('\n')}\n`);
  }
}

/** Truncates a line to this many columns, with an ellipsis. */
export function cut(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  let kept = '';
  for (const character of line) {
    if (widthOf(kept + character) >= columns) break;
    kept += character;
  }
  return `${kept}…`;
}

const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{Emoji_Presentation}\u3000-\u303F\uFF01-\uFF60]/u;

/** Returns the columns that text occupies on a terminal, without its colors. */
export function widthOf(text: string): number {
  return [...stripVTControlCharacters(text)].reduce((width, character) => {
    if (/\p{M}/u.test(character)) return width;
    return width + (WIDE.test(character) ? 2 : 1);
  }, 0);
}

/** Formats a duration: `0.4 s`, `12 s`, `5 min`, `2 h`. */
export function duration(seconds: number): string {
  if (seconds < 9.95) return `${Number(seconds.toFixed(1))} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return seconds < 90 * 60 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

/** Formats rows as lines with aligned columns, without control characters. */
export function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replace(/\p{Cc}/gu, ' ')));
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
