import { setImmediate as afterOthers } from 'node:timers/promises';
import type { FoundIssue, Json, RawCheck } from '../domain/check.ts';
import type { CheckNote } from '../domain/check-note.ts';
import type { Redaction } from '../domain/redaction.ts';

/** Others get their turn after so long: a page with very many issues is no reason to keep them waiting. */
const TURN_MS = 20;

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

/** The issues of a page without what signs in to its site. Type, tags, impact and rule are those of what the checker said. */
export async function redactIssues(issues: readonly FoundIssue[], redaction: Redaction): Promise<FoundIssue[]> {
  const walk = createWalk(redaction);
  const kinds = new Map<string, FoundIssue>();
  for (const issue of issues) {
    // The texts of rules are the checker's alone.
    const message = issue.ruleId === null ? redaction.inSentence(issue.message) : issue.message;
    const told = { ...issue, message, occurrences: await walk(issue.occurrences) };
    // Those that named two secrets of the same length are one kind now.
    const key = JSON.stringify([issue.type, issue.subType, issue.ruleId, message, issue.url]);
    const same = kinds.get(key);
    kinds.set(key, same === undefined ? told : merged(same, told));
  }
  return [...kinds.values()];
}

/** The same of notes: the URL in one may carry what signs in. */
export function redactNotes(notes: readonly CheckNote[], redaction: Redaction): CheckNote[] {
  return notes.map((note) => {
    if (note.code !== 'never_at_rest' || note.params.waiting_for === null) return note;
    return { ...note, params: { ...note.params, waiting_for: redaction.inPage(note.params.waiting_for) } };
  });
}

/** The same of a raw check. */
export async function redactRawCheck(raw: RawCheck, redaction: Redaction): Promise<RawCheck> {
  return { ...raw, json: JSON.stringify(await createWalk(redaction)(JSON.parse(raw.json))) };
}

function merged(first: FoundIssue, second: FoundIssue): FoundIssue {
  const occurrences = [first.occurrences, second.occurrences].flat();
  return { ...first, howMany: first.howMany + second.howMany, occurrences };
}

function createWalk(redaction: Redaction): (value: Json) => Promise<Json> {
  let turnEnds = performance.now() + TURN_MS;
  const walk = async (value: Json, read: keyof Redaction | undefined): Promise<Json> => {
    if (typeof value === 'string') return read === undefined ? value : redaction[read](value);
    if (typeof value !== 'object' || value === null) return value;
    if (performance.now() > turnEnds) {
      await afterOthers();
      turnEnds = performance.now() + TURN_MS;
    }
    if (Array.isArray(value)) {
      const items: Json[] = [];
      for (const item of value) items.push(await walk(item, read));
      return items;
    }
    const entries: [string, Json][] = [];
    for (const [name, inner] of Object.entries(value)) {
      entries.push([name, await walk(inner, read ?? READ_BY_NAME[name])]);
    }
    return Object.fromEntries(entries);
  };
  return (value) => walk(value, undefined);
}
