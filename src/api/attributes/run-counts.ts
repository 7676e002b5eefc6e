import Type, { type Static } from 'typebox';
import { errorsPerPage } from '../../domain/counts.ts';
import { count, nullable } from '../../domain/schemas.ts';
import type { CountsAtEndOfRun, RunCounts } from '../../store/reports/run-counts.ts';

export const ERRORS_PER_PAGE = nullable(
  Type.Number({ minimum: 0 }),
  'Errors on an average page: the sum over all kinds of check of their errors per checked page. Null if no page was checked.',
  { examples: [1.4] },
);

const COUNTS = {
  errors: count('Total errors of all kinds of check.', { examples: [7] }),
  errors_per_page: ERRORS_PER_PAGE,
  critical: count('Errors with the impact critical.', { examples: [1] }),
  passed: count('Checked web pages without errors.', { examples: [4] }),
  checked: count('Web pages whose checks have all run.', { examples: [5] }),
};
const COUNTS_NOW = Type.Object(COUNTS);

/** The counts of a run of a site: when it ended, and now. */
export const RUN_COUNTS = {
  ...COUNTS,
  now: nullable(
    COUNTS_NOW,
    'Its counts now, if re-checks or mutings have changed them since it ended; null if they are the same.',
    { examples: [null] },
  ),
};

export function renderRunCounts({ now, ...atEnd }: CountsAtEndOfRun) {
  return { ...renderCounts(atEnd), now: now && renderCounts(now) };
}

function renderCounts({ errors, critical, passed, checked, checks }: RunCounts): Static<typeof COUNTS_NOW> {
  return { errors, errors_per_page: errorsPerPage(checks), critical, passed, checked };
}
