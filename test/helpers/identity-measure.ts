import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5';
import { interpretCheck } from '../../src/checking/interpret-check.ts';
import type { CheckKind } from '../../src/domain/check.ts';
import { NO_ACCESS } from '../../src/domain/site-access.ts';
import { type CheckedPage, occurrencesIn } from '../../src/issues/diff-pages.ts';
import { followEdits } from '../../src/issues/follow-edits.ts';
import { CLUSTER_BYTES, TRACE_BYTES, TRACE_PATH_BYTES } from '../../src/issues/identity.ts';
import { unpackOccurrences } from '../../src/store/issues/packed-issues.ts';
import type { EditedDocument } from './draft.ts';

/** Compares the fingerprints of a page and an edited version of it with what the edit is known to have done. */

export interface FoundOccurrence {
  /** Check, type and message. */
  readonly kind: string;
  /** What identifies this over reports and versions; empty for results without. */
  readonly issueTypeFingerprint: string;
  readonly fingerprint: string;
  readonly cluster: string;
  readonly trace: Uint8Array;
  /** Of the last character of the occurrence, or of the first one of the element; null if it is not in the source. */
  readonly offset: number | null;
}

export interface Kept {
  /** Occurrences of the original in markup that the edit did not change, and whose issue is still reported. */
  readonly untouched: number;
  /** Those that have the same fingerprint. */
  readonly kept: number;
  /** Occurrences in markup that the edit changed on purpose, and whose issue is still reported. */
  readonly edited: number;
  /** Those that persist: the fingerprint is the same, or the edit was followed. */
  readonly followed: number;
  /**
   * Those, and those whose fingerprint went to an occurrence that is equal in every respect, so that they cannot be told apart.
   */
  readonly matched: number;
  /** Untouched occurrences that are reported as new, and as fixed: their fingerprints are on one page only. */
  readonly falseNew: number;
  readonly falseFixed: number;
  /** Occurrences reported as persisting instead of others that do not look the same, and were not equal before the edit. */
  readonly falsePersisting: number;
  /** Pairs of occurrences of one page with the same fingerprint. */
  readonly shared: number;
}

/** Interprets an engine's output for a document as the product does. */
export function occurrencesOf(kind: CheckKind, answer: Uint8Array, text: string, url: string): FoundOccurrence[] {
  const document = { body: Buffer.from(text), contentType: 'text/html; charset=utf-8' };
  const starts = [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map((match) => match.index + match[0].length)];
  const occurrences: FoundOccurrence[] = [];
  for (const part of interpretCheck({ kind, answer, url, document, access: NO_ACCESS, storesRaw: false })) {
    if ('failed' in part) throw new Error(`${url}: ${JSON.stringify(part.failed)}`);
    for (const issue of 'issues' in part ? part.issues : []) {
      const fingerprints = occurrencesIn(issue.identity.occurrences);
      const clusters = Buffer.from(issue.identity.clusters);
      const traces = Buffer.from(issue.identity.traces);
      const reported = unpackOccurrences(issue.occurrences) as readonly Occurrence[];
      for (const [index, occurrence] of reported.entries()) {
        const at = linesOf(occurrence);
        const offset = at === null ? null : (starts[at[0] - 1] ?? 0) + at[1] - 1;
        const name = `${kind} ${issue.type} ${issue.message}`;
        const cluster = clusters.toString('hex', CLUSTER_BYTES * index, CLUSTER_BYTES * (index + 1));
        const issueTypeFingerprint = issue.identity.kind;
        const trace = traces.subarray(TRACE_BYTES * index, TRACE_BYTES * (index + 1));
        occurrences.push({
          kind: name,
          issueTypeFingerprint,
          fingerprint: fingerprints[index] ?? '',
          cluster,
          trace,
          offset,
        });
      }
    }
  }
  return occurrences;
}

interface Occurrence {
  readonly coordinates?: { readonly last_line: number; readonly last_column: number };
  readonly place?: { readonly line: number | null; readonly column: number | null };
}

function linesOf({ coordinates, place }: Occurrence): readonly [line: number, column: number] | null {
  if (coordinates !== undefined)
    return coordinates.last_line === 0 ? null : [coordinates.last_line, coordinates.last_column];
  return place?.line && place.column ? [place.line, place.column] : null;
}

/**
 * Compares the occurrences of a document with the occurrences of its edited version. Occurrences that are not in the source do
 * not count.
 */
export function compareEdited(
  original: readonly FoundOccurrence[],
  edited: EditedDocument,
  after: readonly FoundOccurrence[],
): Kept {
  const before = withEditsFollowed(original, after);
  const touched = new Set(edited.touched.map(([from]) => from));
  const looks = lookOf(edited.text);
  const look = (occurrence: FoundOccurrence): string => `${occurrence.kind} ${looks(occurrence.offset)}`;
  const truths = truthsOf(before, edited, after);
  const fates = new Map([...truths].map(([now, original]) => [original, now]));
  const originals = new Map(before.map((occurrence) => [occurrence.fingerprint, occurrence]));
  const holders = new Map(after.map((occurrence) => [occurrence.fingerprint, occurrence]));
  const counts = {
    untouched: 0,
    kept: 0,
    edited: 0,
    followed: 0,
    matched: 0,
    falseNew: 0,
    falseFixed: 0,
    falsePersisting: 0,
  };
  for (const [now, original] of truths) {
    if (touched.has(original.offset ?? -1)) {
      counts.edited += 1;
      if (holders.get(original.fingerprint) === now) counts.followed += 1;
      continue;
    }
    counts.untouched += 1;
    const holder = holders.get(original.fingerprint);
    if (holder === now) counts.kept += 1;
    if (holder === now || (holder !== undefined && look(holder) === look(now))) counts.matched += 1;
    if (holder === undefined) counts.falseFixed += 1;
    if (!originals.has(now.fingerprint)) counts.falseNew += 1;
  }
  for (const occurrence of after) {
    const claimed = originals.get(occurrence.fingerprint);
    // The fate of occurrences that are not in the source is not known.
    if (claimed === undefined || claimed.offset === null || claimed === truths.get(occurrence)) continue;
    if (isEqual(claimed, truths.get(occurrence))) continue;
    const fate = fates.get(claimed);
    if (fate === undefined || look(fate) !== look(occurrence)) counts.falsePersisting += 1;
  }
  return { ...counts, shared: before.length - originals.size + after.length - holders.size };
}

/** Returns whether two occurrences of a page have the same kind, start tag and text: only a number tells them apart. */
function isEqual(one: FoundOccurrence, other: FoundOccurrence | undefined): boolean {
  const equal = ({ trace }: FoundOccurrence): string => Buffer.from(trace.subarray(TRACE_PATH_BYTES)).toString('hex');
  return other !== undefined && one.kind === other.kind && equal(one) === equal(other);
}

/** Gives occurrences of the original the fingerprints of those that they became, as diffs of reports do. */
function withEditsFollowed(original: readonly FoundOccurrence[], after: readonly FoundOccurrence[]): FoundOccurrence[] {
  const page = (found: readonly FoundOccurrence[]): CheckedPage => {
    const issues = found.map(({ kind, fingerprint, trace }) => ({
      fingerprint: kind,
      occurrences: [fingerprint],
      traces: trace,
    }));
    const occurrences = new Set(found.map(({ fingerprint }) => fingerprint));
    return { document: '', engineVersion: null, resources: null, issues, occurrences };
  };
  const { issues } = followEdits(page(after), page(original));
  return original.map((occurrence, index) => ({ ...occurrence, fingerprint: issues[index]?.occurrences[0] ?? '' }));
}

/** Returns which occurrence of the original each occurrence of the edited document is, by what the edit did to its characters. */
function truthsOf(
  before: readonly FoundOccurrence[],
  { origins }: EditedDocument,
  after: readonly FoundOccurrence[],
): Map<FoundOccurrence, FoundOccurrence> {
  const waiting = Map.groupBy(before, ({ kind, offset }) => `${offset} ${kind}`);
  const truths = new Map<FoundOccurrence, FoundOccurrence>();
  for (const occurrence of after) {
    const origin = occurrence.offset === null ? -1 : (origins[occurrence.offset] ?? -1);
    const original = waiting.get(`${origin} ${occurrence.kind}`)?.shift();
    if (original !== undefined) truths.set(occurrence, original);
  }
  return truths;
}

/**
 * Returns a function for what an occurrence looks like: the source of its element and the start tags of all its ancestors,
 * without white space. Occurrences with the same look differ in nothing but their position.
 */
function lookOf(text: string): (offset: number | null) => string {
  const elements: { readonly from: number; readonly to: number; readonly look: () => string }[] = [];
  const visit = (node: DefaultTreeAdapterTypes.ChildNode, path: string): void => {
    if (!defaultTreeAdapter.isElementNode(node)) return;
    const { startTag, startOffset = -1, endOffset = -1 } = node.sourceCodeLocation ?? {};
    if (startOffset >= 0) {
      const look = () => `${path}${text.slice(startOffset, endOffset)}`.replaceAll(/\s+/g, '');
      elements.push({ from: startOffset, to: endOffset, look });
    }
    const tag = startTag === undefined ? node.tagName : text.slice(startTag.startOffset, startTag.endOffset);
    for (const child of node.childNodes) visit(child, path + tag);
  };
  for (const child of parse(text, { sourceCodeLocationInfo: true }).childNodes) visit(child, '');
  return (offset) => {
    if (offset === null) return '';
    return elements.findLast(({ from, to }) => from <= offset && offset < to)?.look() ?? '';
  };
}
