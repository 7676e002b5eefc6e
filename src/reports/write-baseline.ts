import {
  BASELINE_FORMAT,
  BASELINE_MAX_BYTES,
  FORMAT_NAME,
  keyOfKind,
  kindText,
  placeText,
} from '../answers/baseline-file.ts';
import { placesIn } from '../answers/compare-pages.ts';
import { TRACE_BYTES } from '../answers/identity.ts';
import { referenceTo } from '../answers/page-reference.ts';
import { slicesOf } from '../platform/slices.ts';
import { engineVersions, namedKinds } from '../store/baselines.ts';
import type { Executor } from '../store/database.ts';
import { type PageResults, pageResults } from '../store/page-results.ts';
import { type ComparedReport, MESSAGE_CHARACTERS, startOf } from './baseline.ts';
import { urlsOf } from './compare-reports.ts';

/** Pages read at a time. */
const BATCH_PAGES = 100;

/**
 * Yields the text of a report's baseline: JSON with a line for each kind of issue on each page, sorted, so that equal results have
 * equal texts and small changes small differences (decision 0060).
 * @throws RangeError if it exceeds `BASELINE_MAX_BYTES`
 */
export async function* baselineText(db: Executor, report: ComparedReport): AsyncGenerator<string> {
  let bytes = 0;
  for await (const part of partsOf(db, report)) {
    bytes += Buffer.byteLength(part);
    if (bytes > BASELINE_MAX_BYTES) throw new RangeError(`the baseline has more than ${BASELINE_MAX_BYTES >> 20} MiB`);
    yield part;
  }
}

async function* partsOf(db: Executor, report: ComparedReport): AsyncGenerator<string> {
  const versions = await engineVersions(db, report.id);
  yield `{\n  "${FORMAT_NAME}": ${BASELINE_FORMAT},\n  "engines": `;
  yield* object([...versions].map(([kind, texts]) => `${JSON.stringify(kind)}: ${JSON.stringify(texts)}`));
  yield ',\n  "kinds": ';
  yield* object(kindLines(db, report));
  yield ',\n  "pages": ';
  yield* object(pageEntries(db, report));
  yield '\n}\n';
}

/** Yields an object with an entry on each line. */
async function* object(entries: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let separator = '{';
  for await (const entry of entries) {
    yield `${separator}\n    ${entry}`;
    separator = ',';
  }
  yield separator === '{' ? '{}' : '\n  }';
}

async function* kindLines(db: Executor, report: ComparedReport): AsyncGenerator<string> {
  for await (const kind of namedKinds(db, report.id, MESSAGE_CHARACTERS)) {
    yield `${JSON.stringify(keyOfKind(kind))}: ${JSON.stringify(kindText(kind))}`;
  }
}

/** Yields the pages with issues, in the order of their references. */
async function* pageEntries(db: Executor, report: ComparedReport): AsyncGenerator<string> {
  const start = startOf(report);
  const pages: { readonly reference: string; readonly url: string }[] = [];
  for await (const urls of urlsOf(db, report.id)) {
    for (const url of urls) pages.push({ reference: referenceTo(url, start), url });
  }
  pages.sort((one, other) => (one.reference < other.reference ? -1 : 1));
  for (const slice of slicesOf(pages, BATCH_PAGES)) {
    const urls = slice.map(({ url }) => url);
    const results = await pageResults(db, report.id, urls);
    for (const { reference, url } of slice) {
      const lines = issueLines(results.get(url));
      if (lines.length > 0) yield `${JSON.stringify(reference)}: {\n      ${lines.join(',\n      ')}\n    }`;
    }
  }
}

function issueLines(page: PageResults | undefined): string[] {
  const places = new Map<string, string[]>();
  for (const [kind, { issues }] of page?.checks ?? []) {
    for (const { fingerprint, places: packed, traces } of issues) {
      const key = keyOfKind({ kind, fingerprint });
      const found = placesIn(packed).map((place, index) => placeText(place, traceAt(traces, index)));
      places.set(key, [...(places.get(key) ?? []), ...found]);
    }
  }
  const lines = [...places].sort(([one], [other]) => (one < other ? -1 : 1));
  return lines.map(([key, found]) => `${JSON.stringify(key)}: ${JSON.stringify(found.sort().join(' '))}`);
}

function traceAt(traces: Uint8Array | null, index: number): string {
  return Buffer.from(traces?.subarray(index * TRACE_BYTES, (index + 1) * TRACE_BYTES) ?? []).toString('hex');
}
