import type { CheckNote } from '../../domain/check-note.ts';
import type { Failure } from '../../domain/failures/failure.ts';
import type { LoadedResources } from '../../domain/loaded-resource.ts';
import type { Screenshot, Thumbnail } from '../../domain/screenshot.ts';
import type { ShownAs } from '../../domain/shown-as.ts';
import type { PackedIssue } from '../issues/packed-issues.ts';
import type { PackedRawCheck } from './raw-checks.ts';

/** The result of one claimed check. */
export interface CheckResult {
  readonly webPageId: number;
  /** Null for a check that never ran. */
  readonly claimId: number | null;
  readonly outcome: CheckOutcome | { readonly error: Failure };
}

/** The result of a check that ran. */
export interface CheckOutcome {
  readonly issues: readonly PackedIssue[];
  readonly notes?: readonly CheckNote[];
  /** What was done with the page; null or absent if nothing was, or if that is not known. */
  readonly shownAs?: ShownAs | null;
  /** The versions of the engine that produced the result. */
  readonly engineVersion?: string | null;
  /**
   * Like `Interpretation.resources`; null or absent if they are not known, or if the result varies although they are the same.
   */
  readonly resources?: string | null;
  /** Present if the report stores raw checks. */
  readonly raw?: PackedRawCheck;
  /** Null or absent if none was taken. */
  readonly screenshot?: Screenshot | null;
  /** Of the start page. Null or absent for other pages, and if none could be taken. */
  readonly thumbnail?: Thumbnail | null;
  /** Identifies everything that the result depends on, in hexadecimal; null or absent if that is not known. */
  readonly reuseKey?: string | null;
  /** What the page loaded; null or absent if it cannot be compared with what another check loads. */
  readonly loaded?: LoadedResources | null;
  /**
   * Whether no other check with the same key and resources had the same result, although scripts could change the page or an
   * earlier result differs.
   */
  readonly isUnconfirmed?: boolean;
  /** Whether results of the page have differed although nothing had changed. */
  readonly varies?: boolean;
  /** Where the result was reused from; absent if the engine checked the page. */
  readonly reusedFrom?: ReusedFrom;
}

/** The report in which an engine found the reused result. */
export interface ReusedFrom {
  readonly reportId: string;
  /** The page whose stored result was read. */
  readonly webPageId: number;
  readonly foundAt: Date;
}
