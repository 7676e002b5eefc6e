/**
 * What messages of the validator quote out of the page. Pages put any text there, so it is found by searches that pass each
 * character once: a pattern that goes back would take the square of the length.
 */

/** A text in which every piece outside of “quotation marks” has been replaced. */
export function mapOutside(text: string, replace: (wording: string) => string): string {
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

/** The same text with “” in place of pairs of straight quotation marks and of backticks. */
export function withTypographicQuotes(text: string): string {
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

/** Where a message quotes values, texts and CSS, after which words, until which others. Words are in lower case. */
const QUOTATIONS: readonly {
  readonly after: string;
  readonly until: string;
  /** Whether the last of these ends it: what is quoted may hold it, too. */
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

/** The message with nothing between those quotation marks: what is there would match patterns by chance. */
export function withoutPageText(message: string): string {
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
