import type { TextSource, TextSources } from '../checks/engine-description.ts';
import { messageMaxCharacters } from '../checks/limits.ts';
import { engineOf } from '../checks/registry.ts';
import type { CheckKind, FoundIssue, Json, RawCheck } from '../domain/check.ts';
import { CheckFailure } from '../domain/check-failure.ts';
import type { CheckNote } from '../domain/check-note.ts';
import { createRedaction, type Redaction, redacted } from '../domain/redaction.ts';
import type { SiteAccess } from '../domain/site-access.ts';
import { shortened } from '../platform/shorten.ts';
import { slicesOf } from '../platform/slices.ts';
import { type PackedIssue, packIssue } from '../store/occurrences.ts';
import { type PackedRawCheck, packRawCheck } from '../store/raw-checks.ts';

/** Issues that go from one thread to another at a time: a few milliseconds' work for who takes them. */
const ISSUES_PER_PART = 1_000;

/** What a checker has answered, to be judged. Plain data, which goes from one thread to another. */
export interface AnsweredCheck {
  readonly kind: CheckKind;
  /** As `EngineRuntime.collect` returned it. */
  readonly answer: Uint8Array;
  readonly url: string;
  /** What signs in to the site, and must not be told. */
  readonly access: SiteAccess;
  /** Whether the raw check is to be kept. */
  readonly storesRaw: boolean;
}

/** A part of what a check found, or why it has failed. Plain data, too. */
export type InterpretedPart =
  | { readonly issues: readonly PackedIssue[] }
  | { readonly notes: readonly CheckNote[] }
  | { readonly raw: PackedRawCheck }
  | { readonly failed: Pick<CheckFailure, 'failure' | 'permanent' | 'blame'> };

/** Makes of a checker's answer what is stored of it: judged, without what signs in, no text longer than is kept, packed. */
export function* interpretCheck({ kind, answer, url, access, storesRaw }: AnsweredCheck): Generator<InterpretedPart> {
  try {
    const { interpret, texts } = engineOf(kind);
    const { issues, notes, rawCheck } = interpret(answer, url);
    const redaction = createRedaction(access);
    const kept = keptIssues(issues, texts, redaction);
    for (const slice of slicesOf(kept, ISSUES_PER_PART)) yield { issues: slice.map(packIssue) };
    if (notes.length > 0) yield { notes: redacted(notes, redaction) };
    const raw = storesRaw ? rawCheck() : null;
    if (raw !== null) yield { raw: packRawCheck(redaction === null ? raw : redactRawCheck(raw, texts, redaction)) };
  } catch (error) {
    if (!(error instanceof CheckFailure)) throw error;
    const { failure, permanent, blame } = error;
    yield { failed: { failure, permanent, blame } };
  }
}

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
  const keep: ReadText = (text, source) => keptText(redactedText(text, source, redaction));
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
  const redact: ReadText = (text, source) => redactedText(text, source, redaction);
  return { ...raw, json: JSON.stringify(walk(JSON.parse(raw.json), texts, redact)) };
}

function redactedText(text: string, source: TextSource, redaction: Redaction | null): string {
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
    entries.map(([name, inner]) => [name, walk(inner, texts, readText, source ?? sourceOf(name, texts))]),
  );
}

function sourceOf(name: string, { fields }: TextSources): TextSource | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** Bytes of a kept text as JSON for each of its characters: those of every language take no more, control characters six. */
const bytesPerCharacterMax = 3;

/**
 * A text of an issue as it is kept: of one that is too long the start and the end, with `…` between them. So a list of 100
 * common issues stays under 2 MB, whatever a site sends.
 */
function keptText(text: string): string {
  const kept = shortened(text, messageMaxCharacters);
  const bytes = kept.length * 2 < messageMaxCharacters ? 0 : Buffer.byteLength(JSON.stringify(kept));
  return bytes <= bytesPerCharacterMax * messageMaxCharacters ? kept : shortened(text, messageMaxCharacters / 2);
}
