import type { PresentChange } from '../../packages/client/changes.ts';
import type { ComparedIssue } from './diff-pages.ts';

/**
 * Maximum number of issues in the lists of one diff. Each issue takes 24 bytes for each change of its occurrences. Reports of
 * 10,000 pages have about 200,000.
 */
const LISTED_ISSUES_MAX = 2_000_000;

/** The issues of a common issue that have occurrences with one change, in no particular order. */
export interface ChangedIssues {
  readonly commonIssue: number;
  readonly change: PresentChange;
  /** For each issue: the id of its page, its own id, and the number of such occurrences. */
  readonly pages: number[];
  readonly issues: number[];
  readonly occurrences: number[];
}

/** Collects which issues have occurrences with each change, while two reports are compared. */
export class ChangedIssueLists {
  readonly #lists = new Map<string, ChangedIssues>();
  #size = 0;

  add(page: number, { id, commonIssue }: ComparedIssue, change: PresentChange, occurrences: number): void {
    this.#size += 1;
    if (id === undefined || commonIssue === undefined || this.#size > LISTED_ISSUES_MAX) return;
    const key = `${commonIssue} ${change}`;
    const list = this.#lists.get(key) ?? { commonIssue, change, pages: [], issues: [], occurrences: [] };
    this.#lists.set(key, list);
    // Occurrences with the same change may have several causes.
    if (list.issues.at(-1) === id) {
      list.occurrences.push((list.occurrences.pop() ?? 0) + occurrences);
      return;
    }
    list.pages.push(page);
    list.issues.push(id);
    list.occurrences.push(occurrences);
  }

  /** Returns all lists; null if there are too many issues. */
  lists(): readonly ChangedIssues[] | null {
    return this.#size > LISTED_ISSUES_MAX ? null : [...this.#lists.values()];
  }
}
