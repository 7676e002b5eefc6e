/** Every list of the API with every filter and every sort, taken from the endpoints themselves. */
import type { TSchema } from 'typebox';
import { ENDPOINTS } from '../src/api/endpoints.ts';
import { REPORT_SORT_KEYS } from '../src/store/reports.ts';
import type { SeededLists } from './list-data.ts';

export interface ListCase {
  /** As in the contract: `/reports/{report_id}/web_pages`. */
  readonly list: string;
  /** The part of the query that makes the case, empty for the bare list. */
  readonly query: string;
  /** What to ask for: path and query. */
  readonly path: string;
}

/** Queries for a parameter that has no fixed set of values: a common value, a rare one, one that nothing has. */
type Queries = Readonly<Record<string, readonly string[]>>;

const TAG_LISTS = (tags: readonly string[]): Queries => ({
  'filter[tags][list]': ['any', 'all', 'none'].flatMap((mode) =>
    tags.map((tag) => `filter[tags][mode]=${mode}&filter[tags][list]=${tag}`),
  ),
});

const urls = { 'filter[url]': ['e', 'customer-1', 'products/1', 'no such'].map((text) => `filter[url]=${text}`) };
const issueTexts = (name: string): Queries => ({
  [name]: ['e', 'item-c4', 'number 7', 'no such'].map((text) => `${name}=${text}`),
  ...TAG_LISTS(['element', 'wcag2a,cat.aria', 'nesting,element', 'no such']),
});

/** By path: what stands for the path's parameters, and what to ask for. A list that is not here fails the benchmark. */
function lists(seeded: SeededLists): Readonly<Record<string, { readonly path: string; readonly queries: Queries }>> {
  const report = `/reports/${seeded.reportId}`;
  const commonIssues = (kind: 'html' | 'a11y'): Queries => ({
    [`filter[common_${kind}_issue_id]`]: seeded.commonIssueIds[kind].map(
      (id) => `filter[common_${kind}_issue_id]=${id}`,
    ),
  });
  const sorts = REPORT_SORT_KEYS.flatMap((key) => [`sort=${key}-asc`, `sort=${key}-desc`]);
  return {
    '/reports': {
      path: '/reports',
      queries: {
        ...urls,
        ...TAG_LISTS(['production', 'team 3', 'production,team 3', 'no such']),
        'filter[schedule_id]': ['filter[schedule_id]=00000000-0000-0000-0000-000000000000'],
        guest_token: ['created_by=guests&guest_token=G123456789'],
        sort: sorts,
      },
    },
    '/reports/{report_id}/web_pages': {
      path: `${report}/web_pages`,
      queries: { ...urls, ...commonIssues('html'), ...commonIssues('a11y') },
    },
    '/reports/{report_id}/common_html_issues': {
      path: `${report}/common_html_issues`,
      queries: issueTexts('filter[message]'),
    },
    '/reports/{report_id}/common_a11y_issues': {
      path: `${report}/common_a11y_issues`,
      queries: issueTexts('filter[help]'),
    },
    '/reports/{report_id}/web_pages/{web_page_id}/html_issues': {
      path: `${report}/web_pages/${seeded.webPageIds.html}/html_issues`,
      queries: issueTexts('filter[message]'),
    },
    '/reports/{report_id}/web_pages/{web_page_id}/a11y_issues': {
      path: `${report}/web_pages/${seeded.webPageIds.a11y}/a11y_issues`,
      queries: issueTexts('filter[help]'),
    },
    '/guest_accounts': { path: '/guest_accounts', queries: {} },
    '/credit_entries': { path: '/credit_entries', queries: {} },
    '/api_tokens': { path: '/api_tokens', queries: {} },
    '/reports/{report_id}/excluded_urls': { path: `${report}/excluded_urls`, queries: {} },
  };
}

/** @throws Error naming a list or a parameter of one that has nothing to be asked for */
export function listCases(seeded: SeededLists): readonly ListCase[] {
  const known = lists(seeded);
  return ENDPOINTS.filter(({ answers }) => answers.content === 'list').flatMap((endpoint) => {
    const list = known[endpoint.path];
    if (list === undefined) throw new Error(`bench/list-cases.ts does not know the list ${endpoint.path}.`);
    const queries = Object.entries<TSchema>(endpoint.query.properties).flatMap(([name, schema]) => {
      if (name.startsWith('page[') || name === 'filter[tags][mode]') return [];
      const values = 'enum' in schema && Array.isArray(schema.enum) ? schema.enum : [];
      const asked = list.queries[name] ?? values.map((value) => `${name}=${value}`);
      if (asked.length === 0) throw new Error(`bench/list-cases.ts has no values for ${name} of ${endpoint.path}.`);
      return asked;
    });
    return ['', ...queries].map((query) => ({
      list: endpoint.path,
      query,
      path: `${list.path}?${encodeURI(query)}`,
    }));
  });
}
