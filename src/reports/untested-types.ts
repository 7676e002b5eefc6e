import { ENGINES } from '../checks/registry.ts';
import { CERTAINTIES } from '../domain/check.ts';
import { VERDICTS } from '../domain/decision.ts';
import { decidedTypeFingerprint } from '../issues/decided-type.ts';
import { issueTypeFingerprint } from '../issues/identity.ts';
import type { Executor } from '../store/database.ts';
import { testedStandards } from '../store/reports/examined-settings.ts';

/** For two reports, the fingerprints of the issue types that each of them could not find because their rules did not run. */
export interface UntestedTypes {
  readonly now: ReadonlySet<string>;
  readonly before: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

export async function untestedTypes(db: Executor, reportId: string, withId: string): Promise<UntestedTypes> {
  const { now, before } = await testedStandards(db, reportId, withId);
  return now === before ? { now: NONE, before: NONE } : { now: untestedBy(now), before: untestedBy(before) };
}

function untestedBy(standard: string | null): ReadonlySet<string> {
  return new Set(
    ENGINES.flatMap(({ kind, isNamedByRule, rulesNotRun }) =>
      (rulesNotRun?.(standard) ?? []).flatMap((ruleId) =>
        CERTAINTIES.flatMap((type) => {
          const found = issueTypeFingerprint(kind, { type, subType: null, ruleId, message: '' }, isNamedByRule);
          return [found, ...VERDICTS.map((verdict) => decidedTypeFingerprint(found, verdict))];
        }),
      ),
    ),
  );
}
