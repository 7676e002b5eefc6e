import { type BaselineFile, kindOfKey, placesOfText, shortPlace } from '../answers/baseline-file.ts';
import { type CheckedPage, placesIn } from '../answers/compare-pages.ts';
import { referenceTo, resolveReference } from '../answers/page-reference.ts';
import type { CheckKind } from '../domain/check.ts';
import { slicesOf } from '../platform/slices.ts';
import { engineVersions, type NamedKind, namedKinds } from '../store/baselines.ts';
import type { Executor } from '../store/database.ts';
import { pageResults } from '../store/page-results.ts';
import type { Report } from '../store/schema.ts';
import { urlsOf } from './compare-reports.ts';
import { checkedPage } from './compared-pages.ts';

/** Pages of a file at a time. */
const BATCH_PAGES = 100;
/** Characters of messages in files and comparisons. */
export const MESSAGE_CHARACTERS = 200;

/** What a report is compared with. All URLs are those that its pages have, or would have, in that report. */
export interface Baseline {
  /** Whether both have the same settings. */
  readonly isSameSite: boolean;
  /** The versions of its engines. */
  engines(): Promise<ReadonlyMap<CheckKind, readonly string[]>>;
  /** Returns what it holds of the fingerprint of a place. */
  placeOf(fingerprint: string): string;
  /** Returns the results of pages. Those that it does not have are missing. */
  results(urls: readonly string[]): Promise<ReadonlyMap<string, PageOfBaseline>>;
  /** Yields the URLs of its pages, some at a time. */
  urls(): AsyncIterable<readonly string[]>;
  /** Yields its kinds of issues, in the order of kind of check and fingerprint. */
  kinds(): AsyncIterable<NamedKind>;
}

export type PageOfBaseline = ReadonlyMap<CheckKind, CheckOfBaseline>;

export interface CheckOfBaseline {
  /** Of the document, in hexadecimal; empty if the baseline does not say, so that it is that of no page. */
  readonly document: string;
  readonly engineVersion: string | null;
  readonly issues: CheckedPage['issues'];
}

/** The report that is compared. */
export type ComparedReport = Pick<Report, 'id' | 'site_id' | 'starting_url' | 'site_url'>;

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
    isSameSite: true,
    engines: async () => file.engines,
    placeOf: shortPlace,
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
    async *kinds() {
      for (const [key, text] of [...file.kinds].sort(([one], [other]) => (one < other ? -1 : 1))) {
        yield { ...kindOfKey(key), ...text };
      }
    },
  };
}

function checksOf(issues: readonly (readonly [key: string, places: string])[]): PageOfBaseline {
  const checks = new Map<CheckKind, CheckOfBaseline['issues'][number][]>();
  for (const [key, text] of issues) {
    const { kind, fingerprint } = kindOfKey(key);
    checks.set(kind, [...(checks.get(kind) ?? []), { fingerprint, ...placesOfText(text) }]);
  }
  return new Map([...checks].map(([kind, found]) => [kind, { document: '', engineVersion: null, issues: found }]));
}

/** Makes a report the baseline of another one. */
export function baselineOfReport(db: Executor, before: ComparedReport, report: ComparedReport): Baseline {
  const [start, startBefore] = [startOf(report), startOf(before)];
  const move = (url: string, from: string, to: string): string =>
    from === to ? url : (resolveReference(referenceTo(url, from), to) ?? url);
  return {
    isSameSite: before.site_id === report.site_id,
    engines: () => engineVersions(db, before.id),
    placeOf: (fingerprint) => fingerprint,
    async results(urls) {
      const moved = new Map(urls.map((url) => [move(url, start, startBefore), url]));
      const pages = new Map<string, PageOfBaseline>();
      for (const [urlBefore, { checks }] of await pageResults(db, before.id, [...moved.keys()])) {
        const url = moved.get(urlBefore);
        if (url === undefined) continue;
        const found = [...checks].map(([kind, check]): [CheckKind, CheckOfBaseline] => {
          return [kind, checkedPage(check, placesIn)];
        });
        pages.set(url, new Map(found));
      }
      return pages;
    },
    async *urls() {
      for await (const urls of urlsOf(db, before.id)) yield urls.map((url) => move(url, startBefore, start));
    },
    kinds: () => namedKinds(db, before.id, MESSAGE_CHARACTERS),
  };
}
