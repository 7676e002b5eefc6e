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
import { ADDITIVE, count, GUEST_TOKEN, LIFE, nullable, TIMESTAMP, UUID, UUID_EXAMPLE } from '../jsonapi/schemas.ts';
import type { Links } from '../links.ts';
import {
  NO_PARAMS,
  NO_QUERY,
  NO_UUID,
  REPORT_PARAMS,
  TAG_FILTERS,
  tagFilterOf,
  textFilter,
  uuid,
} from '../parameters.ts';
import { PRO, proRelated, visibleChecks, visibleOrder } from '../pro.ts';
import { SHOWN_DEFINITION } from './definition-attributes.ts';
import { devicePath } from './device.ts';
import { NEW_REPORT_ATTRIBUTES, parseNewReport } from './new-report.ts';

const STATUSES = ['pending', 'crawling', 'checking', 'finished', 'failed'] as const satisfies readonly ReportStatus[];

const CHECKS_BY_STATUS = Type.Object(
  {
    pending: count('Checks still to run.', { examples: [0] }),
    checked: count('Checks that have run.', { examples: [4] }),
    failed: count('Checks that could not run; their web pages say why.', { examples: [1] }),
  },
  { description: 'How many web pages are how far.' },
);

const SUMS = 'The sums over all web pages.';

/** Section 2.1 of the contract. */
export const REPORT = resourceType('report', {
  description: 'One validation of one site: what was asked for, how far it is, and what was found.',
  id: UUID,
  attributes: Type.Object({
    ...SHOWN_DEFINITION,
    domain: Type.String({ description: 'The host name of `starting_url`.', examples: ['example.com'] }),
    num_pages: count('Web pages found so far.', { examples: [5] }),
    checks: Type.Object(
      {
        html: nullable(
          Type.Object({
            status: CHECKS_BY_STATUS,
            issues: Type.Object(ERRORS_AND_WARNINGS, { description: SUMS }),
          }),
          'The HTML checks. Null where they are not enabled.',
        ),
        a11y: nullable(
          Type.Object({
            status: CHECKS_BY_STATUS,
            issues: Type.Object({ ...ERRORS_AND_WARNINGS, severity: SEVERITY }, { description: SUMS }),
          }),
          'The accessibility checks. Null where they are not enabled.',
          PRO,
        ),
      },
      { description: 'The checks of all web pages, added up; right at every moment.' },
    ),
    status: Type.Enum([...STATUSES], {
      description:
        'How far it is: waiting, finding pages, checking those that were found, or at its end. It is `failed` only where there was no page to check.',
      examples: ['finished'],
      ...ADDITIVE,
    }),
    crawl_error: nullable(
      Type.String(),
      'What went wrong on the whole and what a person can do about it; null when nothing did.',
      { examples: [null], ...ADDITIVE },
    ),
    guest_token: Type.Optional(GUEST_TOKEN),
    ...LIFE,
    last_checked_at: nullable(TIMESTAMP, 'When a check ended last; null before the first one.'),
    finished_at: nullable(TIMESTAMP, 'When nothing was left to be done; null until then.', ADDITIVE),
  }),
  relationships: {
    web_pages: { description: 'The pages that were found.', path: '/reports/{report_id}/web_pages' },
    common_html_issues: {
      description: 'The kinds of HTML issue. Absent without HTML checks.',
      path: '/reports/{report_id}/common_html_issues',
    },
    common_a11y_issues: {
      description: 'The kinds of accessibility issue. Absent without accessibility checks.',
      path: '/reports/{report_id}/common_a11y_issues',
      pro: true,
    },
    schedule: {
      description: 'The schedule that made the report, for the owner of both. Absent where none did.',
      path: '/schedules/{schedule_id}',
      pro: true,
    },
    device: {
      description: 'The device of the accessibility checks. Absent where nothing is emulated.',
      path: '/devices/{device_id}',
      pro: true,
    },
    guest_token: {
      description: 'The guest account that made the report, for host and guest while the sharing lasts.',
      path: '/guest_accounts/{guest_account_id}',
      pro: true,
    },
    mutings: {
      description: 'The mutings that silence at least one of its issues.',
      path: '/reports/{report_id}/mutings',
      pro: true,
    },
    excluded_urls: { description: 'The URLs that it leaves out.', path: '/reports/{report_id}/excluded_urls' },
    discovered_urls: {
      description: 'Every URL that the spider came across, with what became of it.',
      path: '/reports/{report_id}/discovered_urls',
    },
  },
});

const LIST_QUERY = Type.Object({
  ...PAGING,
  ...TAG_FILTERS,
  'filter[url]': textFilter('the starting URL', 'example.com'),
  'filter[status]': Type.Optional(Type.Enum([...STATUSES], { description: 'How far the reports are.', ...ADDITIVE })),
  'filter[schedule_id]': Type.Optional(
    Type.String({ description: 'Id of the schedule that made the reports.', examples: [UUID_EXAMPLE], ...PRO }),
  ),
  created_by: Type.Optional(
    Type.Enum([...REPORT_CREATORS], {
      default: 'me',
      description: 'Whose reports: your own, those of your guests, or all of these.',
      ...PRO,
    }),
  ),
  guest_token: Type.Optional(
    Type.String({
      description: 'With `created_by=guests`, of these guests only: ids of guest accounts, separated by commas.',
      examples: ['G1A2B3C4D5'],
      ...PRO,
    }),
  ),
  sort: sortParameter(REPORT_SORT_KEYS, {
    description:
      '`KEY-asc` or `KEY-desc`, or `KEY` or `-KEY` as in JSON:API; several separated by commas. ' +
      `Keys: ${REPORT_SORT_KEYS.map((key) => `\`${key}\``).join(', ')}. ` +
      'To readers without Pro features, every report has 0 accessibility issues. ' +
      'Without it, what was checked last comes first.',
  }),
});

const CHANGES = Type.Object({ shared: SHOWN_DEFINITION.shared }, { additionalProperties: false });

export const REPORT_ENDPOINTS = [
  bodyEndpoint({
    method: 'POST',
    path: '/reports',
    summary: 'Create a report',
    description:
      'The spider starts at once; look at the report until its `status` is `finished` or `failed`. A check costs a credit, and so does each raw check that is stored.',
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
      const id = await createReport(call.db, call.vault, body);
      return created(renderReport(await readableReport(call.db, call.viewer, id), call));
    },
  }),
  endpoint({
    method: 'GET',
    path: '/reports',
    summary: 'List reports',
    description: 'Your own, or those of your guests; not those that others share with you.',
    params: NO_PARAMS,
    query: LIST_QUERY,
    answers: listOf(REPORT),
    subject: async () => null,
    async answer({ call, query }) {
      const order = visibleOrder(call.viewer, parseSort(query.sort ?? 'last_checked_at-desc', REPORT_SORT_KEYS));
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
    description: 'One of yours, of your guests, or one that somebody shares.',
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
    description: 'For its owner and the host of the guest that made it. Nothing else of a report can be changed.',
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
    description: 'With everything in it, even while it runs. For its owner and the host of the guest that made it.',
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
    dynamic_crawler: report.dynamic_crawler,
    respect_robots_txt: report.respect_robots_txt,
    perform_html_checks: html !== undefined,
    perform_a11y_checks: a11y !== undefined,
    device_rotated: report.device_rotated,
    signs_in: report.site_access !== null,
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
      discovered_urls: `${self}/discovered_urls`,
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
