import type { TextSource, TextSources } from '../checks/engine-description.ts';
import type { FoundIssue, Json, RawCheck } from '../domain/check.ts';
import type { Redaction } from '../domain/redaction.ts';
import { keptText } from './kept-text.ts';

/**
 * The issues of a page as they are kept: without what signs in to its site, and no text longer than is kept. Type, tags,
 * impact and rule are those of what the checker said.
 * @param redaction null where there is nothing to hide
 */
export function keptIssues(
  issues: readonly FoundIssue[],
  texts: TextSources,
  redaction: Redaction | null,
): FoundIssue[] {
  const kinds = new Map<string, FoundIssue>();
  const keep: ReadText = (text, source) => keptText(hidden(text, source, redaction));
  for (const issue of issues) {
    const message = keep(issue.message, texts.message);
    const occurrences = walk(issue.occurrences, texts, keep);
    const kept = { ...issue, message, occurrences };
    // Those that named two secrets of the same length, or differ in what is left out, are one kind now.
    const key = JSON.stringify([issue.type, issue.subType, issue.ruleId, message, issue.url]);
    const same = kinds.get(key);
    kinds.set(key, same === undefined ? kept : merged(same, kept));
  }
  return [...kinds.values()];
}

/** A raw check without what signs in to the site. */
export function redactRawCheck(raw: RawCheck, texts: TextSources, redaction: Redaction): RawCheck {
  const redact: ReadText = (text, source) => hidden(text, source, redaction);
  return { ...raw, json: JSON.stringify(walk(JSON.parse(raw.json), texts, redact)) };
}

function hidden(text: string, source: TextSource, redaction: Redaction | null): string {
  if (redaction === null || source === 'engine') return text;
  return source === 'page' ? redaction.inPage(text) : redaction.inMessage(text);
}

function merged(first: FoundIssue, second: FoundIssue): FoundIssue {
  const occurrences = [first.occurrences, second.occurrences].flat();
  return { ...first, howMany: first.howMany + second.howMany, occurrences };
}

/** Returns what is kept of a text. */
type ReadText = (text: string, source: TextSource) => string;

function walk(value: Json, texts: TextSources, readText: ReadText, source?: TextSource): Json {
  if (typeof value === 'string') return readText(value, source ?? 'page');
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => walk(item, texts, readText, source));
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, walk(inner, texts, readText, source ?? texts.fields[name])]),
  );
}
