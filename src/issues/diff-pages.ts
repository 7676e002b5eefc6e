import type { Change, DecisionEffect, PresentChange } from '../../packages/client/changes.ts';
import type { ChangeCause, NotBeforeCause, UnverifiedCause } from '../domain/change.ts';
import type { CheckKind } from '../domain/check.ts';
import { FINGERPRINT_BYTES } from './identity.ts';

/** The result of one check of a page. */
export interface CheckedPage {
  /** Identifies the document; the same for the same bytes and media type. Empty for baselines that do not contain it. */
  readonly document: string;
  /** Null if the result depends on the responses of other addresses and on no version, as in the link check. */
  readonly engineVersion: string | null;
  /** Identifies the style sheets, scripts and fonts that the page was shown with; null if unknown, or if the result varies. */
  readonly resources: string | null;
  readonly issues: readonly ComparedIssue[];
  /** The occurrences of all its issues. */
  readonly occurrences: ReadonlySet<string>;
  /** The occurrences that do not count, and why; absent for none. */
  readonly uncounted?: ReadonlyMap<string, UncountedCause>;
  /** The occurrences that are errors only because of a decision; absent for none. */
  readonly decidedErrors?: ReadonlySet<string>;
}

/** Why occurrences do not count: because of the report's standard, or a rule that did not run; a decision; or a muting. */
export type UncountedCause = Extract<ChangeCause, 'settings' | 'decision' | 'muting'>;

export interface ComparedIssue {
  /** The id of the page's issue; absent for baselines. */
  readonly id?: number;
  /** The id of its common issue; absent for baselines. */
  readonly commonIssue?: number;
  /** Fingerprint of the issue type, in hexadecimal. */
  readonly fingerprint: string;
  /** The fingerprint of the type that the check found, if a decision may have changed the type. */
  readonly found?: string;
  /** The fingerprints of its occurrences, all written in the same way. */
  readonly occurrences: readonly string[];
  /** Their traces, `TRACE_BYTES` each. */
  readonly traces: Uint8Array;
  /** Whether it counts in no report: its occurrences only show why occurrences of the other report are unverified. */
  readonly muted?: boolean;
}

/** One check of a page in both reports; null if the page is missing, or its check failed. */
export interface CheckOfBoth {
  readonly now: CheckedPage | null;
  readonly before: CheckedPage | null;
  /** Why the earlier report could not have found occurrences on the page; null if it could have, or if the page did not exist. */
  readonly notBefore: NotBeforeCause | null;
}

/** An occurrence of an issue on a page. */
export interface SampleOccurrence {
  readonly issueId: number;
  /** Its position in the issue, from 0. */
  readonly position: number;
}

/** Counts of occurrences of one issue type with one change. */
export interface ChangeCount {
  readonly kind: CheckKind;
  readonly fingerprint: string;
  readonly change: Change;
  readonly cause: ChangeCause;
  /** What a decision has changed, if it is the cause. */
  readonly effect: DecisionEffect | null;
  /** One of the occurrences in the later report; null if that does not contain them. */
  readonly sample: SampleOccurrence | null;
  occurrences: number;
  pages: number;
}

/** Returns the fingerprints of occurrences, in hexadecimal. */
export function occurrencesIn(packed: Uint8Array): string[] {
  return unpacked(packed, 'hex');
}

/** Returns the fingerprints of occurrences as strings of 16 characters, which are shorter than in hexadecimal. */
export function occurrenceKeysIn(packed: Uint8Array): string[] {
  return unpacked(packed, 'latin1');
}

function unpacked(packed: Uint8Array, encoding: 'hex' | 'latin1'): string[] {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  return Array.from({ length: Math.floor(bytes.length / FINGERPRINT_BYTES) }, (_, index) =>
    bytes.toString(encoding, index * FINGERPRINT_BYTES, (index + 1) * FINGERPRINT_BYTES),
  );
}

/**
 * Maximum number of occurrences of one kind of check on a page that are compared. This limits the time and the memory that a
 * hostile page takes.
 */
export const COMPARED_OCCURRENCES_MAX = 20_000;

/** The number of occurrences from one kind of check on a page. */
interface CountedCheck {
  readonly howMany: number;
}

/** Returns whether a check has too many occurrences in one of two reports to be compared. */
export function isCrowded(now: CountedCheck, before: CountedCheck | undefined): boolean {
  return Math.max(now.howMany, before?.howMany ?? 0) > COMPARED_OCCURRENCES_MAX;
}

/**
 * Returns the change of an occurrence that is on a page now, and not muted.
 * @param earlier the occurrences of the page in the reports before the earlier one
 */
export function changeOf(
  occurrence: string,
  { before, notBefore }: Pick<CheckOfBoth, 'before' | 'notBefore'>,
  earlier: ReadonlySet<string>,
): PresentChange {
  if (before?.uncounted?.has(occurrence)) return 'not_checked_before';
  if (before?.occurrences.has(occurrence)) return 'persisting';
  if (before === null) return notBefore !== null || earlier.has(occurrence) ? 'not_checked_before' : 'new';
  return earlier.has(occurrence) ? 'regressed' : 'new';
}

/** How occurrences changed, and why. */
interface ExplainedChange<Of extends Change = Change> extends Pick<ChangeCount, 'cause' | 'effect'> {
  readonly change: Of;
}

/**
 * Returns the change of an occurrence that is on a page now, and counts, with its cause.
 * @param cause the cause if results differ
 */
function explained(
  occurrence: string,
  change: PresentChange,
  { now, before, notBefore }: CheckOfBoth,
  cause: ChangeCause,
): ExplainedChange<PresentChange> {
  if (change === 'not_checked_before') {
    const why = before === null ? (notBefore ?? 'not_checked') : (before.uncounted?.get(occurrence) ?? 'muting');
    return { change, cause: why, effect: why === 'decision' ? 'not_an_error_before' : null };
  }
  if (!isUnchanged(change)) return { change, cause, effect: null };
  const isDecided = now?.decidedErrors?.has(occurrence) ?? false;
  if (isDecided === (before?.decidedErrors?.has(occurrence) ?? false)) return { change, cause: 'site', effect: null };
  return { change, cause: 'decision', effect: isDecided ? 'error' : 'error_before' };
}

/** Counts the current occurrences of an issue on a page by change and cause, with the position of the first. */
function changesOn(
  { occurrences }: ComparedIssue,
  check: CheckOfBoth,
  earlier: ReadonlySet<string>,
  cause: ChangeCause,
): (ExplainedChange<PresentChange> & { readonly occurrences: number; readonly first: number })[] {
  const counts = new Map<string, ExplainedChange<PresentChange> & { occurrences: number; readonly first: number }>();
  for (const [position, occurrence] of occurrences.entries()) {
    const found = explained(occurrence, changeOf(occurrence, check, earlier), check, cause);
    const count = counts.getOrInsert(`${found.change} ${found.cause} ${found.effect}`, {
      ...found,
      occurrences: 0,
      first: position,
    });
    count.occurrences += 1;
  }
  return [...counts.values()];
}

/** Counts the occurrences of an issue in the earlier report that are not on the page now, or do not count. */
function* goneFrom(
  { occurrences }: ComparedIssue,
  now: CheckedPage,
  cause: ChangeCause,
): Generator<[ExplainedChange<'fixed' | 'unverified'>, number]> {
  const gone = occurrences.filter((occurrence) => !now.occurrences.has(occurrence)).length;
  if (gone > 0) yield [{ change: 'fixed', cause, effect: null }, gone];
  const causes = Map.groupBy(occurrences, (occurrence) => now.uncounted?.get(occurrence));
  for (const [why, { length }] of causes) {
    if (why === undefined) continue;
    yield [{ change: 'unverified', cause: why, effect: why === 'decision' ? 'not_an_error' : null }, length];
  }
}

/** Returns whether an occurrence has not changed. */
export function isUnchanged(change: Change): boolean {
  return change === 'persisting';
}

/** Returns the issues of a page that are not muted. */
function shownIn(page: CheckedPage | null): readonly ComparedIssue[] {
  return page?.issues.filter(({ muted }) => !muted) ?? [];
}

type TellChange = (issue: ComparedIssue, change: PresentChange, occurrences: number) => void;

/** Returns whether a page has occurrences that it did not have before. */
export function hasOtherOccurrences({ now, before }: CheckOfBoth): boolean {
  return now !== null && !now.occurrences.isSubsetOf(before?.occurrences ?? NO_OCCURRENCES);
}

const NO_OCCURRENCES: ReadonlySet<string> = new Set();

/** Adds up the changes on pages, by issue type. */
export class ChangeTally {
  readonly #counts = new Map<string, ChangeCount>();
  readonly #looksTheSame: boolean;

  /** @param looksTheSame whether the device and the other settings that affect pages are the same in both reports */
  constructor(looksTheSame: boolean) {
    this.#looksTheSame = looksTheSame;
  }

  counts(): ChangeCount[] {
    return [...this.#counts.values()];
  }

  /**
   * Adds a page's check of one kind. Occurrences of a page that was not checked now are unverified.
   * @param earlier the occurrences that the page had in the reports before the earlier one
   * @param tell is called for each issue and change on the page, with the number of occurrences
   */
  add(kind: CheckKind, check: CheckOfBoth, earlier: ReadonlySet<string>, tell: TellChange = () => {}): void {
    const { now, before } = check;
    if (now === null) {
      const issues = shownIn(before).map(({ fingerprint, occurrences }) => ({
        fingerprint,
        howMany: occurrences.length,
      }));
      this.addUnverified(kind, issues, 'not_checked');
      return;
    }
    const cause = this.#causeOf(now, before);
    const onPage = new Map<string, ChangeCount>();
    const count = (
      fingerprint: string,
      { change, cause: why, effect }: ExplainedChange,
      occurrences: number,
      sample: SampleOccurrence | null = null,
    ): void => {
      const none = { kind, fingerprint, change, cause: why, effect, sample, occurrences: 0, pages: 1 };
      onPage.getOrInsert(keyOf(none), none).occurrences += occurrences;
    };
    for (const issue of shownIn(now)) {
      const { id, fingerprint } = issue;
      for (const { occurrences, first, ...found } of changesOn(issue, check, earlier, cause)) {
        count(fingerprint, found, occurrences, id === undefined ? null : { issueId: id, position: first });
        tell(issue, found.change, occurrences);
      }
    }
    for (const issue of shownIn(before)) {
      for (const [found, occurrences] of goneFrom(issue, now, cause)) count(issue.fingerprint, found, occurrences);
    }
    for (const found of onPage.values()) this.#addTo(found);
  }

  /** Adds the earlier result of a check of a page that is not compared with the current result. */
  addUnverified(
    kind: CheckKind,
    issues: readonly (CountedCheck & Pick<ComparedIssue, 'fingerprint'>)[],
    cause: UnverifiedCause | 'settings',
  ): void {
    for (const [fingerprint, same] of Map.groupBy(issues, (issue) => issue.fingerprint)) {
      const occurrences = same.reduce((sum, { howMany }) => sum + howMany, 0);
      if (occurrences > 0)
        this.#addTo({
          ...{ kind, fingerprint, change: 'unverified', cause, effect: null },
          ...{ sample: null, occurrences, pages: 1 },
        });
    }
  }

  #addTo(count: ChangeCount): void {
    const known = this.#counts.getOrInsert(keyOf(count), { ...count, occurrences: 0, pages: 0 });
    known.occurrences += count.occurrences;
    known.pages += count.pages;
  }

  /**
   * If the document, its resources, the engine and the settings are the same, nothing shows that the site changed: results can
   * vary from run to run.
   */
  #causeOf(now: CheckedPage | null, before: CheckedPage | null): ChangeCause {
    if (now === null || before === null) return 'site';
    if (now.document !== before.document) return 'site';
    if (now.engineVersion !== before.engineVersion) return 'engine';
    if (!this.#looksTheSame) return 'settings';
    return now.engineVersion === null || hasOtherResources(now, before) ? 'site' : 'measurement';
  }
}

function keyOf({ kind, fingerprint, change, cause, effect }: ChangeCount): string {
  return `${kind} ${fingerprint} ${change} ${cause} ${effect}`;
}

function hasOtherResources({ resources }: CheckedPage, before: CheckedPage): boolean {
  return resources !== null && before.resources !== null && resources !== before.resources;
}
