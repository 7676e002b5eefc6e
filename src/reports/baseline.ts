import type { CheckKind } from '../domain/check.ts';
import {
  BASELINE_FORMAT,
  BASELINE_MAX_BYTES,
  type BaselineFile,
  FORMAT_NAME,
  issueTypeOfKey,
  issueTypeText,
  keyOfIssueType,
  occurrencesOfText,
  occurrenceText,
  referenceTo,
  resolveReference,
  shortFingerprint,
} from '../issues/baseline-file.ts';
import { type CheckedPage, occurrencesIn } from '../issues/diff-pages.ts';
import { TRACE_BYTES } from '../issues/identity.ts';
import { slicesOf } from '../platform/slices.ts';
import type { Executor } from '../store/database.ts';
import { engineVersions, type NamedIssueType, namedIssueTypes } from '../store/diffs/baselines.ts';
import { type PageResults, pageResults } from '../store/diffs/page-results.ts';
import { isPageSetting, settingChanges } from '../store/reports/examined-settings.ts';
import type { Report } from '../store/schema.ts';
import { checkedPage } from './compared-pages.ts';
import { urlsOf } from './diff-reports.ts';

/** Pages read at a time, of a file or of a report. */
const BATCH_PAGES = 100;
/** Characters of messages in files and diffs. */
export const MESSAGE_CHARACTERS = 200;

/** The baseline of a report. All URLs are in the form that the pages have, or would have, in that report. */
export interface Baseline {
  /** Whether both check pages with the same device and the same other settings. */
  looksTheSame(): Promise<boolean>;
  /** The versions of its engines. */
  engines(): Promise<ReadonlyMap<CheckKind, readonly string[]>>;
  /** Returns the part of an occurrence's fingerprint that the baseline contains. */
  occurrenceOf(fingerprint: string): string;
  /** Returns the results of pages. Pages that it does not have are missing. */
  results(urls: readonly string[]): Promise<ReadonlyMap<string, PageOfBaseline>>;
  /** Yields the URLs of its pages, some at a time. */
  urls(): AsyncIterable<readonly string[]>;
  /** Yields its issue types, in the order of kind of check and fingerprint. */
  issueTypes(): AsyncIterable<NamedIssueType>;
}

export type PageOfBaseline = ReadonlyMap<CheckKind, CheckOfBaseline>;

export type CheckOfBaseline = Omit<CheckedPage, 'occurrences'>;

/** The report that is compared. */
export type ComparedReport = Pick<Report, 'id' | 'starting_url' | 'site_url'>;

/** Returns the URL that the references of a report's pages are relative to. */
export function startOf({ starting_url: startingUrl, site_url: siteUrl }: ComparedReport): string {
  return siteUrl ?? startingUrl;
}

/** Makes a file the baseline of a report. */
export function baselineOfFile(file: BaselineFile, report: ComparedReport): Baseline {
  const start = startOf(report);
  // Two references may lead to one page if the site is in another folder now.
  const references = Map.groupBy(file.pages.keys(), (reference) => resolveReference(reference, start) ?? '');
  references.delete('');
  return {
    looksTheSame: async () => true,
    engines: async () => file.engines,
    occurrenceOf: shortFingerprint,
    async results(urls) {
      const pages = new Map<string, PageOfBaseline>();
      for (const url of urls) {
        const issues = (references.get(url) ?? []).flatMap((reference) => [...(file.pages.get(reference) ?? [])]);
        if (issues.length > 0) pages.set(url, checksOf(issues));
      }
      return pages;
    },
    async *urls() {
      yield* slicesOf([...references.keys()], BATCH_PAGES);
    },
    async *issueTypes() {
      for (const [key, text] of [...file.kinds].sort(([one], [other]) => (one < other ? -1 : 1))) {
        yield { ...issueTypeOfKey(key), ...text };
      }
    },
  };
}

function checksOf(issues: readonly (readonly [key: string, occurrences: string])[]): PageOfBaseline {
  const checks = new Map<CheckKind, CheckOfBaseline['issues'][number][]>();
  for (const [key, text] of issues) {
    const { kind, fingerprint } = issueTypeOfKey(key);
    checks.set(kind, [...(checks.get(kind) ?? []), { fingerprint, ...occurrencesOfText(text) }]);
  }
  return new Map(
    [...checks].map(([kind, found]) => [kind, { document: '', engineVersion: null, resources: null, issues: found }]),
  );
}

/** Makes a report the baseline of another report. */
export function baselineOfReport(db: Executor, before: ComparedReport, report: ComparedReport): Baseline {
  const [start, startBefore] = [startOf(report), startOf(before)];
  const move = (url: string, from: string, to: string): string =>
    from === to ? url : (resolveReference(referenceTo(url, from), to) ?? url);
  return {
    looksTheSame: async () => !(await settingChanges(db, report.id, before.id)).some(isPageSetting),
    engines: () => engineVersions(db, before.id),
    occurrenceOf: (fingerprint) => fingerprint,
    async results(urls) {
      const moved = new Map(urls.map((url) => [move(url, start, startBefore), url]));
      const pages = new Map<string, PageOfBaseline>();
      for (const [urlBefore, { checks }] of await pageResults(db, before.id, [...moved.keys()])) {
        const url = moved.get(urlBefore);
        if (url === undefined) continue;
        const found = [...checks].map(([kind, check]): [CheckKind, CheckOfBaseline] => {
          return [kind, checkedPage(check, occurrencesIn)];
        });
        pages.set(url, new Map(found));
      }
      return pages;
    },
    async *urls() {
      for await (const urls of urlsOf(db, before.id)) yield urls.map((url) => move(url, startBefore, start));
    },
    issueTypes: () => namedIssueTypes(db, before.id, MESSAGE_CHARACTERS),
  };
}

/**
 * Yields the text of a report's baseline: JSON with a line for each issue type on each page, sorted, so that equal results have
 * equal text, and small changes cause small differences (decision 0060).
 * @throws RangeError if it exceeds `BASELINE_MAX_BYTES`
 */
export async function* baselineText(db: Executor, report: ComparedReport): AsyncGenerator<string> {
  let bytes = 0;
  for await (const part of partsOf(db, report)) {
    bytes += Buffer.byteLength(part);
    if (bytes > BASELINE_MAX_BYTES) throw new RangeError(`the baseline is larger than ${BASELINE_MAX_BYTES >> 20} MiB`);
    yield part;
  }
}

async function* partsOf(db: Executor, report: ComparedReport): AsyncGenerator<string> {
  const versions = await engineVersions(db, report.id);
  yield `{\n  "${FORMAT_NAME}": ${BASELINE_FORMAT},\n  "engines": `;
  yield* object([...versions].map(([kind, texts]) => `${JSON.stringify(kind)}: ${JSON.stringify(texts)}`));
  yield ',\n  "kinds": ';
  yield* object(issueTypeLines(db, report));
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

async function* issueTypeLines(db: Executor, report: ComparedReport): AsyncGenerator<string> {
  for await (const issueType of namedIssueTypes(db, report.id, MESSAGE_CHARACTERS)) {
    yield `${JSON.stringify(keyOfIssueType(issueType))}: ${JSON.stringify(issueTypeText(issueType))}`;
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
  const occurrences = new Map<string, string[]>();
  for (const [kind, { issues }] of page?.checks ?? []) {
    for (const { fingerprint, occurrences: packed, traces } of issues) {
      const key = keyOfIssueType({ kind, fingerprint });
      const found = occurrencesIn(packed).map((occurrence, index) =>
        occurrenceText(occurrence, traceAt(traces, index)),
      );
      occurrences.set(key, [...(occurrences.get(key) ?? []), ...found]);
    }
  }
  const lines = [...occurrences].sort(([one], [other]) => (one < other ? -1 : 1));
  return lines.map(([key, found]) => `${JSON.stringify(key)}: ${JSON.stringify(found.sort().join(' '))}`);
}

function traceAt(traces: Uint8Array, index: number): string {
  return Buffer.from(traces.subarray(index * TRACE_BYTES, (index + 1) * TRACE_BYTES)).toString('hex');
}
