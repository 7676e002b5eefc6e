import Type from 'typebox';
import { hasPro } from '../../../packages/client/report-defaults.ts';
import { CHECK_KINDS, engineOf } from '../../checks/registry.ts';
import { plural } from '../../domain/amounts.ts';
import { createSemaphore } from '../../platform/semaphore.ts';
import { shortened } from '../../platform/shorten.ts';
import { nextTurn } from '../../platform/slices.ts';
import {
  type FoundCommonIssue,
  type FoundPage,
  type FoundReport,
  type FoundSchedule,
  latestReports,
  searchCommonIssues,
  searchPages,
  searchReports,
  searchSchedules,
} from '../../store/search.ts';
import { searchesMax, searchTextMaxCharacters, searchTitleMaxCharacters } from '../attributes/limits.ts';
import { type Call, endpoint, listed, listOf } from '../http/endpoint.ts';
import { kindsSeenBy } from '../http/pro-features.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { PAGING } from '../jsonapi/query.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';

/** The types of resources that are found, in the order of the results. */
const FOUND_TYPES = ['report', 'web_page', ...CHECK_KINDS.map((kind) => `common_${kind}_issue`), 'schedule'];

const SEARCH_RESULT = resourceType('search_result', {
  description: 'A search result: a line of text with a link to a resource.',
  id: Type.String({ description: 'The type and the id of the resource.', examples: ['web_page-4711'] }),
  attributes: Type.Object({
    resource: Type.Enum(FOUND_TYPES, { description: 'The type of the resource. `self` is its URL.' }),
    title: Type.String({
      description: 'The starting URL, the title or URL of the page, or the message. Long text is shortened.',
      examples: ['Our bread'],
    }),
    subtitle: Type.String({
      description: 'What distinguishes it from other results with this title.',
      examples: ['https://example.com/bread.html'],
    }),
    path: Type.String({
      description: 'The path of its page in the dashboard, relative to the public address of the installation.',
      examples: ['/reports/0198c2f0-7a55-7cc1-9a3b-0c1d2e3f4a5b/pages/4711'],
    }),
  }),
  relationships: {},
  // This is the URL of the found resource, for which the reference has no single example.
  self: 'sometimes',
});

const QUERY = Type.Object({
  q: Type.String({
    minLength: 1,
    maxLength: searchTextMaxCharacters,
    description: 'The text to look for. Case is ignored, and there are no wildcards.',
    examples: ['bread'],
  }),
  ...PAGING,
});

export const SEARCH_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/search',
    summary: 'Search',
    description:
      "Finds reports and schedules by starting URL, web pages by `url`, `reached_url` or title, and common issues by message: five of each, among your own and your guests' resources. Exact matches come first, then text that begins with the query, then other matches; newest first. Web pages and common issues are searched in the latest finished report of each site, newest first, up to 20,000 of each. Muted issues are not found.",
    additive: true,
    query: QUERY,
    answers: listOf(SEARCH_RESULT),
    async answer({ call, query, paging }) {
      const found = await searchInTurn(call, query.q);
      const rows = found.slice((paging.number - 1) * paging.size, paging.number * paging.size);
      return listed({ total: found.length, rows }, (result) => result);
    },
  }),
];

/** The searches of this process: accounts take turns. */
const searches = createSemaphore(searchesMax);
/** Even a search whose client has gone takes its turn: it is short. */
const NEVER = new AbortController().signal;

async function searchInTurn(call: Call, text: string): Promise<readonly Resource[]> {
  const release = await searches.acquire(call.viewer.accountId, NEVER);
  try {
    await nextTurn();
    return await search(call, text);
  } finally {
    release();
  }
}

async function search(call: Call, text: string): Promise<readonly Resource[]> {
  const { db, viewer } = call;
  const { accountId } = viewer;
  const reports = await searchReports(db, accountId, text);
  const latest = await latestReports(db, accountId);
  const kinds = kindsSeenBy(viewer);
  const pages = await searchPages(db, latest, text);
  const issues = await searchCommonIssues(db, latest, kinds, text);
  // Schedules are a Pro feature.
  const schedules = hasPro(viewer) ? await searchSchedules(db, accountId, text) : [];
  const found = [
    ...reports.map(foundReport),
    ...pages.map(foundPage),
    ...issues.map(foundIssue),
    ...schedules.map(foundSchedule),
  ];
  return found.map(({ id, self, title, ...attributes }) =>
    resource(SEARCH_RESULT, {
      id: `${attributes.resource}-${id}`,
      attributes: { ...attributes, title: shortened(title, searchTitleMaxCharacters) },
      self: call.links(self),
    }),
  );
}

interface Found extends AttributesOf<typeof SEARCH_RESULT> {
  readonly id: string | number;
  /** The path of the resource below `/api/v1`. */
  readonly self: string;
}

function foundReport({ id, starting_url, status, num_pages, finished_at }: FoundReport): Found {
  const path = `/reports/${id}`;
  const when = finished_at === null ? '' : `, ${finished_at.toISOString().slice(0, 10)}`;
  const pages = status === 'failed' ? '' : `, ${plural(num_pages, 'page')}`;
  const subtitle = `${status}${when}${pages}`;
  return { resource: 'report', id, title: starting_url, subtitle, path, self: path };
}

function foundPage({ id, report_id, url, title }: FoundPage): Found {
  const report = `/reports/${report_id}`;
  const paths = { path: `${report}/pages/${id}`, self: `${report}/web_pages/${id}` };
  return { resource: 'web_page', id, title: title || url, subtitle: url, ...paths };
}

function foundIssue({ id, report_id, kind, message, how_many, num_web_pages, starting_url }: FoundCommonIssue): Found {
  const report = `/reports/${report_id}`;
  const engine = engineOf(kind).words.toLowerCase();
  const paths = { path: `${report}/${engine}/${id}`, self: `${report}/common_${kind}_issues/${id}` };
  const subtitle = `${plural(how_many, 'occurrence')} on ${plural(num_web_pages, 'page')} of ${starting_url}`;
  return { resource: `common_${kind}_issue`, id, title: message, subtitle, ...paths };
}

function foundSchedule({ id, starting_url, active, periodicity }: FoundSchedule): Found {
  const path = `/schedules/${id}`;
  const when = periodicity === null ? 'when its deploy hook is called' : `every ${periodicity.every}`;
  return { resource: 'schedule', id, title: starting_url, subtitle: active ? when : 'inactive', path, self: path };
}
