import type { ColumnType, Generated } from 'kysely';
import type { Certainty, CheckKind, Impact } from '../../domain/check.ts';
import type { RecheckResult } from '../../issues/diff-recheck.ts';

/** The tables of re-checks, part of `Schema`. */

/** The results of the occurrences of a check in its last re-check. */
export interface StoredRecheck extends RecheckResult {
  /** As PostgreSQL writes it in JSON. */
  readonly checked_at: string;
}

/** Columns of `checks` about the result that the next result is compared with. */
export type BeforeColumn = 'before_document' | 'before_engine' | 'before_resources';

/** The columns of `checks` about its last re-check. */
export interface RecheckedTable {
  /** Of the result that the next result is compared with; null if there is none. */
  before_document: Buffer | null;
  before_engine: string | null;
  before_resources: Buffer | null;
  recheck: ColumnType<StoredRecheck | null, null | undefined, null>;
}

export interface FormerIssueTable {
  id: Generated<number>;
  web_page_id: number;
  kind: CheckKind;
  position: number;
  fingerprint: Buffer;
  issue_type: Certainty;
  message: string;
  rule_id: string | null;
  impact: Impact | null;
  tags: Generated<string[]>;
  how_many: number;
  is_fixed: boolean;
  /** Null for a fixed issue, like `traces`. */
  occurrences: Buffer | null;
  traces: Buffer | null;
}

export interface RecheckTable {
  id: Generated<string>;
  report_id: string;
  kind: CheckKind | null;
  common_issue_id: number | null;
  fingerprint: Buffer | null;
  message: string | null;
  num_web_pages: number;
  credits: number;
  /** Null for a common issue. */
  pages_hash: Buffer | null;
  inserted_at: Generated<Date>;
}

interface RecheckCheckTable {
  recheck_id: string;
  web_page_id: number;
  kind: CheckKind;
}

interface RecheckCountTable {
  recheck_id: string;
  kind: CheckKind;
  checked: Generated<number>;
  failed: Generated<number>;
  uncompared: Generated<number>;
  fixed: Generated<number>;
  still: Generated<number>;
  new: Generated<number>;
  issue_fixed: Generated<number>;
  issue_still: Generated<number>;
  issue_new: Generated<number>;
  ended_at: Date | null;
}

export interface RecheckTables {
  former_issues: FormerIssueTable;
  rechecks: RecheckTable;
  recheck_checks: RecheckCheckTable;
  recheck_counts: RecheckCountTable;
}
