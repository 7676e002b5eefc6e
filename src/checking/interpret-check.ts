import type { OccurrenceClue, TextSource, TextSources } from '../checks/engine-description.ts';
import { messageMaxCharacters } from '../checks/limits.ts';
import { engineOf } from '../checks/registry.ts';
import type { CheckKind, FetchedDocument, FoundIssue, Json, RawCheck } from '../domain/check.ts';
import { CheckFault } from '../domain/check-fault.ts';
import type { CheckNote } from '../domain/check-note.ts';
import type { LoadedResources } from '../domain/loaded-resource.ts';
import { createRedaction, type Redaction, redacted } from '../domain/redaction.ts';
import type { ShownAs } from '../domain/shown-as.ts';
import type { SiteAccess } from '../domain/site-access.ts';
import { clusterTypeFingerprint, issueTypeFingerprint, PageIdentities } from '../issues/identity.ts';
import type { SourceElement } from '../page-source/source-element.ts';
import { elementAt, parseSource, type SourceTree } from '../page-source/source-tree.ts';
import { shortened } from '../platform/shorten.ts';
import { slicesOf } from '../platform/slices.ts';
import { decodeDocument, isXhtml } from '../spider/decode-document.ts';
import { type IdentifiedIssue, type PackedIssue, packIssue } from '../store/issues/packed-issues.ts';
import { type PackedRawCheck, packRawCheck } from '../store/pages/raw-checks.ts';
import { createSplitter, type IssueSplitter } from './split-by-selectors.ts';

/** Issues passed between threads at a time: a few milliseconds of work for the receiver. */
const ISSUES_PER_PART = 1_000;

/** The output of an engine, to be interpreted. Plain data, which can be passed to another thread. */
export interface AnsweredCheck {
  readonly kind: CheckKind;
  /** As `EngineRuntime.collect` returned it. */
  readonly answer: Uint8Array;
  readonly url: string;
  /** The document that was checked. */
  readonly document: Pick<FetchedDocument, 'body' | 'contentType'>;
  /** The site credentials, to be masked. */
  readonly access: SiteAccess;
  /** Values of the session that the login of the report began, also to be masked; absent for none. */
  readonly ofSession?: readonly string[];
  /** Whether to store the raw check. */
  readonly storesRaw: boolean;
  /** Selectors of the mutings of the report and its account; absent for none. */
  readonly mutedSelectors?: readonly string[];
}

/** A part of the result of a check, or why it failed. Also plain data. */
export type InterpretedPart =
  | { readonly issues: readonly PackedIssue[] }
  | { readonly notes: readonly CheckNote[] }
  | { readonly shownAs: ShownAs }
  | { readonly engineVersion: string }
  | { readonly resources: string }
  | { readonly loaded: LoadedResources }
  | { readonly raw: PackedRawCheck }
  | { readonly failed: Pick<CheckFault, 'failure' | 'permanent' | 'blame'> };

const SELECTORS_IGNORED: CheckNote = { code: 'selectors_ignored', params: {} };

/** Interprets the output of an engine, and yields what is stored: packed, with credentials masked and texts shortened. */
export function* interpretCheck(check: AnsweredCheck): Generator<InterpretedPart> {
  const { kind, answer, url, document, access, ofSession, storesRaw, mutedSelectors = [] } = check;
  try {
    const { interpret, texts } = engineOf(kind);
    const elements = once(() => elementsOf(document));
    const { issues, notes, engineVersion, resources, loaded, shownAs, rawCheck } = interpret(answer, url, elements);
    const redaction = createRedaction(access, ofSession);
    const splitter = mutedSelectors.length === 0 ? null : createSplitter(mutedSelectors);
    const kept = identified(kind, keptIssues(issues, texts, redaction), { url, elements, splitter });
    for (const slice of slicesOf(kept, ISSUES_PER_PART)) yield { issues: slice.map(packIssue) };
    if (engineVersion !== null) yield { engineVersion };
    if (resources !== undefined) yield { resources };
    if (loaded != null) yield { loaded };
    if (shownAs !== undefined) yield { shownAs };
    const allNotes = splitter?.isExhausted() ? [...notes, SELECTORS_IGNORED] : notes;
    if (allNotes.length > 0) yield { notes: redacted(allNotes, redaction) };
    const raw = storesRaw ? rawCheck() : null;
    if (raw !== null) yield { raw: packRawCheck(redaction === null ? raw : redactRawCheck(raw, texts, redaction)) };
  } catch (error) {
    if (!(error instanceof CheckFault)) throw error;
    const { failure, permanent, blame } = error;
    yield { failed: { failure, permanent, blame } };
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Browsers parse XML documents differently. */
function elementsOf({ body, contentType }: AnsweredCheck['document']): SourceTree | null {
  return isXhtml(contentType) ? null : parseSource(decodeDocument(body, contentType));
}

/**
 * Returns the issues of a page as they are stored: credentials masked, texts shortened. Type, tags, impact and rule are not
 * changed.
 * @param redaction null without credentials
 */
export function keptIssues(
  issues: readonly FoundIssue[],
  texts: TextSources,
  redaction: Redaction | null,
): FoundIssue[] {
  const kinds = new Map<string, { readonly issue: FoundIssue; howMany: number; readonly occurrences: Json[] }>();
  const keep: ReadText = (text, source) => keptText(redactedText(text, source, redaction));
  for (const issue of issues) {
    const message = keep(issue.message, texts.message);
    const occurrences = mapTexts(issue.occurrences, texts, keep);
    // Issues that differ only in masked or omitted text are merged.
    const key = JSON.stringify([issue.type, issue.subType, issue.ruleId, message, issue.url]);
    const same = kinds.get(key);
    if (same === undefined) {
      kinds.set(key, { issue: { ...issue, message }, howMany: issue.howMany, occurrences: [occurrences].flat() });
    } else {
      same.howMany += issue.howMany;
      for (const occurrence of [occurrences].flat()) same.occurrences.push(occurrence);
    }
  }
  return [...kinds.values()].map(({ issue, howMany, occurrences }) => ({ ...issue, howMany, occurrences }));
}

/** Adds the fingerprints of the issues of a page, and splits the issues by the selectors of mutings. */
function identified(
  kind: CheckKind,
  issues: readonly FoundIssue[],
  {
    url: pageUrl,
    elements,
    splitter,
  }: {
    readonly url: string;
    readonly elements: () => SourceTree | null;
    /** Null without selectors. */
    readonly splitter: IssueSplitter | null;
  },
): IdentifiedIssue[] {
  const elementOf = (at: OccurrenceClue['at']): SourceElement | null => {
    const tree = at === null ? null : elements();
    return at === null || tree === null ? null : elementAt(tree, tree.lines.offsetOf(at));
  };
  const { isNamedByRule, issues: described } = engineOf(kind);
  const identities = new PageIdentities(pageUrl);
  return issues.flatMap((issue) => {
    const fingerprint = issueTypeFingerprint(kind, issue, isNamedByRule);
    const occurrences = described.occurrenceClues(issue).map((clue) => ({
      ...clue,
      element: elementOf(clue.at),
      edited: elementOf(clue.edited ?? null),
    }));
    const clusterType = isNamedByRule ? fingerprint : clusterTypeFingerprint(kind, issue.message);
    const found = { ...issue, identity: identities.identify(fingerprint, occurrences, clusterType) };
    if (splitter === null) return [found];
    const shown = described.shownOccurrences(issue);
    return splitter.split(
      found,
      occurrences.map((occurrence, index) => ({ ...occurrence, selector: shown[index]?.selector ?? null })),
    );
  });
}

/** Returns a raw check with the site credentials masked. */
export function redactRawCheck(raw: RawCheck, texts: TextSources, redaction: Redaction): RawCheck {
  const redact: ReadText = (text, source) => redactedText(text, source, redaction);
  return { ...raw, json: JSON.stringify(mapTexts(JSON.parse(raw.json), texts, redact)) };
}

function redactedText(text: string, source: TextSource, redaction: Redaction | null): string {
  if (redaction === null || source === 'engine') return text;
  return source === 'page' ? redaction.inPage(text) : redaction.inMessage(text);
}

/** Returns text in the form in which it is stored. */
type ReadText = (text: string, source: TextSource) => string;

function mapTexts(value: Json, texts: TextSources, readText: ReadText, source?: TextSource): Json {
  if (typeof value === 'string') return readText(value, source ?? 'page');
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => mapTexts(item, texts, readText, source));
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, mapTexts(inner, texts, readText, source ?? sourceOf(name, texts))]),
  );
}

function sourceOf(name: string, { fields }: TextSources): TextSource | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** Bytes of a stored text as JSON per character: enough for every language; control characters take six. */
const bytesPerCharacterMax = 3;

/**
 * If a text of an issue is too long, shortens it to its start and end with `…` between them. So a list of 100 common issues stays
 * under 2 MB, regardless of what a site sends.
 */
function keptText(text: string): string {
  const kept = shortened(text, messageMaxCharacters);
  const bytes = kept.length * 2 < messageMaxCharacters ? 0 : Buffer.byteLength(JSON.stringify(kept));
  return bytes <= bytesPerCharacterMax * messageMaxCharacters ? kept : shortened(text, messageMaxCharacters / 2);
}
