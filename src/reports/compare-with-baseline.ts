import { CHECK_KINDS } from '../checks/registry.ts';
import type { CheckKind } from '../domain/check.ts';
import { type ChangeCount, ChangeTally, type CheckedPage, placesIn } from '../issues/compare-pages.ts';
import { followEdits } from '../issues/follow-edits.ts';
import type { Executor } from '../store/database.ts';
import { type RankedIssue, rankIssues } from '../store/diffs/baselines.ts';
import {
  type CheckResults,
  type IssueResult,
  type PageResults,
  pageResults,
  urlsIn,
} from '../store/diffs/page-results.ts';
import type { Baseline, CheckOfBaseline, PageOfBaseline } from './baseline.ts';
import { urlsOf } from './compare-reports.ts';

/** Maximum number of occurrences per issue type that a comparison names. */
export const NAMED_PLACES_MAX = 5;

/** An occurrence of an issue on a page. */
export interface NamedPlace {
  /** The id of the issue. */
  readonly issue: number;
  /** The position of the occurrence in it, from 0. */
  readonly place: number;
}

/** A common issue of the report with occurrences that the baseline does not have. */
export interface NewIssue extends RankedIssue {
  readonly kind: CheckKind;
  /** New occurrences, and the pages that have them. */
  readonly howMany: number;
  readonly pages: number;
  /** The first ones, in the order of the URLs. */
  readonly places: readonly NamedPlace[];
}

/** The change of an occurrence of the report: `updated` if its element was edited. */
export type PlaceState = 'new' | 'unchanged' | 'updated';

export interface BaselineComparison {
  /** Occurrences by issue type and change. Nothing is `regressed`: occurrences that a baseline does not have are new. */
  readonly counts: readonly ChangeCount[];
  /** The worst first, within each kind of check. */
  readonly added: readonly NewIssue[];
  /**
   * @param issue the id of an issue of a page
   * @param place its position in the issue, from 0
   */
  stateOf(issue: number, place: number): PlaceState;
}

/**
 * Compares a report with a baseline, some pages at a time. Occurrences on pages that have not been checked are unverified, regardless of the
 * reason.
 */
export async function compareWithBaseline(
  db: Executor,
  reportId: string,
  baseline: Baseline,
): Promise<BaselineComparison> {
  const tally = new ChangeTally(baseline.isSameSite);
  const added = new AddedIssues();
  const states = new PlaceStates();
  const addPage = (results: PageResults | undefined, known: PageOfBaseline | undefined): void => {
    for (const kind of CHECK_KINDS) {
      const found = resultsIn(results?.checks.get(kind), baseline);
      const now = checkedPage(found);
      const earlier = checkedPage(known?.get(kind));
      const before = now === null || earlier === null ? earlier : followEdits(now, earlier);
      if (now !== null || before !== null) tally.add(kind, { now, before }, NONE);
      if (found === null) continue;
      added.add(kind, found, before?.places ?? NONE);
      states.add(found, before?.places ?? NONE, earlier?.places ?? NONE);
    }
  };
  for await (const urls of urlsOf(db, reportId)) {
    const results = await pageResults(db, reportId, urls);
    const known = await baseline.results(urls);
    for (const url of urls) addPage(results.get(url), known.get(url));
  }
  for await (const urls of baseline.urls()) {
    const still = new Set(await urlsIn(db, reportId, urls));
    const gone = await baseline.results(urls.filter((url) => !still.has(url)));
    for (const known of gone.values()) addPage(undefined, known);
  }
  return { counts: tally.counts(), added: await added.ranked(db), stateOf: (issue, place) => states.of(issue, place) };
}

const NONE: ReadonlySet<string> = new Set();

interface PlacedResults extends CheckOfBaseline {
  readonly issues: readonly (Pick<IssueResult, 'id' | 'commonIssue' | 'fingerprint' | 'traces'> & {
    readonly places: readonly string[];
  })[];
}

/** Returns the results of a check of the report, with the fingerprints of occurrences as the baseline holds them. */
function resultsIn(check: CheckResults | undefined, { placeOf }: Baseline): PlacedResults | null {
  if (check === undefined) return null;
  return { ...check, issues: check.issues.map((issue) => ({ ...issue, places: placesIn(issue.places).map(placeOf) })) };
}

function checkedPage(check: CheckOfBaseline | null | undefined): CheckedPage | null {
  return check == null ? null : { ...check, places: new Set(check.issues.flatMap(({ places }) => places)) };
}

/** A character for each state: an issue with a thousand occurrences takes a kilobyte, and one without changes nothing. */
const STATES: Readonly<Record<string, PlaceState>> = { n: 'new', u: 'updated', '=': 'unchanged' };

/** Stores the change of each occurrence. */
class PlaceStates {
  readonly #ofIssues = new Map<number, string>();

  /**
   * @param known the occurrences of the baseline as if elements had been edited before
   * @param earlier its occurrences in their original form
   */
  add({ issues }: PlacedResults, known: ReadonlySet<string>, earlier: ReadonlySet<string>): void {
    for (const { id, places } of issues) {
      const states = places.map((place) => (earlier.has(place) ? '=' : known.has(place) ? 'u' : 'n'));
      if (states.some((state) => state !== '=')) this.#ofIssues.set(id, states.join(''));
    }
  }

  of(issue: number, place: number): PlaceState {
    return STATES[this.#ofIssues.get(issue)?.[place] ?? '='] ?? 'unchanged';
  }
}

/** Adds up the new occurrences of each common issue. */
class AddedIssues {
  readonly #issues = new Map<number, { kind: CheckKind; howMany: number; pages: number; places: NamedPlace[] }>();

  add(kind: CheckKind, { issues }: PlacedResults, known: ReadonlySet<string>): void {
    const onPage = new Set<number>();
    for (const { id, commonIssue, places } of issues) {
      for (const [place, fingerprint] of places.entries()) {
        if (known.has(fingerprint)) continue;
        const sum = this.#issues.get(commonIssue) ?? { kind, howMany: 0, pages: 0, places: [] };
        this.#issues.set(commonIssue, sum);
        sum.howMany += 1;
        sum.pages += onPage.has(commonIssue) ? 0 : 1;
        onPage.add(commonIssue);
        if (sum.places.length < NAMED_PLACES_MAX) sum.places.push({ issue: id, place });
      }
    }
  }

  async ranked(db: Executor): Promise<NewIssue[]> {
    const ranks = await rankIssues(db, [...this.#issues.keys()]);
    const issues = [...this.#issues].flatMap(([id, sum]) => {
      const ranked = ranks.get(id);
      return ranked === undefined ? [] : [{ ...ranked, ...sum }];
    });
    return issues.sort((one, other) => one.rank - other.rank || other.howMany - one.howMany || one.id - other.id);
  }
}
