/** The contents of a ticket about an issue type. */
export interface TicketIssue {
  readonly title: string;
  /** The severity, as a word. */
  readonly severity: string;
  /** The extent, such as `40 elements on 34 pages of bakery.example`. */
  readonly extent: string;
  /** Who it affects and how; null if unknown. */
  readonly effect: string | null;
  /** How to fix it; an empty string if the title says it all. */
  readonly remedy: string;
  /** The URL of the issue's screen. */
  readonly url: string;
  readonly occurrences: readonly TicketOccurrence[];
  /** Number of other groups of occurrences, which the ticket does not list. */
  readonly more: number;
}

interface TicketOccurrence {
  readonly markup: string;
  /** Its colors, such as `#777777 on #ffffff`, and the style rules that set them; empty if the issue is not about colors. */
  readonly colors: string;
  readonly selector: string | null;
  /** The page of the first occurrence. */
  readonly url: string;
  readonly line: number | null;
  readonly how_many: number;
}

/**
 * Returns an issue type as Markdown for an issue tracker. Markup from the site appears only as code, so that none of it renders.
 */
export function ticketOf({ title, severity, extent, effect, remedy, url, occurrences, more }: TicketIssue): string {
  return [
    `## ${escaped(title)}`,
    `**${severity}**, ${escaped(extent)}`,
    ...(effect === null ? [] : [escaped(effect)]),
    ...(remedy === '' ? [] : [escaped(remedy)]),
    ...occurrences.map(occurrenceText),
    ...(more === 0 ? [] : [`…and ${more} more.`]),
    `<${url}>`,
    '',
  ].join('\n\n');
}

function occurrenceText({ markup, colors, selector, url, line, how_many: howMany }: TicketOccurrence): string {
  const fence = '`'.repeat(Math.max(3, longestRun(markup) + 1));
  const at = `${line === null ? '' : `line ${line} of `}<${url}>`;
  const where = selector === null ? at : `${at}, ${inlineCode(selector)}`;
  const first = howMany === 1 ? where : `${howMany} times, first at ${where}`;
  return `${first}${colors === '' ? '' : `\n\n${inlineCode(colors)}`}\n\n${fence}html\n${markup}\n${fence}`;
}

function inlineCode(text: string): string {
  const fence = '`'.repeat(longestRun(text) + 1);
  // A space prevents a trailing backtick from joining the fence (CommonMark 0.31, 6.1).
  return text.includes('`') ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}

/** Titles quote names of elements and parts of the source, which must not become markup of the ticket. */
function escaped(text: string): string {
  return text.replace(/[\\`*_[\]<>#|~]/g, '\\$&').replace(/\s+/g, ' ');
}
