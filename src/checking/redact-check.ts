import type { FoundIssue, Json, RawCheck } from '../domain/check.ts';
import type { CheckNote } from '../domain/check-note.ts';
import type { Redaction } from '../domain/redaction.ts';
import { keptText } from './kept-text.ts';

/** What in a checker's output comes from the page, by name: its own text, or the checker's sentences about it. */
const READ_BY_NAME: Readonly<Record<string, keyof Redaction>> = {
  extract: 'inPage',
  html: 'inPage',
  target: 'inPage',
  xpath: 'inPage',
  ancestry: 'inPage',
  data: 'inPage',
  message: 'inSentence',
  failureSummary: 'inSentence',
  failure_summary: 'inSentence',
};

/**
 * The issues of a page as they are kept: without what signs in to its site, and no text longer than is kept. Type, tags,
 * impact and rule are those of what the checker said.
 * @param redaction null where there is nothing to hide
 */
export function keptIssues(issues: readonly FoundIssue[], redaction: Redaction | null): FoundIssue[] {
  const kinds = new Map<string, FoundIssue>();
  for (const issue of issues) {
    // The texts of rules are the checker's alone.
    const told = issue.ruleId === null ? redaction?.inSentence(issue.message) : undefined;
    const message = keptText(told ?? issue.message);
    const occurrences = walk(issue.occurrences, (text, read) => {
      return keptText(read === undefined || redaction === null ? text : redaction[read](text));
    });
    const kept = { ...issue, message, occurrences };
    // Those that named two secrets of the same length, or differ in what is left out, are one kind now.
    const key = JSON.stringify([issue.type, issue.subType, issue.ruleId, message, issue.url]);
    const same = kinds.get(key);
    kinds.set(key, same === undefined ? kept : merged(same, kept));
  }
  return [...kinds.values()];
}

/** Notes without what signs in to the site: the URL in one may carry it. */
export function redactNotes(notes: readonly CheckNote[], redaction: Redaction): CheckNote[] {
  return notes.map((note) => {
    if (note.code !== 'never_at_rest' || note.params.waiting_for === null) return note;
    return { ...note, params: { ...note.params, waiting_for: redaction.inPage(note.params.waiting_for) } };
  });
}

/** A raw check without what signs in to the site. */
export function redactRawCheck(raw: RawCheck, redaction: Redaction): RawCheck {
  const redact: ReadText = (text, read) => (read === undefined ? text : redaction[read](text));
  return { ...raw, json: JSON.stringify(walk(JSON.parse(raw.json), redact)) };
}

function merged(first: FoundIssue, second: FoundIssue): FoundIssue {
  const occurrences = [first.occurrences, second.occurrences].flat();
  return { ...first, howMany: first.howMany + second.howMany, occurrences };
}

/** Gives what stands for a text; `read` says what it is if it comes from the page. */
type ReadText = (text: string, read: keyof Redaction | undefined) => string;

function walk(value: Json, readText: ReadText, read?: keyof Redaction): Json {
  if (typeof value === 'string') return readText(value, read);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => walk(item, readText, read));
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([name, inner]) => [name, walk(inner, readText, read ?? READ_BY_NAME[name])]));
}
