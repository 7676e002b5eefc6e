import { engineOf } from '../checks/registry.ts';
import type { CheckKind } from '../domain/check.ts';
import { CheckFailure } from '../domain/check-failure.ts';
import type { CheckNote } from '../domain/check-note.ts';
import { createRedaction, hidden } from '../domain/redaction.ts';
import type { SiteAccess } from '../domain/site-access.ts';
import { slicesOf } from '../platform/slices.ts';
import { type PackedIssue, packIssue } from '../store/occurrences.ts';
import { type PackedRawCheck, packRawCheck } from '../store/raw-checks.ts';
import { keptIssues, redactRawCheck } from './redact-check.ts';

/** Issues that go from one thread to another at a time: a few milliseconds' work for who takes them. */
const ISSUES_PER_PART = 1_000;

/** What a checker has answered, to be judged. Plain data, which goes from one thread to another. */
export interface AnsweredCheck {
  readonly kind: CheckKind;
  /** As `Checker.collect` returned it. */
  readonly answer: Uint8Array;
  readonly url: string;
  /** What signs in to the site, and must not be told. */
  readonly access: SiteAccess;
  /** Whether the raw check is to be kept. */
  readonly storesRaw: boolean;
}

/** A part of what a check found, or why it has failed. Plain data, too. */
export type InterpretedPart =
  | { readonly issues: readonly PackedIssue[] }
  | { readonly notes: readonly CheckNote[] }
  | { readonly raw: PackedRawCheck }
  | { readonly failed: Pick<CheckFailure, 'failure' | 'permanent' | 'blame'> };

/** Makes of a checker's answer what is stored of it: judged, without what signs in, no text longer than is kept, packed. */
export function* interpretCheck({ kind, answer, url, access, storesRaw }: AnsweredCheck): Generator<InterpretedPart> {
  try {
    const { interpret, texts } = engineOf(kind);
    const { issues, notes, rawCheck } = interpret(answer, url);
    const redaction = createRedaction(access);
    const kept = keptIssues(issues, texts, redaction);
    for (const slice of slicesOf(kept, ISSUES_PER_PART)) yield { issues: slice.map(packIssue) };
    if (notes.length > 0) yield { notes: hidden(notes, redaction) };
    const raw = storesRaw ? rawCheck() : null;
    if (raw !== null) yield { raw: packRawCheck(redaction === null ? raw : redactRawCheck(raw, texts, redaction)) };
  } catch (error) {
    if (!(error instanceof CheckFailure)) throw error;
    const { failure, permanent, blame } = error;
    yield { failed: { failure, permanent, blame } };
  }
}
