import type { ChangedOccurrences, DecidedOccurrences } from '../../packages/client/changes.ts';
import { CHANGE_CAUSES, type ChangeCause, type TypeChange, typeChangeOf } from '../domain/change.ts';
import type { CheckKind } from '../domain/check.ts';
import { type ChangeCount, isUnchanged, type SampleOccurrence } from './diff-pages.ts';

/** The change of an issue type since an earlier report. */
export interface IssueTypeChange {
  readonly kind: CheckKind;
  readonly fingerprint: string;
  readonly change: TypeChange;
  /** Occurrences by change. */
  readonly occurrences: ChangedOccurrences;
  /** Why most of its occurrences changed; `site` if none did. */
  readonly cause: ChangeCause;
  /** New and regressed occurrences that the settings of the reports do not explain. */
  readonly worse: number;
  /** Occurrences that changed, by cause. */
  readonly causes: Readonly<Partial<Record<ChangeCause, number>>>;
  /** The occurrences that a decision has changed, by the decision's effect. */
  readonly decided: DecidedOccurrences;
  /** An occurrence in the report, by preference new, regressed, persisting or not checked before; null if there is none. */
  readonly sample: SampleOccurrence | null;
}

/** Returns the change of each issue type between two reports. */
export function typeChanges(counts: readonly ChangeCount[]): IssueTypeChange[] {
  const byType = Map.groupBy(counts, ({ kind, fingerprint }) => `${kind} ${fingerprint}`);
  return [...byType.values()].flatMap((rows) => {
    const [first] = rows;
    if (first === undefined) return [];
    const occurrences = sumBy(rows, ({ change }) => change);
    const causes = sumBy(rows, ({ change, cause }) => (isUnchanged(change) && cause !== 'decision' ? null : cause));
    const decided = sumBy(rows, ({ effect }) => effect);
    const worse = rows.filter(
      ({ change, cause }) => (change === 'new' || change === 'regressed') && cause !== 'settings',
    );
    return [
      {
        ...{ kind: first.kind, fingerprint: first.fingerprint, change: typeChangeOf(occurrences), occurrences },
        ...{ causes, cause: mainCause(causes), decided, sample: sampleOf(rows) },
        worse: worse.reduce((sum, { occurrences: howMany }) => sum + howMany, 0),
      },
    ];
  });
}

/** Adds up occurrences by name. @param nameOf returns null for occurrences to leave out */
function sumBy<Name extends string>(
  rows: readonly ChangeCount[],
  nameOf: (row: ChangeCount) => Name | null,
): Partial<Record<Name, number>> {
  const sums: Partial<Record<Name, number>> = {};
  for (const row of rows) {
    const name = nameOf(row);
    if (name !== null) sums[name] = (sums[name] ?? 0) + row.occurrences;
  }
  return sums;
}

function mainCause(causes: IssueTypeChange['causes']): ChangeCause {
  return CHANGE_CAUSES.toSorted((one, other) => (causes[other] ?? 0) - (causes[one] ?? 0))[0] ?? 'site';
}

function sampleOf(rows: readonly ChangeCount[]): SampleOccurrence | null {
  const samples = (['new', 'regressed', 'persisting', 'not_checked_before'] as const).flatMap((change) =>
    rows.flatMap((row) => (row.change === change && row.sample !== null ? row.sample : [])),
  );
  return samples[0] ?? null;
}
