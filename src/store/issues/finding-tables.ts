import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type {
  ChangedOccurrences,
  DecidedOccurrences,
  DecisionEffects,
  PresentChange,
} from '../../../packages/client/changes.ts';
import type { StyleRule } from '../../../packages/client/occurrences.ts';
import type { ChangeCause, PageChangeName, PresentTypeChange, TypeChange } from '../../domain/change.ts';
import type { Certainty, CheckKind, Impact } from '../../domain/check.ts';
import type { IssueSums } from '../../domain/counts.ts';
import type { DecidedAs, Verdict } from '../../domain/decision.ts';

/** The tables of the results of checks, part of `Schema`. */

/** Counts of issues, of a check and summed over a report's pages. */
export type IssueCounts = { [Name in keyof IssueSums]: Generated<number> };

export interface RawCheckTable {
  id: Generated<number>;
  web_page_id: number;
  kind: CheckKind;
  raw: Buffer;
  omitted: number;
}

export interface ScreenshotTable {
  web_page_id: number;
  kind: CheckKind;
  image_hash: Buffer;
  scale: number;
  clipped: boolean;
  taken_at: Date;
}

export interface ScreenshotImageTable {
  hash: Buffer;
  image: Buffer;
  width: number;
  height: number;
  inserted_at: Generated<Date>;
}

/** The thumbnail of the start page of a site. */
export interface SiteThumbnailTable {
  site_id: string;
  report_id: string;
  web_page_id: number;
  image: Buffer;
  hash: Buffer;
  width: number;
  height: number;
  taken_at: Date;
}

export interface CommonIssueTable {
  id: Generated<number>;
  report_id: string;
  kind: CheckKind;
  key: Buffer;
  fingerprint: Buffer;
  issue_type: Certainty;
  issue_sub_type: string | null;
  message: string;
  rule_id: string | null;
  help_url: string | null;
  impact: Impact | null;
  impact_order: Generated<number>;
  /** Its position in lists: errors first, then issues that need review, then warnings; each group by impact. */
  rank: GeneratedAlways<number>;
  tags: Generated<string[]>;
  folded_message: GeneratedAlways<string | null>;
  folded_tags: GeneratedAlways<string[]>;
  how_many: Generated<number>;
  num_web_pages: Generated<number>;
  muted_how_many: Generated<number>;
  muted_num_web_pages: Generated<number>;
  outside_standard: Generated<boolean>;
  /** What a person has decided about all its occurrences; null if nothing. */
  verdict: Verdict | null;
  /** `key`, `fingerprint` and `issue_type` as the check found them; null if there is no verdict. */
  found_key: Buffer | null;
  found_fingerprint: Buffer | null;
  found_type: Certainty | null;
  /** Whether no issue counts, regardless of mutings. */
  uncounted: GeneratedAlways<boolean>;
  /** How its verdict changes what counts; null if it does not. */
  decided: GeneratedAlways<DecidedAs | null>;
  change: PresentTypeChange | null;
  changed_occurrences: ChangedOccurrences | null;
  how_many_before: number | null;
  first_seen_at: Date | null;
  inserted_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface IssueTable {
  id: Generated<number>;
  common_issue_id: number;
  report_id: string;
  web_page_id: number;
  kind: CheckKind;
  position: number;
  url: string | null;
  how_many: number;
  occurrences: Buffer;
  fingerprints: Buffer;
  clusters: Buffer;
  traces: Buffer;
  /** As `newOccurrences` packs it; null if it was not compared. */
  new_occurrences: Buffer | null;
  muted: Generated<boolean>;
  mutings: number[] | null;
  /** Null while it is muted as it was at the report's end. */
  muted_at_end: boolean | null;
  muted_retroactively: Generated<boolean>;
  /** The decision about its occurrences; null for none. */
  decision_id: number | null;
  /** The positions of its occurrences in the issue as the check found it; null for all of them. */
  found_positions: number[] | null;
  inserted_at: Generated<Date>;
  updated_at: Generated<Date>;
}

/** The tables of the insights that are computed when a report ends, part of `Schema`. */

export interface DiffTable {
  id: Generated<number>;
  report_id: string;
  with_id: string;
  is_previous: boolean;
  /** Whether it is about the results at the report's end. */
  is_end: Generated<boolean>;
  /** Whether it is about the results now. */
  is_now: Generated<boolean>;
  /** Whether a reader of the report requested it, and its owner did not. */
  for_reader: Generated<boolean>;
  report_state: Date;
  with_state: Date;
  new: Generated<number>;
  persisting: Generated<number>;
  fixed: Generated<number>;
  regressed: Generated<number>;
  not_checked_before: Generated<number>;
  unverified: Generated<number>;
  /** Occurrences that decisions have changed. */
  decided: ColumnType<DecisionEffects, DecisionEffects | undefined>;
  worse_critical: Generated<number>;
  worse_errors: Generated<number>;
  broken_pages: Generated<number>;
  recovered_pages: Generated<number>;
  /**
   * Whether `changed_issues` has its issues; not if there are too many, or in a diff with a report other than the previous one.
   */
  lists_issues: Generated<boolean>;
}

interface ChangedIssueTable {
  diff_id: number;
  common_issue_id: number;
  change: PresentChange;
  /** In the order of their pages. */
  issues: number[];
  /** For each issue, the number of such occurrences up to and including its last one. */
  ends: number[];
  how_many: number;
}

interface ChangedPageTable {
  diff_id: number;
  kinds: CheckKind[];
  change: PageChangeName | 'passing' | 'failing';
  /** In the order of their URLs; passing and failing pages in the order of their errors. */
  pages: number[];
  num_pages: number;
}

export interface IssueChangeTable {
  id: Generated<number>;
  diff_id: number;
  position: number;
  kind: CheckKind;
  fingerprint: Buffer;
  change: TypeChange;
  /** Of its occurrences. */
  occurrences: ChangedOccurrences;
  /** New and regressed occurrences that the settings of the two reports do not explain. */
  worse: Generated<number>;
  cause: ChangeCause;
  causes: Partial<Record<ChangeCause, number>>;
  /** Occurrences that decisions have changed, by effect, without zeros. */
  decided: ColumnType<DecidedOccurrences, DecidedOccurrences | undefined>;
  issue_type: Certainty;
  message: string;
  rule_id: string | null;
  impact: Impact | null;
  how_many: number;
  how_many_before: number;
  num_web_pages: number;
  num_web_pages_before: number;
  /** An occurrence in the report: the issue, which a new result of its page replaces, and the position in it from 0. */
  sample_issue_id: number | null;
  sample_occurrence: number | null;
}

/** An issue from another check that the same edit fixes. */
export interface AlsoFixed {
  readonly kind: CheckKind;
  readonly common_issue_id: number;
  /** In hexadecimal. */
  readonly cluster: string;
  readonly message: string;
}

export interface FixTable {
  id: Generated<number>;
  report_id: string;
  position: number;
  common_issue_id: number;
  cluster: Buffer;
  kind: CheckKind;
  message: string;
  markup: string;
  /** What has to be edited, if it is not the element. */
  cause: string | null;
  /** The style rule that sets the color of the first occurrence; null if it is not known, and for other issues. */
  style_rule: StyleRule | null;
  background_rule: StyleRule | null;
  edited_color: 'text' | 'background' | null;
  selector: string | null;
  sample_page_id: number;
  how_many: number;
  num_web_pages: number;
  passing_before: number;
  passing_after: number;
  passing_after_plan: number;
  /** Of all checks; `how_many` counts each occurrence once. */
  errors: number;
  also: readonly AlsoFixed[];
}

export interface InsightTables {
  diffs: DiffTable;
  issue_changes: IssueChangeTable;
  changed_issues: ChangedIssueTable;
  changed_pages: ChangedPageTable;
  fixes: FixTable;
}
