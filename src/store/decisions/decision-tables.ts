import type { Generated, Selectable } from 'kysely';
import type { CheckKind, Impact } from '../../domain/check.ts';
import type { DecisionScope, Verdict } from '../../domain/decision.ts';

/** The tables of decisions, part of `Schema`. */

export interface DecisionTable {
  id: Generated<number>;
  site_id: string;
  scope: DecisionScope;
  kind: CheckKind;
  /** Of the issue type. */
  type_fingerprint: Buffer;
  /** Of a cause; null for other scopes. */
  cluster: Buffer | null;
  /** Of an occurrence; null for other scopes. */
  page_url: string | null;
  fingerprint: Buffer | null;
  verdict: Verdict;
  note: Generated<string>;
  /** The name of the person who decided. */
  assessor: string;
  /** What the person saw. */
  message: string;
  rule_id: string | null;
  impact: Impact | null;
  markup: string;
  decided_at: Generated<Date>;
  /** The decision applies to this report of the site, and to later ones. */
  since_report: string;
  deleted_at: Date | null;
  walk_pending: Generated<boolean>;
  walked_report: Generated<string>;
  walked_page: number | null;
  walked_at: Generated<Date>;
}

/** Issues that decisions have split or merged again. */
export interface ReplacedIssueTable {
  /** The former id in `issues`. */
  issue_id: number;
  web_page_id: number;
  kind: CheckKind;
  position: number;
  found_positions: number[] | null;
  inserted_at: Generated<Date>;
}

export type Decision = Selectable<DecisionTable>;
