import Type from 'typebox';
import { owned, readableReport, readableSite } from '../../accounts/access.ts';
import { findDevice } from '../../browser/devices.ts';
import { shownKinds } from '../../checks/check-attributes.ts';
import type { CheckKind } from '../../domain/check.ts';
import { shownLogin } from '../../domain/login.ts';
import { count, flag, LIFE, nullable, TIMESTAMP, UUID, UUID_EXAMPLE } from '../../domain/schemas.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { LOGIN } from '../../reports/definition/login-attributes.ts';
import { changeSite, createSite, deleteSite, mergeSite, runSite } from '../../reports/save-site.ts';
import { UnreadableAccess } from '../../store/reports/credential-store.ts';
import {
  ATTENTION_CHOICES,
  ATTENTIONS,
  listSites,
  SITE_SORT_KEYS,
  type SiteRow,
} from '../../store/reports/site-list.ts';
import { CHANGE_COUNTS, CHANGE_COUNTS_EXAMPLE, changeCounts } from '../attributes/change-counts.ts';
import {
  definitionAttributes,
  NEEDS_CREDENTIALS,
  SHOWN_DEFINITION,
  SHOWN_RAW_CHECKS,
  SIGNS_IN,
} from '../attributes/definition-attributes.ts';
import {
  NEW_SITE_ATTRIBUTES,
  parseNewSite,
  parseSiteChange,
  SITE_CHANGES,
  SYNCED_FROM,
} from '../attributes/new-site.ts';
import { CREATOR_FILTERS, creatorsOf, TAG_FILTERS, tagFilterOf, textFilter } from '../attributes/parameters.ts';
import { ERRORS_PER_PAGE } from '../attributes/run-counts.ts';
import { RUN, renderRun } from '../attributes/site-run.ts';
import { ARCHIVED_FILTER, ATTENTION_FILTER, isArchived } from '../attributes/site-selection.ts';
import { thumbnailUrl } from '../attributes/thumbnail-image.ts';
import { bodyEndpoint, type Call, endpoint, listed, listOf, NOTHING, newOne, one } from '../http/endpoint.ts';
import { kindsFilter, kindsSeenBy } from '../http/pro-features.ts';
import { readAttributes } from '../jsonapi/attributes.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { chosenOf, PAGING, parseSort, sortParameter } from '../jsonapi/query.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';
import { devicePath } from './device.ts';
import { REPORT, renderReport } from './report-resource.ts';

const SHOWN_LOGIN = nullable(
  LOGIN,
  "How reports of the site sign in, with `true` in place of each secret; send `true` to keep the stored secret. Null without a login, for a guest's site, and if it cannot be decrypted.",
  { examples: [null] },
);

const THUMBNAIL = Type.Object({
  image_url: Type.String({
    description:
      'The image, in WebP. The URL needs no token, cannot be guessed, and is valid for at least an hour. To get a new URL, get the site again.',
    examples: [
      `https://sitewarden.example.com/thumbnails/${UUID_EXAMPLE}.492300.N2x5Zm1vdGhpbmcgdG8gc2VlIGhlcmUsIG1vdmUgb24gbm93`,
    ],
  }),
  width: Type.Integer({ minimum: 1, description: 'Width in pixels.', examples: [320] }),
  height: Type.Integer({ minimum: 1, description: 'Height in pixels.', examples: [200] }),
});

const WORSE = Type.Object({
  new_errors: count('Errors that are new or back, and not because of a changed setting.', { examples: [12] }),
  new_critical: count('Critical accessibility errors among them.', { examples: [3] }),
});

const UNACKNOWLEDGED = Type.Object({
  report_id: Type.With(UUID, { description: 'The report that got worse.' }),
  since_report_id: Type.With(UUID, { description: 'The earlier report that it is compared with.' }),
  since: Type.With(TIMESTAMP, { description: 'When that report was completed.' }),
  ...WORSE.properties,
  broken_pages: count('Pages that could be checked in the earlier report but not in the later one.', {
    examples: [1],
  }),
});

const SITE = resourceType('site', {
  description:
    'A website that you check repeatedly. Its reports and schedules share one history, even if their settings differ. A site that you neither created nor changed has the settings of its newest report.',
  id: UUID,
  attributes: Type.Object({
    name: Type.String({ description: 'What you call it. Empty if you gave it no name.', examples: ['Shop'] }),
    notes: Type.String({ description: 'Your notes.', examples: [''] }),
    synced_from: nullable(Type.String(), `${SYNCED_FROM}; null if none did, and for a guest's site.`, {
      examples: [null, 'sites.yaml'],
    }),
    archived: flag('Whether it is archived: lists leave it out by default, and its schedules do not run.'),
    ...SHOWN_DEFINITION,
    ...SHOWN_RAW_CHECKS,
    signs_in: SIGNS_IN,
    needs_credentials: NEEDS_CREDENTIALS,
    login: SHOWN_LOGIN,
    device: nullable(Type.String(), 'The name of its device; null for the default one.', {
      examples: ['iPhone 15', null],
    }),
    runs: Type.Array(RUN, { description: 'Its last 12 reports that have ended, newest first.' }),
    change: nullable(
      CHANGE_COUNTS,
      'What changed in the last run, for the types of check in your plan; null if there is no report before it, or until they have been compared.',
      {
        examples: [CHANGE_COUNTS_EXAMPLE, null],
      },
    ),
    worse: nullable(
      WORSE,
      'What got worse in the last run, apart from `broken_pages` of `change`; null if `change` is null.',
      {
        examples: [{ new_errors: 12, new_critical: 3 }, null],
      },
    ),
    errors_per_page: Type.With(ERRORS_PER_PAGE, {
      description:
        'The current `errors_per_page` of the last run; null if no page was checked, and before the first run.',
    }),
    thumbnail: nullable(
      THUMBNAIL,
      'The upper part of its start page, from the newest report with an accessibility check of this page. Null before the first one, and if your plan does not include accessibility checks.',
      { examples: [null] },
    ),
    unacknowledged: nullable(
      UNACKNOWLEDGED,
      'What got worse in the last run or in runs before it, and has neither been fixed, nor muted, nor acknowledged; null if nothing did.',
      { examples: [null] },
    ),
    acknowledged_at: nullable(TIMESTAMP, 'When you last acknowledged what a report found; null if you never did.', {
      examples: [null, '2026-02-06T08:15:00'],
    }),
    attention: Type.Enum([...ATTENTIONS], {
      description:
        'The most urgent reason to look at it: the last run failed (`failed`), `unacknowledged` has critical accessibility errors (`new_critical`) or other errors (`new_errors`), credits ran out in the last run or you have none for the next run (`no_credits`), `unacknowledged` has pages that could be checked before (`broken_pages`), the last run did not pass the `fail_on` of its schedule (`not_passed`), it has errors and you have never acknowledged any (`has_errors`), or `none`.',
      examples: ['none'],
    }),
    next_run_at: nullable(
      TIMESTAMP,
      "When a schedule checks it next; null if none does, for an archived site, and for a guest's site.",
      {
        examples: ['2026-02-06T00:00:00'],
      },
    ),
    runs_on_deploy: flag(
      "Whether the site has an active schedule that runs only when its deploy hook is called. False for a guest's site.",
    ),
    num_reports: count('Number of its reports.', { examples: [12] }),
    num_web_pages: count('Number of web pages in its reports.', { examples: [384] }),
    num_schedules: count("Number of its schedules; 0 for a guest's site.", { examples: [1] }),
    ...LIFE,
    last_checked_at: nullable(TIMESTAMP, 'When a check of its newest report last ended; null before the first one.'),
  }),
  relationships: {
    last_report: {
      description: 'Its newest report, which may be running. Absent before its first report.',
      path: '/reports/{report_id}',
    },
    reports: {
      description: "All its reports. Absent for a guest's site.",
      path: '/reports?filter%5Bsite_id%5D={site_id}',
    },
    schedules: {
      description: "Its schedules. Absent for a guest's site.",
      path: '/schedules?filter%5Bsite_id%5D={site_id}',
    },
    device: {
      description: 'The device of its accessibility checks. Absent for the default device.',
      path: '/devices/{device_id}',
    },
  },
});

const LIST_QUERY = Type.Object({
  ...PAGING,
  'filter[url]': textFilter('the starting URL', 'example.com'),
  'filter[text]': textFilter('the name or the starting URL', 'shop'),
  ...ARCHIVED_FILTER,
  ...ATTENTION_FILTER,
  'filter[tagged]': Type.Optional(
    Type.Enum(['true', 'false'], { description: 'Only sites with tags (`true`), or without tags (`false`).' }),
  ),
  ...TAG_FILTERS,
  ...CREATOR_FILTERS,
  sort: sortParameter(SITE_SORT_KEYS, {
    description: 'By default, the sites that need the most attention come first.',
    example: 'last_checked_at-desc',
  }),
});

const SITE_PARAMS = Type.Object({ site_id: UUID });

const MERGE = Type.Object(
  { into: Type.With(UUID, { description: 'The id of the site that the reports and schedules move to.' }) },
  { additionalProperties: false },
);

export const SITE_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/sites',
    summary: 'List sites',
    description:
      "Returns your sites or your guests' sites, with their last runs, what changed, and what needs attention.",
    additive: true,
    query: LIST_QUERY,
    answers: listOf(SITE),
    async answer({ call, query, paging }) {
      const filter = {
        ...creatorsOf(call.viewer, query),
        url: query['filter[url]'],
        text: query['filter[text]'],
        isArchived: isArchived(query['filter[archived]']),
        attention: chosenOf(query['filter[attention]'], ATTENTION_CHOICES),
        tags: tagFilterOf(query),
        isTagged: query['filter[tagged]'] === undefined ? undefined : query['filter[tagged]'] === 'true',
        ...kindsFilter(call.viewer),
        scheduleTimeMs: call.scheduleTimeMs,
      };
      const order = parseSort(query.sort ?? 'attention-asc', SITE_SORT_KEYS);
      return listed(await listSites(call.db, filter, order, paging), (site) => renderSite(site, call));
    },
  }),
  endpoint({
    method: 'GET',
    path: '/sites/{site_id}',
    summary: 'Get a site',
    description: "Returns one of your sites or your guests' sites.",
    additive: true,
    params: SITE_PARAMS,
    answers: one(SITE),
    subject: siteToRead,
    answer: async ({ call, subject }) => renderSite(subject, call),
  }),
  bodyEndpoint({
    method: 'POST',
    path: '/sites',
    summary: 'Create a site',
    description:
      'Accepts the same attributes as a report. Reports of the site use them. Nothing is checked yet: run the site, or create a schedule for it.',
    additive: true,
    answers: newOne(SITE),
    body: {
      attributes: NEW_SITE_ATTRIBUTES,
      example: { name: 'Shop', starting_url: 'https://example.com/', max_pages: 100, tags: 'shop' },
      parse: parseNewSite,
    },
    async answer({ call, body }) {
      const id = await createSite(call, call.viewer.accountId, body);
      return renderSite(await siteToRead(call, { site_id: id }), call);
    },
  }),
  bodyEndpoint({
    method: 'PATCH',
    path: '/sites/{site_id}',
    summary: 'Change a site',
    description:
      'Changes the given attributes. Existing reports keep their settings. Schedules change with the site, except where they have other settings. Archiving a site pauses its schedules.',
    additive: true,
    params: SITE_PARAMS,
    answers: one(SITE),
    body: { attributes: SITE_CHANGES, example: { name: 'Shop', max_pages: 500 }, parse: parseSiteChange },
    subject: ownSite,
    async answer({ call, subject, body }) {
      await changeSite(call, subject.id, body);
      return renderSite(await siteToRead(call, { site_id: subject.id }), call);
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/sites/{site_id}',
    summary: 'Delete a site',
    description:
      'Deletes the site with all its reports and schedules. `num_reports` and `num_schedules` say how many. Returns 409 if a retention rule names one of the schedules and that schedule has reports of other sites.',
    additive: true,
    errors: ['conflict'],
    params: SITE_PARAMS,
    answers: NOTHING,
    subject: ownSite,
    answer: ({ call, subject }) => deleteSite(call.db, subject.id),
  }),
  endpoint({
    method: 'POST',
    path: '/sites/{site_id}/runs',
    summary: 'Run a site now',
    description:
      'Creates a report, like `POST /reports` with the attributes of the site. Takes no attributes: change the site first, or use `POST /reports`.',
    refusal:
      'cannot be set: a run has the settings of the site. Change the site, or create a report with POST /reports',
    additive: true,
    params: SITE_PARAMS,
    answers: newOne(REPORT),
    errors: ['conflict', 'credits_exhausted', 'paused', 'too_many_reports'],
    subject: ownSite,
    async answer({ call, subject }) {
      const id = await runSite(call, subject.id, call.viewer.limits, { whileRunning: true });
      return renderReport(await readableReport(call.db, call.viewer, id), call);
    },
  }),
  bodyEndpoint({
    method: 'POST',
    path: '/sites/{site_id}/merge',
    summary: 'Merge a site into another site',
    description:
      'Moves the reports and schedules of the site to another of your sites, and removes the site. The reports of both become one history and are compared again.',
    additive: true,
    params: SITE_PARAMS,
    answers: one(SITE),
    body: { attributes: MERGE, example: { into: UUID_EXAMPLE }, parse: (given) => readAttributes(MERGE, given) },
    subject: ownSite,
    async answer({ call, subject, body }) {
      await mergeSite(call.db, subject.id, body.into);
      return renderSite(await siteToRead(call, { site_id: body.into }), call);
    },
  }),
];

/** Returns the login of a site without its secrets; null without one, and if it cannot be decrypted. */
function loginOf({ id, site_access: sealed }: SiteRow, { credentialStore }: Call) {
  if (sealed === null) return null;
  try {
    const { login = null } = credentialStore.open(sealed, `site ${id}`);
    return login && shownLogin(login);
  } catch (error) {
    if (error instanceof UnreadableAccess) return null;
    throw error;
  }
}

/** Returns the site that a path names, if the viewer can see it. */
function siteToRead(call: Call, { site_id: id }: { readonly site_id: string }): Promise<SiteRow> {
  return readableSite(call.db, call.viewer, id, { ...kindsFilter(call.viewer), scheduleTimeMs: call.scheduleTimeMs });
}

/** Returns the site that a path names, if it belongs to the viewer: a host sees the sites of guests, but cannot change them. */
export async function ownSite(call: Call, params: { readonly site_id: string }): Promise<SiteRow> {
  return owned(call.viewer, await siteToRead(call, params));
}

function renderSite(site: SiteRow, call: Call): Resource {
  const { viewer, links } = call;
  const { name, notes, change, unacknowledged, attention, definition } = site;
  const { num_reports, num_web_pages, num_schedules, last_report_id: newest } = site;
  const isOwn = site.account_id === viewer.accountId;
  const seen = (kinds: readonly CheckKind[]) => kinds.filter((kind) => kindsSeenBy(viewer).includes(kind));
  const runs = site.runs.map(renderRun);
  const attributes: AttributesOf<typeof SITE> = {
    ...{ name, notes, attention, num_reports, num_web_pages, num_schedules },
    archived: site.archived_at !== null,
    synced_from: site.synced_from,
    ...definitionAttributes(definition, seen(definition.checks)),
    ...shownKinds('store_raw', seen(definition.store_raw_checks)),
    signs_in: site.signs_in,
    needs_credentials: call.credentialStore.isUnreadable(site.site_access, `site ${site.id}`),
    login: loginOf(site, call),
    device: definition.device_id === null ? null : (findDevice(definition.device_id)?.name ?? null),
    runs,
    change: change && changeCounts(change),
    unacknowledged: unacknowledged && { ...unacknowledged, since: utcTime(new Date(unacknowledged.since)) },
    acknowledged_at: utcTime(site.acknowledged_at),
    worse: change && { new_errors: change.new_errors, new_critical: change.new_critical },
    errors_per_page: (runs[0]?.now ?? runs[0])?.errors_per_page ?? null,
    thumbnail: kindsSeenBy(viewer).includes('a11y') ? thumbnailOf(site, call) : null,
    next_run_at: utcTime(site.next_run_at),
    runs_on_deploy: site.runs_on_deploy,
    last_checked_at: utcTime(site.last_checked_at),
    inserted_at: utcTime(site.inserted_at),
    updated_at: utcTime(site.updated_at),
  };
  return resource(SITE, {
    id: site.id,
    attributes,
    related: {
      last_report: newest === null ? undefined : links(`/reports/${newest}`),
      reports: isOwn ? links(`/reports?filter%5Bsite_id%5D=${site.id}`) : undefined,
      schedules: isOwn ? links(`/schedules?filter%5Bsite_id%5D=${site.id}`) : undefined,
      device: definition.device_id === null ? undefined : links(devicePath(definition.device_id)),
    },
    self: links(`/sites/${site.id}`),
  });
}

function thumbnailOf({ id: siteId, thumbnail }: SiteRow, { baseUrl, credentialStore, clock }: Call) {
  if (thumbnail === null) return null;
  const { hash, width, height } = thumbnail;
  return { image_url: thumbnailUrl(baseUrl, { siteId, hash }, credentialStore.box, clock), width, height };
}
