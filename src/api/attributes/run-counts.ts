import Type from 'typebox';
import { count, nullable } from '../../domain/schemas.ts';

const COUNTS = {
  errors: count('Total errors of all kinds of check.', { examples: [7] }),
  critical: count('Errors with the impact critical.', { examples: [1] }),
  passed: count('Checked web pages without errors.', { examples: [4] }),
  checked: count('Web pages whose checks have all run.', { examples: [5] }),
};

/** The counts of a run of a site: when it ended, and now. */
export const RUN_COUNTS = {
  ...COUNTS,
  now: nullable(
    Type.Object(COUNTS),
    'Its counts now, if re-checks or mutings have changed them since it ended; null if they are the same.',
    { examples: [null] },
  ),
};
