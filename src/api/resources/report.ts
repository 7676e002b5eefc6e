import Type from 'typebox';
import { accessTo, readableReport, type Viewer, writableReport } from '../../accounts/access.ts';
import { createReport } from '../../reports/create-report.ts';
import { deleteReport } from '../../reports/delete-report.ts';
import { setShared } from '../../reports/share-report.ts';
import {
  listReports,
  REPORT_CREATORS,
  REPORT_SORT_KEYS,
  type ReportCheckCounts,
  type ReportWithChecks,
} from '../../store/reports.ts';
import type { ReportStatus } from '../../store/schema.ts';
import { readChanges } from '../attributes.ts';
import {
  bodyEndpoint,
  type Call,
  created,
  endpoint,
  listed,
  listOf,
  NO_CONTENT,
  NOTHING,
  newOne,
  ok,
  one,
} from '../endpoint.ts';
import { ERRORS_AND_WARNINGS, errorsAndWarnings, SEVERITY, severity } from '../issue-counts.ts';
import { type Resource, resource, timestamp } from '../jsonapi/document.ts';
import { commaSeparated, PAGING, pagingOf, parseSort, sortParameter } from '../jsonapi/query.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';
import { COUNT, GUEST_TOKEN, nullable, TAGS, TIMESTAMP, UUID, WEB_ADDRESS } from '../jsonapi/schemas.ts';
import type { Links } from '../links.ts';
import {
  NO_PARAMS,
  NO_QUERY,
  NO_UUID,
  REPORT_PARAMS,
  TAG_FILTERS,
  TEXT_FILTER,
  tagFilterOf,
  uuid,
} from '../parameters.ts';
import { PRO, proRelated, proWhere, visibleChecks } from '../pro.ts';
import { devicePath } from './device.ts';
import { NEW_REPORT_ATTRIBUTES, parseNewReport } from './new-report.ts';

const STATUSES = ['pending', 'crawling', 'checking', 'finished', 'failed'] as const satisfies readonly ReportStatus[];

const CHECKS_BY_STATUS = Type.Object({ pending: COUNT, checked: COUNT, failed: COUNT });

/** Section 2.1 of the contract. */
export const REPORT = resourceType('report', {
  id: UUID,
  attributes: Type.Object({
    starting_url: WEB_ADDRESS,
    initial_urls: Type.Array(WEB_ADDRESS),
    exclusions: Type.Array(Type.String()),
    domain: Type.String({ examples: ['example.com'] }),
    max_pages: Type.Integer({ minimum: 1 }),
    num_pages: COUNT,
    rate_limit: Type.Integer({ minimum: 1, description: 'Requests per second.' }),
    deep_crawl: Type.Boolean(),
    prefer_canonical_urls: Type.Boolean(),
    dynamic_crawler: Type.Boolean(),
    respect_robots_txt: Type.Boolean(),
    perform_html_checks: Type.Boolean(),
    perform_a11y_checks: Type.Boolean(),
    device_rotated: Type.Boolean(),
    checks: Type.Object({
      html: nullable(Type.Object({ status: CHECKS_BY_STATUS, issues: Type.Object(ERRORS_AND_WARNINGS) })),
      a11y: nullable(
        Type.Object({ status: CHECKS_BY_STATUS, issues: Type.Object({ ...ERRORS_AND_WARNINGS, severity: SEVERITY }) }),
      ),
    }),
    shared: Type.Boolean(),
    tags: TAGS,
    status: Type.Enum([...STATUSES]),
    crawl_error: nullable(Type.String({ description: 'What a person can do about a crawl that went wrong.' })),
    guest_token: Type.Optional(GUEST_TOKEN),
    inserted_at: TIMESTAMP,
    updated_at: TIMESTAMP,
    last_checked_at: nullable(TIMESTAMP),
    finished_at: nullable(TIMESTAMP),
  }),
  relationships: [
    'web_pages',
    'common_html_issues',
    'common_a11y_issues',
    'schedule',
    'device',
    'guest_token',
    'mutings',
    'excluded_urls',
  ],
});

const LIST_QUERY = Type.Object({
  ...PAGING,
  ...TAG_FILTERS,
  'filter[url]': TEXT_FILTER,
  'filter[status]': Type.Optional(Type.Enum([...STATUSES])),
  'filter[schedule_id]': Type.Optional(
    Type.String({ description: 'Id of the schedule that made the reports.', ...PRO }),
  ),
  created_by: Type.Optional(Type.Enum([...REPORT_CREATORS], { default: 'me', ...PRO })),
  guest_token: Type.Optional(
    Type.String({ description: 'With created_by=guests: guest tokens, separated by commas.', ...PRO }),
  ),
  sort: sortParameter(REPORT_SORT_KEYS, {
    description:
      '`KEY-asc` or `KEY-desc`, or `KEY` or `-KEY` as in JSON:API; several separated by commas. ' +
      `Keys: ${REPORT_SORT_KEYS.map((key) => `\`${key}\``).join(', ')}. Those of accessibility checks need Pro. ` +
      'Without it, what was checked last comes first.',
    ...proWhere('a11y_'),
  }),
});

const CHANGES = Type.Object({ shared: Type.Boolean() }, { additionalProperties: false });

export const REPORT_ENDPOINTS = [
  bodyEndpoint({
    method: 'POST',
    path: '/reports',
    summary: 'Create a report; scanning starts',
    params: NO_PARAMS,
    query: NO_QUERY,
    answers: newOne(REPORT),
    errors: ['credits_exhausted'],
    body: {
      type: 'report',
      isNew: true,
      attributes: NEW_REPORT_ATTRIBUTES,
      example: { starting_url: 'https://example.com/', max_pages: 100, tags: 'shop, autumn' },
      parse: parseNewReport,
    },
    subject: async () => null,
    async answer({ call, body }) {
      const id = await createReport(call.db, body);
      return created(renderReport(await readableReport(call.db, call.viewer, id), call));
    },
  }),
  endpoint({
    method: 'GET',
    path: '/reports',
    summary: 'List reports',
    params: NO_PARAMS,
    query: LIST_QUERY,
    answers: listOf(REPORT),
    subject: async () => null,
    async answer({ call, query }) {
      const order = parseSort(query.sort ?? 'last_checked_at-desc', REPORT_SORT_KEYS);
      const paging = pagingOf(query);
      const scheduleId = query['filter[schedule_id]'];
      const ofGuests = query.created_by === 'guests' ? query.guest_token : undefined;
      const filter = {
        accountId: call.viewer.accountId,
        createdBy: query.created_by,
        guestAccountIds: ofGuests === undefined ? undefined : commaSeparated(ofGuests),
        url: query['filter[url]'],
        tags: tagFilterOf(query),
        status: query['filter[status]'],
        scheduleId: scheduleId === undefined ? undefined : (uuid(scheduleId) ?? NO_UUID),
      };
      const page = await listReports(call.db, filter, order, paging);
      return listed(call, paging, page, (report) => renderReport(report, call));
    },
  }),
  endpoint({
    method: 'GET',
    path: '/reports/{report_id}',
    summary: 'Get a report',
    params: REPORT_PARAMS,
    query: NO_QUERY,
    answers: one(REPORT),
    subject: reportToRead,
    answer: async ({ call, subject }) => ok(renderReport(subject, call)),
  }),
  bodyEndpoint({
    method: 'PATCH',
    path: '/reports/{report_id}',
    summary: 'Share a report, or no longer',
    params: REPORT_PARAMS,
    query: NO_QUERY,
    answers: one(REPORT),
    errors: ['forbidden'],
    body: {
      type: 'report',
      isNew: false,
      attributes: CHANGES,
      example: { shared: true },
      parse: (attributes) => readChanges(CHANGES, attributes),
    },
    subject: reportToChange,
    async answer({ call, subject, body }) {
      await setShared(call.db, subject.id, body.shared);
      return ok(renderReport(await readableReport(call.db, call.viewer, subject.id), call));
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/reports/{report_id}',
    summary: 'Delete a report',
    params: REPORT_PARAMS,
    query: NO_QUERY,
    answers: NOTHING,
    errors: ['forbidden'],
    subject: reportToChange,
    async answer({ call, subject }) {
      await deleteReport(call.db, subject.id);
      return NO_CONTENT;
    },
  }),
];

/** The report that a path names, when the viewer may look at it. */
export function reportToRead(call: Call, params: { readonly report_id: string }): Promise<ReportWithChecks> {
  return readableReport(call.db, call.viewer, params.report_id);
}

/** The report that a path names, when the viewer may change it. */
export function reportToChange(call: Call, params: { readonly report_id: string }): Promise<ReportWithChecks> {
  return writableReport(call.db, call.viewer, params.report_id);
}

export function reportAttributes(report: ReportWithChecks): AttributesOf<typeof REPORT> {
  const { html, a11y } = report.checks;
  return {
    starting_url: report.starting_url,
    initial_urls: report.initial_urls,
    exclusions: report.exclusions,
    domain: report.domain,
    max_pages: report.max_pages,
    num_pages: report.num_pages,
    rate_limit: report.rate_limit,
    deep_crawl: report.deep_crawl,
    prefer_canonical_urls: report.prefer_canonical_urls,
    dynamic_crawler: false,
    respect_robots_txt: report.respect_robots_txt,
    perform_html_checks: html !== undefined,
    perform_a11y_checks: a11y !== undefined,
    device_rotated: report.device_rotated,
    checks: { html: html ? htmlChecks(html) : null, a11y: a11y ? a11yChecks(a11y) : null },
    shared: report.shared,
    tags: report.tags,
    status: report.status,
    crawl_error: report.crawl_error,
    ...(report.guest_account_id === null ? {} : { guest_token: report.guest_account_id }),
    inserted_at: timestamp(report.inserted_at),
    updated_at: timestamp(report.updated_at),
    last_checked_at: timestamp(report.last_checked_at),
    finished_at: timestamp(report.finished_at),
  };
}

/** Who looks at a report, and from where. */
export interface ReportView {
  readonly viewer: Pick<Viewer, 'accountId' | 'plan'>;
  readonly links: Links;
}

export function renderReport(report: ReportWithChecks, { viewer, links }: ReportView): Resource {
  const checks = visibleChecks(viewer, report.checks);
  const { html, a11y } = checks;
  const self = links(`/reports/${report.id}`);
  return resource(REPORT, {
    id: report.id,
    attributes: reportAttributes({ ...report, checks }),
    related: {
      web_pages: `${self}/web_pages`,
      common_html_issues: html && `${self}/common_html_issues`,
      ...proRelated(viewer, {
        common_a11y_issues: a11y && `${self}/common_a11y_issues`,
        device: a11y || report.device_id !== null ? links(devicePath(report.device_id)) : undefined,
        // Only for its owner: for the host of a guest and others there is nothing to look at.
        schedule:
          report.schedule_id === null || report.account_id !== viewer.accountId
            ? undefined
            : links(`/schedules/${report.schedule_id}`),
        // Only for host and guest, and only while the sharing lasts: for others there is nothing to look at.
        guest_token:
          report.host_id === null || accessTo(report, viewer) !== 'all'
            ? undefined
            : links(`/guest_accounts/${report.guest_account_id}`),
        mutings: `${self}/mutings`,
      }),
      excluded_urls: `${self}/excluded_urls`,
    },
    self,
  });
}

function htmlChecks(counts: ReportCheckCounts) {
  return { status: statusCounts(counts), issues: errorsAndWarnings(counts) };
}

function a11yChecks(counts: ReportCheckCounts) {
  return { status: statusCounts(counts), issues: { ...errorsAndWarnings(counts), severity: severity(counts) } };
}

function statusCounts({ pending, checked, failed }: ReportCheckCounts) {
  return { pending, checked, failed };
}
