import Type from 'typebox';
import { readableReport, type Viewer, writableReport } from '../../accounts/access.ts';
import { CREDITS_PER_CHECK } from '../../checks/check-attributes.ts';
import { CHECK_KINDS } from '../../checks/registry.ts';
import { plural } from '../../domain/amounts.ts';
import { ADDITIVE, PRO, UUID_EXAMPLE } from '../../domain/schemas.ts';
import { AppError } from '../../platform/errors.ts';
import { fault } from '../../platform/fault.ts';
import { keepSecret, newSecret } from '../../platform/kept-secret.ts';
import { createReport } from '../../reports/create-report.ts';
import { unsetMeasure } from '../../reports/definition/definition-change.ts';
import { NEW_REPORT_ATTRIBUTES, parseNewReport } from '../../reports/definition/new-report.ts';
import { deleteReport } from '../../store/reports/deletion.ts';
import { measureReport } from '../../store/reports/measure.ts';
import { listReports, type ReportOrder, type ReportWithChecks, SORTABLE_COUNTS } from '../../store/reports/reports.ts';
import { setShared } from '../../store/reports/share-links.ts';
import { REPORT_STATUSES } from '../../store/schema.ts';
import { GIVEN_SITE, SHOWN_DEFINITION } from '../attributes/definition-attributes.ts';
import {
  CREATOR_FILTERS,
  creatorsOf,
  NO_UUID,
  REPORT_PARAMS,
  TAG_FILTERS,
  tagFilterOf,
  textFilter,
  uuid,
} from '../attributes/parameters.ts';
import { bodyEndpoint, type Call, endpoint, listed, listOf, NOTHING, newOne, one } from '../http/endpoint.ts';
import { seesChecks } from '../http/pro-features.ts';
import { readAttributes, readChanges, valueIn } from '../jsonapi/attributes.ts';
import { invalid } from '../jsonapi/errors.ts';
import { PAGING, parseSort, sortParameter } from '../jsonapi/query.ts';
import { REPORT, renderReport } from './report-resource.ts';

/** The sort keys by their names in `sort`. */
const SORTS = new Map<string, ReportOrder['key']>([
  ['url', 'url'],
  ['num_web_pages', 'num_web_pages'],
  ...CHECK_KINDS.flatMap((kind) => SORTABLE_COUNTS.map((count) => [`${kind}_${count}`, { kind, count }] as const)),
  ['last_checked_at', 'last_checked_at'],
]);
export const REPORT_SORT_KEYS = [...SORTS.keys()];

/** Returns the order of a list. Ignores counts that the viewer cannot see. */
function orderFor(viewer: Viewer, sort: string): ReportOrder[] {
  return parseSort(sort, REPORT_SORT_KEYS).flatMap(({ key: word, direction }) => {
    const key = SORTS.get(word) ?? 'last_checked_at';
    return typeof key === 'string' || seesChecks(viewer, key.kind) ? [{ key, direction }] : [];
  });
}

const LIST_QUERY = Type.Object({
  ...PAGING,
  'filter[url]': textFilter('the starting URL', 'example.com'),
  'filter[text]': Type.With(textFilter('the name of the site or the starting URL', 'shop'), ADDITIVE),
  ...TAG_FILTERS,
  'filter[status]': Type.Optional(
    Type.Enum([...REPORT_STATUSES], { description: 'The status of the reports.', ...ADDITIVE }),
  ),
  'filter[schedule_id]': Type.Optional(
    Type.String({ description: 'The id of the schedule that created the reports.', examples: [UUID_EXAMPLE], ...PRO }),
  ),
  'filter[site_id]': Type.Optional(
    Type.String({ description: 'The id of the site of the reports.', examples: [UUID_EXAMPLE], ...ADDITIVE }),
  ),
  ...CREATOR_FILTERS,
  sort: sortParameter(REPORT_SORT_KEYS, {
    description:
      'Without a Pro plan, keys of accessibility checks are ignored. ' +
      'By default, the most recently checked reports come first.',
    example: 'html_errors-desc',
  }),
});

const CHANGES = Type.Object(
  {
    shared: Type.Optional(SHOWN_DEFINITION.shared),
    standard: Type.Optional(SHOWN_DEFINITION.standard),
    best_practices: Type.Optional(SHOWN_DEFINITION.best_practices),
  },
  { additionalProperties: false },
);

const SITE_OF_REPORT = Type.Object({ site_id: GIVEN_SITE });

const NEW_REPORT_OF_SITE = Type.Object(
  { ...NEW_REPORT_ATTRIBUTES.properties, ...SITE_OF_REPORT.properties },
  { additionalProperties: false },
);

export const REPORT_ENDPOINTS = [
  bodyEndpoint({
    method: 'POST',
    path: '/reports',
    summary: 'Create a report',
    description:
      'The crawl starts immediately. Follow the report with `GET /events`, or poll it until its `status` is `finished` or ' +
      '`failed`. Without credentials, it uses the `login` of its site, if that has one; set `login` to null to use none. ' +
      'If you have never saved the settings of the site, the settings of the report, including its `journeys`, become the settings of ' +
      'the site. ' +
      `Each check and each stored raw check costs ${plural(CREDITS_PER_CHECK, 'credit')}.`,
    answers: newOne(REPORT),
    errors: ['credits_exhausted', 'paused', 'too_many_reports'],
    body: {
      attributes: NEW_REPORT_OF_SITE,
      example: { starting_url: 'https://example.com/', max_pages: 100, tags: 'shop, autumn' },
      parse({ site_id: given, ...attributes }, { accountId, limits, measure }) {
        const settings = valueIn(parseNewReport(attributes, limits, measure));
        const siteId = given === undefined ? undefined : readAttributes(SITE_OF_REPORT, { site_id: given }).site_id;
        const unset = unsetMeasure(attributes);
        return { accountId, ...settings, ...(siteId && { siteId }), unset, waitingReportsMax: limits.waiting_reports };
      },
    },
    async answer({ call, body }) {
      const id = await createReport(call.db, call.credentialStore, body);
      return renderReport(await readableReport(call.db, call.viewer, id), call);
    },
  }),
  endpoint({
    method: 'GET',
    path: '/reports',
    summary: 'List reports',
    description: "Returns your reports or your guests' reports, excluding reports that others share with you.",
    query: LIST_QUERY,
    answers: listOf(REPORT),
    async answer({ call, query, paging }) {
      const order = orderFor(call.viewer, query.sort ?? 'last_checked_at-desc');
      const scheduleId = query['filter[schedule_id]'];
      const siteId = query['filter[site_id]'];
      const filter = {
        ...creatorsOf(call.viewer, query),
        url: query['filter[url]'],
        text: query['filter[text]'],
        tags: tagFilterOf(query),
        status: query['filter[status]'],
        scheduleId: scheduleId === undefined ? undefined : (uuid(scheduleId) ?? NO_UUID),
        siteId: siteId === undefined ? undefined : (uuid(siteId) ?? NO_UUID),
      };
      return listed(await listReports(call.db, filter, order, paging), (report) => renderReport(report, call));
    },
  }),
  endpoint({
    method: 'GET',
    path: '/reports/{report_id}',
    summary: 'Get a report',
    description: "Returns one of your reports, one of your guests' reports, or a shared report.",
    params: REPORT_PARAMS,
    answers: one(REPORT),
    subject: reportToRead,
    answer: async ({ call, subject }) => renderReport(subject, call),
  }),
  bodyEndpoint({
    method: 'PATCH',
    path: '/reports/{report_id}',
    summary: 'Share a report, or measure it against another standard',
    description:
      'Only the owner, and the host of a guest who created the report, can change it. Anyone can read a shared report with the link in `share_url`. When it is no longer shared, the link stops working at once. Changing `standard` or `best_practices` recounts the issues that the report has now and the issues that it had when it ended, without checking any page: `untested_rules` lists the rules of the standard that have not run.',
    params: REPORT_PARAMS,
    answers: one(REPORT),
    errors: ['forbidden'],
    body: {
      attributes: CHANGES,
      example: { shared: true },
      parse(attributes) {
        if (Object.keys(attributes).length === 0) throw invalid([fault('shared', "can't be blank")]);
        return readChanges(CHANGES, attributes);
      },
    },
    subject: reportToChange,
    async answer({ call, subject, body }) {
      const { shared, ...measure } = body;
      if (Object.keys(measure).length > 0) await measureReport(call.db, subject.id, measure);
      if (shared !== undefined) {
        await setShared(call.db, subject.id, shared, keepSecret(call.credentialStore.box, newSecret()));
      }
      return renderReport(await readableReport(call.db, call.viewer, subject.id), call);
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/reports/{report_id}',
    summary: 'Delete a report',
    description:
      'Deletes all its data, even while it is running. Only the owner, and the host of a guest who created the report, can delete it.',
    params: REPORT_PARAMS,
    answers: NOTHING,
    errors: ['forbidden'],
    subject: reportToChange,
    answer: ({ call, subject }) => deleteReport(call.db, subject.id),
  }),
];

/** Returns the report that a path names, if the viewer can see it. */
export function reportToRead(call: Call, params: { readonly report_id: string }): Promise<ReportWithChecks> {
  return readableReport(call.db, call.viewer, params.report_id);
}

/** Returns the report that a path names, if the viewer can change it. */
export function reportToChange(call: Call, params: { readonly report_id: string }): Promise<ReportWithChecks> {
  return writableReport(call.db, call.viewer, params.report_id);
}

export const SHARE_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/share',
    summary: 'Get the report of a share link',
    description:
      'Send the secret of the link, the last segment of `share_url`, in place of an API token. The secret allows GET requests for the report and everything in it, as far as the plan of its owner includes it, and nothing else. The requests cost no credits.',
    additive: true,
    answers: one(REPORT),
    errors: ['not_found'],
    async answer({ call }) {
      const { db, viewer } = call;
      if (viewer.link === null) {
        throw new AppError('not_found', 'This endpoint does not accept API tokens. Use the secret of a share link.');
      }
      return renderReport(await readableReport(db, viewer, viewer.link.id), call);
    },
  }),
];
