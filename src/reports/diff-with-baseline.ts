import { CHECK_KINDS } from '../checks/registry.ts';
import type { CheckKind } from '../domain/check.ts';
import {
  type ChangeCount,
  ChangeTally,
  type CheckedPage,
  type ComparedIssue,
  occurrencesIn,
} from '../issues/diff-pages.ts';
import { followEdits } from '../issues/follow-edits.ts';
import type { Executor } from '../store/database.ts';
import { type RankedIssue, rankIssues } from '../store/diffs/baselines.ts';
import {
  type CheckResults,
  checkedPages,
  issuesOfPages,
  type PageResults,
  type ReadIssue,
  urlsIn,
} from '../store/diffs/page-results.ts';
import type { Baseline, CheckOfBaseline, PageOfBaseline } from './baseline.ts';
import { pageWithMuted } from './compared-pages.ts';
import { urlsOf } from './diff-reports.ts';

/** Maximum number of occurrences per issue type that a diff names. */
export const NAMED_OCCURRENCES_MAX = 5;

/** An occurrence of an issue on a page. */
export interface NamedOccurrence {
  /** The id of the issue. */
  readonly issue: number;
  /** The position of the occurrence in it, from 0. */
  readonly position: number;
}

/** A common issue of the report with occurrences that the baseline does not have. */
export interface NewIssue extends RankedIssue {
  readonly kind: CheckKind;
  /** New occurrences, and the pages that have them. */
  readonly howMany: number;
  readonly pages: number;
  /** The first ones, in the order of the URLs. */
  readonly occurrences: readonly NamedOccurrence[];
}

/** The change of an occurrence of the report: `updated` if its element was edited. */
export type OccurrenceState = 'new' | 'unchanged' | 'updated';

export interface BaselineDiff {
  /** Occurrences by issue type and change. Nothing is `regressed`: occurrences that a baseline does not have are new. */
  readonly counts: readonly ChangeCount[];
  /** The worst first, within each kind of check. */
  readonly added: readonly NewIssue[];
  /**
   * @param issue the id of an issue of a page
   * @param position of the occurrence in the issue, from 0
   */
  stateOf(issue: number, position: number): OccurrenceState;
}

/**
 * Compares a report with a baseline, some pages at a time. Occurrences on pages that have not been checked are unverified,
 * regardless of the reason, as are occurrences that no longer count.
 */
export async function diffWithBaseline(db: Executor, reportId: string, baseline: Baseline): Promise<BaselineDiff> {
  const tally = new ChangeTally(await baseline.looksTheSame());
  const added = new AddedIssues();
  const states = new OccurrenceStates();
  const addPage = (
    results: ReadonlyMap<CheckKind, CheckedPage> | undefined,
    known: PageOfBaseline | undefined,
  ): void => {
    for (const kind of CHECK_KINDS) {
      const now = results?.get(kind) ?? null;
      const earlier = checkedPage(known?.get(kind));
      const before = now === null || earlier === null ? earlier : followEdits(now, earlier);
      if (now !== null || before !== null) tally.add(kind, { now, before, notBefore: null }, NONE);
      const shown = shownIn(now);
      added.add(kind, shown, before?.occurrences ?? NONE);
      states.add(shown, before?.occurrences ?? NONE, earlier?.occurrences ?? NONE);
    }
  };
  for await (const urls of urlsOf(db, reportId)) {
    const pages = await checkedPages(db, reportId, urls);
    const issues = await issuesOfPages(db, [...pages.values()]);
    const known = await baseline.results(urls);
    for (const url of urls) addPage(resultsOf(pages.get(url), issues, baseline), known.get(url));
  }
  for await (const urls of baseline.urls()) {
    const still = new Set(await urlsIn(db, reportId, urls));
    const gone = await baseline.results(urls.filter((url) => !still.has(url)));
    for (const known of gone.values()) addPage(undefined, known);
  }
  return {
    counts: tally.counts(),
    added: await added.ranked(db),
    stateOf: (issue, position) => states.of(issue, position),
  };
}

const NONE: ReadonlySet<string> = new Set();

/** Returns the checks of a page of the report, with muted issues, and fingerprints of occurrences as the baseline holds them. */
function resultsOf(
  page: PageResults | undefined,
  issues: ReadonlyMap<CheckResults, readonly ReadIssue[]>,
  { occurrenceOf }: Baseline,
): ReadonlyMap<CheckKind, CheckedPage> {
  const read = (packed: Uint8Array): string[] => occurrencesIn(packed).map(occurrenceOf);
  return new Map(
    [...(page?.checks ?? [])].map(([kind, check]) => [kind, pageWithMuted(check, issues.get(check) ?? [], read)]),
  );
}

/** An issue of a page of the report. */
interface ShownIssue extends Pick<ComparedIssue, 'occurrences'> {
  readonly id: number;
  readonly commonIssue: number;
}

/** Returns the issues of a check that are not muted. */
function shownIn(check: CheckedPage | null): ShownIssue[] {
  return (check?.issues ?? []).flatMap(({ id, commonIssue, muted, occurrences }) =>
    muted || id === undefined || commonIssue === undefined ? [] : { id, commonIssue, occurrences },
  );
}

function checkedPage(check: CheckOfBaseline | null | undefined): CheckedPage | null {
  return check == null
    ? null
    : { ...check, occurrences: new Set(check.issues.flatMap(({ occurrences }) => occurrences)) };
}

/** A character for each state: an issue with a thousand occurrences takes a kilobyte, and an unchanged issue takes nothing. */
const STATES: Readonly<Record<string, OccurrenceState>> = { n: 'new', u: 'updated', '=': 'unchanged' };

/** Stores the change of each occurrence. */
class OccurrenceStates {
  readonly #ofIssues = new Map<number, string>();

  /**
   * @param known the occurrences of the baseline as if elements had been edited before
   * @param earlier its occurrences in their original form
   */
  add(issues: readonly ShownIssue[], known: ReadonlySet<string>, earlier: ReadonlySet<string>): void {
    for (const { id, occurrences } of issues) {
      const states = occurrences.map((occurrence) =>
        earlier.has(occurrence) ? '=' : known.has(occurrence) ? 'u' : 'n',
      );
      if (states.some((state) => state !== '=')) this.#ofIssues.set(id, states.join(''));
    }
  }

  of(issue: number, position: number): OccurrenceState {
    return STATES[this.#ofIssues.get(issue)?.[position] ?? '='] ?? 'unchanged';
  }
}

/** Adds up the new occurrences of each common issue. */
class AddedIssues {
  readonly #issues = new Map<
    number,
    { kind: CheckKind; howMany: number; pages: number; occurrences: NamedOccurrence[] }
  >();

  add(kind: CheckKind, issues: readonly ShownIssue[], known: ReadonlySet<string>): void {
    const onPage = new Set<number>();
    for (const { id, commonIssue, occurrences } of issues) {
      for (const [position, fingerprint] of occurrences.entries()) {
        if (known.has(fingerprint)) continue;
        const sum = this.#issues.get(commonIssue) ?? { kind, howMany: 0, pages: 0, occurrences: [] };
        this.#issues.set(commonIssue, sum);
        sum.howMany += 1;
        sum.pages += onPage.has(commonIssue) ? 0 : 1;
        onPage.add(commonIssue);
        if (sum.occurrences.length < NAMED_OCCURRENCES_MAX) sum.occurrences.push({ issue: id, position });
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
