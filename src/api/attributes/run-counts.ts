import Type, { type Static } from 'typebox';
import { engineOf } from '../../checks/registry.ts';
import type { CheckKind } from '../../domain/check.ts';
import { errorsPerPage, severeFree } from '../../domain/counts.ts';
import { ADDITIVE, count, nullable } from '../../domain/schemas.ts';
import type { CountsAtEndOfRun, RunCounts } from '../../store/reports/run-counts.ts';

export const ERRORS_PER_PAGE = nullable(
  Type.Number({ minimum: 0 }),
  'Errors on an average page: the sum of the errors per checked page of each type of check. Null if no page was checked.',
  { examples: [1.4] },
);

export const SEVERE_FREE = nullable(
  Type.Object({
    pages: count('Pages without critical or serious accessibility errors.', { examples: [4] }),
    checked: count('Pages whose accessibility was checked.', { examples: [5] }),
  }),
  'The pages without critical or serious accessibility errors: a measure of progress before pages pass. Null if no page was checked for accessibility.',
  ADDITIVE,
);

/** Returns the pages without critical or serious errors from the kinds of check that grade their issues. */
export function severeFreeIn(
  checks: readonly (Parameters<typeof severeFree>[0][number] & { readonly kind: CheckKind })[],
) {
  return severeFree(checks.filter(({ kind }) => engineOf(kind).isGraded));
}

const COUNTS = {
  errors: count('Total errors from all checks.', { examples: [7] }),
  errors_per_page: ERRORS_PER_PAGE,
  severe_free: SEVERE_FREE,
  critical: count('Errors with critical impact.', { examples: [1] }),
  passed: count('Checked web pages without errors.', { examples: [4] }),
  checked: count('Web pages whose checks have all run.', { examples: [5] }),
};
const COUNTS_NOW = Type.Object(COUNTS);

/** The counts of a run of a site: when it ended, and now. */
export const RUN_COUNTS = {
  ...COUNTS,
  now: nullable(
    COUNTS_NOW,
    'Its counts now, if re-checks, mutings or decisions have changed them since it ended; null if they are the same.',
    { examples: [null] },
  ),
};

export function renderRunCounts({ now, ...atEnd }: CountsAtEndOfRun) {
  return { ...renderCounts(atEnd), now: now && renderCounts(now) };
}

function renderCounts({ errors, critical, passed, checked, checks }: RunCounts): Static<typeof COUNTS_NOW> {
  return {
    errors,
    errors_per_page: errorsPerPage(checks),
    severe_free: severeFreeIn(checks),
    critical,
    passed,
    checked,
  };
}
