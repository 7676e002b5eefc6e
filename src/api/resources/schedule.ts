import Type from 'typebox';
import { owned, readableReport } from '../../accounts/access.ts';
import { shownKinds } from '../../checks/check-attributes.ts';
import { ENGINES } from '../../checks/registry.ts';
import { codeOf, fullSentenceOf } from '../../domain/failures/failure.ts';
import {
  ADDITIVE,
  failureCode,
  LIFE,
  nullable,
  TIMESTAMP,
  UUID,
  UUID_EXAMPLE,
  webAddress,
} from '../../domain/schemas.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { runScheduleNow } from '../../schedules/run-schedule.ts';
import { changeSchedule, createSchedule } from '../../schedules/save-schedule.ts';
import { upcomingRuns } from '../../schedules/schedule-time.ts';
import {
  deleteSchedule,
  listSchedules,
  SCHEDULE_SORT_KEYS,
  type ScheduleRun,
  type ScheduleSettings,
  type ScheduleWithRun,
  showSchedule,
} from '../../store/schedules/schedules.ts';
import { REPORT_STATUSES } from '../../store/schema.ts';
import { CHANGE_COUNTS } from '../attributes/change-counts.ts';
import {
  definitionAttributes,
  NEEDS_CREDENTIALS,
  SHOWN_DEFINITION,
  SHOWN_RAW_CHECKS,
  SIGNS_IN,
} from '../attributes/definition-attributes.ts';
import { SHOWN_HOOK_SIGNATURE } from '../attributes/hook-signature-attributes.ts';
import {
  ACTIVE,
  NEW_SCHEDULE_ATTRIBUTES,
  parseNewSchedule,
  parseScheduleChange,
  SCHEDULE_CHANGES,
  SHOWN_FAIL_ON,
  SHOWN_PERIODICITY,
} from '../attributes/new-schedule.ts';
import { NO_UUID, TAG_FILTERS, tagFilterOf, textFilter, uuid } from '../attributes/parameters.ts';
import { secretsFor } from '../attributes/secret-attributes.ts';
import { RUN_STOPPED, RUN_VERDICT, runVerdict } from '../attributes/site-run.ts';
import { SHOWN_START_TIME } from '../attributes/start-time-attributes.ts';
import { bodyEndpoint, type Call, endpoint, listed, listOf, NOTHING, newOne, one } from '../http/endpoint.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { PAGING, parseSort, sortParameter } from '../jsonapi/query.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';
import { deployHookPath } from './deploy-hook.ts';
import { devicePath } from './device.ts';
import { endTime, REPORT, renderReport } from './report-resource.ts';

const LAST_RUN = Type.Object({
  report_id: Type.With(UUID, { description: 'The id of the report.' }),
  status: Type.Enum([...REPORT_STATUSES], { description: 'The status of the report.', examples: ['finished'] }),
  finished_at: nullable(TIMESTAMP, 'When the report was completed; null until then.'),
  change: nullable(
    CHANGE_COUNTS,
    'What changed since the previous report; null if there is none, or until they have been compared.',
  ),
  stopped: RUN_STOPPED,
  verdict: RUN_VERDICT,
});

/** See docs/contract/resources.md#schedule. */
/** Runs that `next_runs` lists. */
const nextRunsCount = 5;

const SCHEDULE = resourceType('schedule', {
  description: 'The definition of reports that are created on certain days, or when its deploy hook is called.',
  id: UUID,
  attributes: Type.Object({
    ...SHOWN_DEFINITION,
    signs_in: SIGNS_IN,
    needs_credentials: NEEDS_CREDENTIALS,
    site_name: Type.String({
      description: 'The name of its site; empty if it has none.',
      examples: ['Shop'],
      ...ADDITIVE,
    }),
    ...SHOWN_RAW_CHECKS,
    periodicity: SHOWN_PERIODICITY,
    ...SHOWN_START_TIME,
    trigger: Type.Enum(['time', 'deploy'], {
      description:
        'Whether it runs on the days of its `periodicity` (`time`), or only when its deploy hook is called (`deploy`). The hook works in both cases.',
      ...ADDITIVE,
    }),
    active: ACTIVE,
    fail_on: SHOWN_FAIL_ON,
    ...LIFE,
    last_run_at: nullable(TIMESTAMP, 'When it last created a report; null before the first one.'),
    last_run: nullable(
      LAST_RUN,
      'The newest report that it created, whether at a scheduled time, manually or by its deploy hook; null if there is none.',
      ADDITIVE,
    ),
    last_run_error: nullable(Type.String(), 'Why the last run created no report; null if it did.', {
      examples: [null],
      ...ADDITIVE,
    }),
    last_run_error_code: failureCode('last_run_error'),
    next_run_at: nullable(
      TIMESTAMP,
      'When it runs next; null if only its deploy hook runs it, or if it is not active.',
      {
        examples: ['2026-02-06T00:00:00'],
        ...ADDITIVE,
      },
    ),
    next_runs: nullable(
      Type.Array(TIMESTAMP),
      `The next ${nextRunsCount} times it runs; null if only its deploy hook runs it, or if it is not active.`,
      { examples: [['2026-02-06T00:00:00', '2026-02-13T00:00:00']], ...ADDITIVE },
    ),
    deploy_hook_url: Type.Optional(
      webAddress(
        'POST to this URL to run the schedule now. Absent for read-only tokens, and if it was encrypted with another key.',
        {
          examples: [`https://sitewarden.example/schedule/${UUID_EXAMPLE}/CtCjvqLc0RPl/fire`],
          ...ADDITIVE,
        },
      ),
    ),
    ...SHOWN_HOOK_SIGNATURE,
  }),
  relationships: {
    reports: {
      description: 'The reports that it created.',
      path: '/reports?filter%5Bschedule_id%5D={schedule_id}',
    },
    site: {
      description: 'The site that it checks, with its last runs.',
      path: '/sites/{site_id}',
    },
    device: {
      description: 'The device of the accessibility checks. Absent for the default device.',
      path: '/devices/{device_id}',
    },
  },
});

const SCHEDULE_PARAMS = Type.Object({ schedule_id: UUID });

const LIST_QUERY = Type.Object({
  ...PAGING,
  'filter[url]': textFilter('the starting URL', 'example.com'),
  'filter[text]': Type.With(textFilter('the name of the site or the starting URL', 'shop'), ADDITIVE),
  ...TAG_FILTERS,
  'filter[site_id]': Type.Optional(
    Type.String({ description: 'The id of the site of the schedules.', examples: [UUID_EXAMPLE], ...ADDITIVE }),
  ),
  'filter[active]': Type.Optional(
    Type.Enum(['true', 'false'], {
      description: 'Only active schedules (`true`), or only inactive schedules (`false`).',
    }),
  ),
  sort: sortParameter(SCHEDULE_SORT_KEYS, {
    description: 'Schedules without a next run come last. By default, the newest schedules come first.',
    example: 'next_run_at-asc',
  }),
});

export const SCHEDULE_ENDPOINTS = [
  bodyEndpoint({
    method: 'POST',
    path: '/schedules',
    summary: 'Create a schedule',
    description:
      'Accepts the attributes of a report. The reports of a schedule are like any other report and cost the same. An account can have up to 1,000 schedules.',
    pro: true,
    answers: newOne(SCHEDULE),
    body: {
      attributes: NEW_SCHEDULE_ATTRIBUTES,
      example: { starting_url: 'https://example.com/', periodicity: { every: 'week', weekday: 'friday' } },
      parse: parseNewSchedule,
    },
    async answer({ call, body }) {
      const id = await createSchedule(call, call.viewer.accountId, body);
      return renderSchedule(await ownSchedule(call, { schedule_id: id }), call, body);
    },
  }),
  endpoint({
    method: 'GET',
    path: '/schedules',
    summary: 'List schedules',
    description: 'Returns your schedules, newest first unless sorted.',
    pro: true,
    query: LIST_QUERY,
    answers: listOf(SCHEDULE),
    async answer({ call, query, paging }) {
      const {
        'filter[url]': url,
        'filter[text]': text,
        'filter[active]': active,
        'filter[site_id]': site,
        sort,
      } = query;
      const isActive = active === undefined ? undefined : active === 'true';
      const filter = {
        accountId: call.viewer.accountId,
        url,
        text,
        tags: tagFilterOf(query),
        isActive,
        siteId: site === undefined ? undefined : (uuid(site) ?? NO_UUID),
        scheduleTimeMs: call.scheduleTimeMs,
      };
      const orders = parseSort(sort, SCHEDULE_SORT_KEYS);
      return listed(await listSchedules(call.db, filter, orders, paging), (schedule) => renderSchedule(schedule, call));
    },
  }),
  endpoint({
    method: 'GET',
    path: '/schedules/{schedule_id}',
    summary: 'Get a schedule',
    description: 'Returns one of your schedules.',
    pro: true,
    params: SCHEDULE_PARAMS,
    answers: one(SCHEDULE),
    subject: ownSchedule,
    answer: async ({ call, subject }) => renderSchedule(subject, call),
  }),
  bodyEndpoint({
    method: 'PATCH',
    path: '/schedules/{schedule_id}',
    summary: 'Change a schedule',
    description: 'Changes the given attributes. Existing reports do not change.',
    pro: true,
    params: SCHEDULE_PARAMS,
    answers: one(SCHEDULE),
    body: {
      attributes: SCHEDULE_CHANGES,
      example: { active: false },
      parse: parseScheduleChange,
    },
    subject: ownSchedule,
    async answer({ call, subject, body }) {
      const settings = await changeSchedule(call, subject.id, body);
      return renderSchedule(await ownSchedule(call, { schedule_id: subject.id }), call, settings);
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/schedules/{schedule_id}',
    summary: 'Delete a schedule',
    description:
      'Reports created by the schedule are kept. Returns 409 if a retention rule names the schedule: remove the rule first, or deactivate the schedule.',
    pro: true,
    errors: ['conflict'],
    params: SCHEDULE_PARAMS,
    answers: NOTHING,
    subject: ownSchedule,
    answer: ({ call, subject }) => deleteSchedule(call.db, subject),
  }),
  endpoint({
    method: 'POST',
    path: '/schedules/{schedule_id}/runs',
    summary: 'Run a schedule now',
    description:
      'Creates a report, like `POST /reports` with the attributes of the schedule. The time of the next run does not change. Takes no attributes: change the schedule first, or use `POST /reports`. Returns 409 if the schedule is inactive.',
    refusal:
      'cannot be set: a run has the settings of the schedule. Change the schedule, or create a report with POST /reports',
    pro: true,
    additive: true,
    params: SCHEDULE_PARAMS,
    answers: newOne(REPORT),
    errors: ['conflict', 'credits_exhausted', 'paused', 'too_many_reports'],
    subject: ownSchedule,
    async answer({ call, subject }) {
      const report = await readableReport(call.db, call.viewer, await runScheduleNow(call, subject.id));
      return renderReport(report, call);
    },
  }),
];

async function ownSchedule({ db, viewer }: Call, params: { readonly schedule_id: string }): Promise<ScheduleWithRun> {
  return owned(viewer, await showSchedule(db, params.schedule_id));
}

/** @param saved the settings that the request has saved */
function renderSchedule(
  schedule: ScheduleWithRun,
  call: Call,
  { hookSigning }: Partial<Pick<ScheduleSettings, 'hookSigning'>> = {},
): Resource {
  const self = call.links(`/schedules/${schedule.id}`);
  const { checks, device_id: deviceId } = schedule.definition;
  const hook = deployHookPath(call.credentialStore, schedule);
  return resource(SCHEDULE, {
    id: schedule.id,
    attributes: {
      ...scheduleAttributes(schedule, call),
      ...(hook === null ? {} : secretsFor(call.viewer, { deploy_hook_url: call.baseUrl + hook })),
      ...(hookSigning?.isMade ? secretsFor(call.viewer, { deploy_hook_signing_secret: hookSigning.secret }) : {}),
    },
    related: {
      reports: call.links(`/reports?filter%5Bschedule_id%5D=${schedule.id}`),
      site: call.links(`/sites/${schedule.site_id}`),
      device:
        ENGINES.some(({ kind, showsPages }) => showsPages && checks.includes(kind)) || deviceId !== null
          ? call.links(devicePath(deviceId))
          : undefined,
    },
    self,
  });
}

function scheduleAttributes(
  schedule: ScheduleWithRun,
  { credentialStore, scheduleTimeMs }: Call,
): AttributesOf<typeof SCHEDULE> {
  const { definition, periodicity, last_run: run } = schedule;
  const runs = upcomingRuns(schedule, scheduleTimeMs, nextRunsCount);
  return {
    ...definitionAttributes(definition, definition.checks),
    ...shownKinds('store_raw', definition.store_raw_checks),
    signs_in: schedule.site_access !== null,
    needs_credentials: credentialStore.isUnreadable(schedule.site_access, `schedule ${schedule.id}`),
    site_name: schedule.site_name,
    periodicity,
    time_of_day: schedule.time_of_day,
    time_zone: schedule.time_zone,
    spread: schedule.spread,
    trigger: periodicity === null ? 'deploy' : 'time',
    active: schedule.active,
    fail_on: schedule.fail_on,
    deploy_hook_signature: schedule.hook_signature,
    inserted_at: utcTime(schedule.inserted_at),
    updated_at: utcTime(schedule.updated_at),
    last_run_at: utcTime(schedule.last_run_at),
    last_run: run && lastRunOf(run),
    last_run_error: fullSentenceOf(schedule.last_run_error),
    last_run_error_code: codeOf(schedule.last_run_error),
    next_run_at: utcTime(runs?.[0] ?? null),
    next_runs: runs?.map((run) => utcTime(run)) ?? null,
  };
}

function lastRunOf({ num_failing: failing, ...run }: ScheduleRun): AttributesOf<typeof SCHEDULE>['last_run'] {
  return { ...run, finished_at: endTime(run.status, dateOf(run.finished_at)), verdict: runVerdict(failing) };
}

function dateOf(time: string | null): Date | null {
  return time === null ? null : new Date(time);
}
