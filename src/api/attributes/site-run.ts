import Type, { type Static } from 'typebox';
import { count, flag, nullable, TIMESTAMP, texts, UUID } from '../../domain/schemas.ts';
import { utcTime } from '../../platform/utc-time.ts';
import type { SiteRun } from '../../store/reports/site-list.ts';
import { CHANGE_COUNTS, CHANGE_COUNTS_EXAMPLE, changeCounts } from './change-counts.ts';
import { RUN_COUNTS, renderRunCounts } from './run-counts.ts';

export const RUN_STOPPED = flag('Whether it ended before every page was found and checked, because it was stopped.');

export const RUN_VERDICT = nullable(
  Type.Enum(['passed', 'failed']),
  'Whether a report of a schedule passed according to its `fail_on`; null if `verdict` of the report is null.',
  { examples: ['failed', null] },
);

/** @param failing the number of issues and pages that `fail_on` names; null without a verdict */
export function runVerdict(failing: number | null): 'passed' | 'failed' | null {
  return failing === null ? null : failing > 0 ? 'failed' : 'passed';
}

const ENGINE_CHANGE = Type.Object({
  name: Type.String({ description: 'The program.', examples: ['axe-core'] }),
  before: Type.String({ description: 'Its version in the previous run.', examples: ['4.13.0'] }),
  now: Type.String({ description: 'Its version in this run.', examples: ['4.14.1'] }),
});

const ALONE = 'Absent in lists of sites.';

/** What makes a run stand out in the history of a site. */
const MARKS = {
  changed_settings: Type.Optional(
    texts(
      `The attributes in which it differs from the run before it in this list, such as \`max_pages\`; \`checks\` for the types of check, \`device\` for the device. ${ALONE}`,
      { examples: [['max_pages']] },
    ),
  ),
  changed_engines: Type.Optional(
    Type.Array(ENGINE_CHANGE, {
      description: `The programs that checked its first pages with a different version than in the run before it in this list. ${ALONE}`,
      examples: [[{ name: 'axe-core', before: '4.13.0', now: '4.14.1' }]],
    }),
  ),
  changed_mutings: Type.Optional(
    Type.Object(
      {
        added: count('Mutings that were created.'),
        removed: count('Mutings that were deleted or expired.'),
      },
      {
        description: `The mutings of issues of the site that changed between the end of the previous run in this list and the end of this run. Mutings of configuration files are not included. ${ALONE}`,
        examples: [{ added: 1, removed: 0 }],
      },
    ),
  ),
  changed_decisions: Type.Optional(
    count(
      `The decisions about issues of the site that were made, changed or undone between the end of the previous run in this list and the end of this run. ${ALONE}`,
      { examples: [3] },
    ),
  ),
  deployed: Type.Optional(flag(`Whether a deploy hook started it. ${ALONE}`)),
};

export const RUN = Type.Object({
  report_id: Type.With(UUID, { description: 'The id of the report.' }),
  status: Type.Enum(['finished', 'failed', 'checking'], {
    description: 'The status of the report: `checking` while some of its pages are being checked again.',
  }),
  finished_at: Type.With(TIMESTAMP, { description: 'When the report was completed.' }),
  ...RUN_COUNTS,
  stopped: RUN_STOPPED,
  verdict: RUN_VERDICT,
  change: nullable(
    CHANGE_COUNTS,
    'What the run changed; null if there is no report before it, until they have been compared, and if your plan does not show all types of check.',
    { examples: [CHANGE_COUNTS_EXAMPLE, null] },
  ),
  ...MARKS,
});

export function renderRun({
  num_failing: failing,
  finished_at,
  changed_settings: settings,
  changed_engines: engines,
  ...run
}: SiteRun): Static<typeof RUN> {
  const { checks: _, ...rest } = run;
  return {
    ...rest,
    finished_at: utcTime(new Date(finished_at)),
    ...renderRunCounts(run),
    verdict: runVerdict(failing),
    change: run.change && changeCounts(run.change),
    ...(engines && { changed_engines: [...engines] }),
    ...(settings && { changed_settings: settings.map((name) => (name === 'device_id' ? 'device' : name)) }),
  };
}
