import type { CheckedPage } from './diff-pages.ts';
import { TRACE_BYTES, TRACE_PATH_BYTES } from './identity.ts';

/**
 * Returns an earlier result as if later edits of text and classes had already been made: the occurrences have their current
 * fingerprints, so that diffs of the two results see occurrences that persist. A new occurrence counts as edited if its element
 * is the only one with its path and issue type in both results, and if the earlier occurrence, or an equal one, no longer exists
 * (decision 0053).
 */
export function followEdits(now: CheckedPage, before: CheckedPage): CheckedPage {
  const gone = before.occurrences.difference(now.occurrences);
  const added = now.occurrences.difference(before.occurrences);
  if (gone.size === 0 || added.size === 0) return before;
  const then = byPath(before);
  const goneEqual = Map.groupBy(
    tracesIn(before).filter(({ occurrence }) => gone.has(occurrence)),
    ({ equal }) => equal,
  );
  const edited = new Map<string, string>();
  const shifted: Pick<Trace, 'occurrence' | 'equal'>[] = [];
  for (const [path, trace] of byPath(now)) {
    const earlier = then.get(path);
    if (trace === null || earlier == null || !added.has(trace.occurrence)) continue;
    if (gone.has(earlier.occurrence)) edited.set(earlier.occurrence, trace.occurrence);
    else shifted.push({ occurrence: trace.occurrence, equal: earlier.equal });
  }
  // Equal occurrences are numbered: if one of them was edited, the last number disappears. Sorting makes the result independent
  // of the order of a query.
  const left = new Map(
    [...goneEqual].map(([equal, traces]) => [
      equal,
      traces.filter(({ occurrence }) => !edited.has(occurrence)).values(),
    ]),
  );
  for (const { occurrence, equal } of shifted.sort((one, other) => (one.occurrence < other.occurrence ? -1 : 1))) {
    const last = left.get(equal)?.next().value;
    if (last !== undefined) edited.set(last.occurrence, occurrence);
  }
  return edited.size === 0 ? before : renamed(before, edited);
}

/** An occurrence with the data that identifies it after an edit. */
interface Trace {
  readonly occurrence: string;
  /** Equal for occurrences of the same issue type whose elements have the same path. */
  readonly path: string;
  /** Equal for occurrences of the same issue type that differ only in their number. */
  readonly equal: string;
}

/** Yields the traces of occurrences, except for elements that are not in the document as sent. */
function* tracesIn({ issues }: CheckedPage): Generator<Trace> {
  for (const { fingerprint, found = fingerprint, occurrences, traces } of issues) {
    const bytes = Buffer.from(traces.buffer, traces.byteOffset, traces.byteLength);
    for (const [index, occurrence] of occurrences.entries()) {
      const trace = bytes.toString('latin1', index * TRACE_BYTES, (index + 1) * TRACE_BYTES);
      if (trace === NO_TRACE) continue;
      const [path, equal] = [trace.slice(0, TRACE_PATH_BYTES), trace.slice(TRACE_PATH_BYTES)];
      yield { occurrence, path: `${found} ${path}`, equal: `${found} ${equal}` };
    }
  }
}

const NO_TRACE = '\0'.repeat(TRACE_BYTES);

/** Returns the traces by path; null for a path that several occurrences have. */
function byPath(page: CheckedPage): ReadonlyMap<string, Trace | null> {
  const found = new Map<string, Trace | null>();
  for (const trace of tracesIn(page)) found.set(trace.path, found.has(trace.path) ? null : trace);
  return found;
}

function renamed(page: CheckedPage, names: ReadonlyMap<string, string>): CheckedPage {
  const rename = (occurrence: string): string => names.get(occurrence) ?? occurrence;
  const renamedAll = (all: ReadonlySet<string>): ReadonlySet<string> => new Set([...all].map(rename));
  const issues = page.issues.map((issue) => ({ ...issue, occurrences: issue.occurrences.map(rename) }));
  const { occurrences, uncounted, decidedErrors } = page;
  return {
    ...page,
    issues,
    occurrences: renamedAll(occurrences),
    ...(uncounted && { uncounted: new Map([...uncounted].map(([occurrence, cause]) => [rename(occurrence), cause])) }),
    ...(decidedErrors && { decidedErrors: renamedAll(decidedErrors) }),
  };
}
