import type { Generated, GeneratedAlways } from 'kysely';
import type { CheckKind, Impact, IssueType } from '../domain/check.ts';

/** The tables of what checks found, part of `Schema`. */

/** Counts of issues, of a check and summed over a report's pages. */
export interface IssueCounts {
  errors: Generated<number>;
  warnings: Generated<number>;
  minor: Generated<number>;
  moderate: Generated<number>;
  serious: Generated<number>;
  critical: Generated<number>;
}

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

export interface CommonIssueTable {
  id: Generated<number>;
  report_id: string;
  kind: CheckKind;
  key: Buffer;
  fingerprint: Buffer | null;
  issue_type: IssueType;
  issue_sub_type: string | null;
  message: string;
  rule_id: string | null;
  help_url: string | null;
  impact: Impact | null;
  impact_order: Generated<number>;
  /** Its position in lists: the worst impact first, or errors first. */
  rank: GeneratedAlways<number>;
  tags: Generated<string[]>;
  folded_message: GeneratedAlways<string | null>;
  folded_tags: GeneratedAlways<string[]>;
  how_many: Generated<number>;
  num_web_pages: Generated<number>;
  muted_how_many: Generated<number>;
  muted_num_web_pages: Generated<number>;
  change: 'new' | 'persisting' | 'regressed' | null;
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
  fingerprints: Buffer | null;
  clusters: Buffer | null;
  traces: Generated<Buffer | null>;
  /** As `newPlaces` packs it; null if it was not compared. */
  new_places: Buffer | null;
  muted: Generated<boolean>;
  mutings: number[] | null;
  inserted_at: Generated<Date>;
  updated_at: Generated<Date>;
}
