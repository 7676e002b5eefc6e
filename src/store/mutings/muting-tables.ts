import type { Generated, Selectable } from 'kysely';

/** The tables of mutings, part of `Schema`. */

export interface MutingTable {
  id: Generated<number>;
  account_id: string;
  url_match: string;
  message: string;
  comment: Generated<string>;
  /** Null: never. */
  expires_at: Date | null;
  /** Whether it is being, or has been, withdrawn because it expired. */
  expired: Generated<boolean>;
  inserted_at: Generated<Date>;
  deleted_at: Date | null;
  /** Null for a muting of the account. */
  report_id: string | null;
  by_rule: Generated<boolean>;
  /** Whether it also changes the results at the end of reports. */
  retroactive: Generated<boolean>;
  selector: string | null;
  walk_pending: Generated<boolean>;
  walked_report: Generated<string>;
  walked_page: number | null;
  walked_at: Generated<Date>;
}

export interface ReportMutingTable {
  report_id: string;
  muting_id: number;
  how_many: number;
}

export interface MutingTotalTable {
  muting_id: number;
  how_many: number;
  num_reports: number;
}

/** A muting that muted issues of a site and was then deleted or expired. */
export interface EndedMutingTable {
  site_id: string;
  muting_id: number;
  added_at: Date;
  ended_at: Date;
}

export type Muting = Selectable<MutingTable>;
