/** Every list of the API with every filter and every sort, derived from the declared endpoints. */

import type { TSchema } from 'typebox';
import { PRESENT_CHANGES } from '../packages/client/changes.ts';
import { SEEN_AS } from '../packages/client/seen-as.ts';
import { WEB_PAGE_SORT_KEYS } from '../src/api/attributes/web-page-query.ts';
import type { Endpoint } from '../src/api/http/endpoint.ts';
import { commonIssueSortKeys } from '../src/api/resources/common-issue.ts';
import { ENDPOINTS } from '../src/api/resources/endpoints.ts';
import { REPORT_SORT_KEYS } from '../src/api/resources/report.ts';
import { CHECK_KINDS, ENGINES } from '../src/checks/registry.ts';
import { CHANGE_NAMES, PAGE_CHANGES, PRESENT_CHANGE_NAMES } from '../src/domain/change.ts';
import { CERTAINTIES, CHECK_STATES, IMPACTS } from '../src/domain/check.ts';
import { VERDICT_CHOICES } from '../src/store/issues/common-issues.ts';
import { ACCOUNT_SORT_KEYS } from '../src/store/operate.ts';
import { DISCOVERED_URL_SORT_KEYS, SHOWN_OUTCOMES } from '../src/store/reports/discovered-urls.ts';
import { SITE_SORT_KEYS } from '../src/store/reports/site-list.ts';
import { INTERVALS, STAT_GROUPS } from '../src/store/reports/stats.ts';
import { SCHEDULE_SORT_KEYS } from '../src/store/schedules/schedules.ts';

export interface ListCase {
  readonly isList: boolean;
  /** As in the contract: `/reports/{report_id}/web_pages`. */
  readonly list: string;
  /** The part of the query that the case is about; empty for the plain list. */
  readonly query: string;
  /** Path and query, after `/api/v1`. */
  readonly path: string;
}

/** Values of path parameters. */
type Values = Readonly<Record<string, string | number | undefined>>;

/** Values for parameters without a fixed set of values: common, rare, and without matches. */
type Queries = Readonly<Record<string, readonly string[]>>;

const given = (name: string, values: readonly string[]): Queries => ({
  [name]: values.map((value) => `${name}=${value}`),
});
const tags = (lists: readonly string[]): Queries => ({
  'filter[tags][list]': ['any', 'all', 'none'].flatMap((mode) =>
    lists.map((list) => `filter[tags][mode]=${mode}&filter[tags][list]=${list}`),
  ),
});
const sorts = (keys: readonly string[]): Queries =>
  given(
    'sort',
    keys.flatMap((key) => [`${key}-asc`, `${key}-desc`]),
  );
const NO_ID = '00000000-0000-0000-0000-000000000000';
const urls = given('filter[url]', ['e', 'customer-1', 'products/1', 'no such']);
const reportTags = tags(['production', 'team 3', 'production,team 3', 'no such']);
const issues = (text: string): Queries => ({
  ...given(text, ['e', 'item-c4', 'number 7', 'no such']),
  ...tags(['element', 'wcag2a,cat.aria', 'nesting,element', 'no such']),
});

/** The first cluster is one of `bench/list-data.ts`. */
const OCCURRENCES: Queries = {
  ...urls,
  ...given('filter[cluster]', [
    ...['8f14e45fceea167a', '0000000000000000', 'ffffffffffffffff'],
    '8f14e45fceea167a&filter[url]=products/1',
  ]),
  ...given('filter[change]', [...PRESENT_CHANGES, 'new,regressed&filter[url]=products/1']),
};

const AUDIT_FILTERS: Queries = {
  ...given('filter[action]', ['post /reports', 'restore']),
  ...given('filter[text]', ['example.com', '/reports', 'no such']),
};

/** Values by list, for parameters that require them. */
const QUERIES: Readonly<Record<string, (values: Values) => Queries>> = {
  '/reports': ({ schedule_id: scheduleId = NO_ID, site_id: siteId = NO_ID, guest_account_id: guest }) => ({
    ...urls,
    ...given('filter[text]', ['customer']),
    ...reportTags,
    ...given('filter[schedule_id]', [String(scheduleId)]),
    ...given('filter[site_id]', [String(siteId)]),
    guest_token: [`created_by=guests&guest_token=${guest}`],
    ...sorts(REPORT_SORT_KEYS),
  }),
  '/sites': ({ guest_account_id: guest }) => ({
    ...urls,
    ...given('filter[text]', ['customer']),
    ...given('filter[archived]', ['true', 'all']),
    ...given('filter[attention]', ['any', 'none', 'failed,new_errors']),
    ...reportTags,
    guest_token: [`created_by=guests&guest_token=${guest}`],
    ...sorts(SITE_SORT_KEYS),
  }),
  '/site_tags': ({ guest_account_id: guest }) => ({
    ...given('filter[text]', ['customer']),
    ...given('filter[attention]', ['any']),
    ...reportTags,
    guest_token: [`created_by=guests&guest_token=${guest}`],
  }),
  '/share_links': ({ site_id: site = NO_ID }) => ({
    ...given('filter[site_id]', [String(site)]),
    ...given('filter[tag]', ['production', 'no such']),
  }),
  '/sites/{site_id}/comparison': () => ({
    ...given('since', ['first', 'previous', '2026-01-01']),
    ...given('until', ['2026-12-31']),
  }),
  '/stats': ({ guest_account_id: guest }) => ({
    interval: INTERVALS.flatMap((interval) => STAT_GROUPS.map((group) => `interval=${interval}&group=${group}`)),
    'filter[from]': ['filter[from]=2020-01-01', 'filter[from]=2020-01-01&interval=day'],
    'filter[to]': ['filter[to]=2020-01-01'],
    guest_token: [`created_by=guests&guest_token=${guest}`],
  }),
  '/reports/{report_id}/web_pages': (values) => ({
    ...urls,
    ...given('filter[journey]', ['Checkout']),
    ...given('filter[seen]', [...SEEN_AS, 'states,banner_kept']),
    ...Object.fromEntries(
      CHECK_KINDS.map((kind) => [
        `filter[common_${kind}_issue_id]`,
        [`filter[common_${kind}_issue_id]=${values[`common_${kind}_issue_id`] ?? 1}`],
      ]),
    ),
    ...Object.fromEntries(
      CHECK_KINDS.map((kind) => [
        `filter[${kind}]`,
        [...CHECK_STATES, 'passed,pending', `with_errors&sort=-${kind}_errors`].map(
          (states) => `filter[${kind}]=${states}`,
        ),
      ]),
    ),
    ...sorts(WEB_PAGE_SORT_KEYS),
  }),
  ...Object.fromEntries(
    ENGINES.flatMap((engine) => {
      const { kind, isGraded, issues: description } = engine;
      const queries = () => issues(`filter[${description.messageFilter.name}]`);
      const ofCommon = () => ({
        ...queries(),
        ...given('filter[issue_type]', CERTAINTIES),
        ...given('filter[verdict]', VERDICT_CHOICES),
        ...(isGraded && given('filter[impact]', [...IMPACTS, 'serious,critical&sort=-num_web_pages'])),
        ...given('filter[change]', [...PRESENT_CHANGE_NAMES, 'new,regressed&sort=-num_web_pages']),
        ...sorts(commonIssueSortKeys(engine)),
      });
      return [
        [`/reports/{report_id}/common_${kind}_issues`, ofCommon],
        [`/reports/{report_id}/common_${kind}_issues/{common_${kind}_issue_id}/occurrences`, () => OCCURRENCES],
        [`/reports/{report_id}/web_pages/{web_page_id}/${kind}_issues`, queries],
      ];
    }),
  ),
  '/reports/{report_id}/changes': () => ({
    ...given('with', ['previous']),
    ...given('filter[change]', [...CHANGE_NAMES, 'new,regressed']),
  }),
  '/reports/{report_id}/changes/pages': () => ({
    ...given('with', ['previous']),
    ...given('filter[change]', PAGE_CHANGES),
  }),
  '/audit_log': () => AUDIT_FILTERS,
  '/operator/accounts': () => ({ ...given('filter[text]', ['example']), ...sorts(ACCOUNT_SORT_KEYS) }),
  '/operator/audit_log': () => AUDIT_FILTERS,
  '/credit_entries': ({ report_id: reportId = NO_ID }) => ({
    ...given('filter[reason]', ['checks', 'checks,refund']),
    ...given('filter[report_id]', [String(reportId)]),
  }),
  '/reports/{report_id}/discovered_urls': () => ({
    ...given('filter[url]', [
      ...['e', 'customer-1', 'products/1', 'no such'],
      ...[
        'products/1&sort=url',
        'products/1&filter[outcome]=excluded',
        'elsewhere-77&filter[outcome]=off_site&sort=-url',
      ],
    ]),
    ...given('filter[outcome]', [
      ...SHOWN_OUTCOMES,
      ...['failed,robots', 'excluded,off_site,not_html'],
      ...['failed&sort=url', 'excluded&sort=url', 'failed,excluded,off_site&sort=-url'],
    ]),
    ...sorts(DISCOVERED_URL_SORT_KEYS),
  }),
  '/search': () => given('q', ['e', 'customer-1', 'products/1', 'item-c4', 'number 7', 'no such']),
  '/schedules': ({ site_id: site = NO_ID }) => ({
    ...urls,
    ...given('filter[text]', ['customer']),
    ...given('filter[site_id]', [String(site)]),
    ...reportTags,
    ...given('filter[active]', ['true', 'false']),
    ...sorts(SCHEDULE_SORT_KEYS),
  }),
  '/mutings/preview': () => ({
    url_match: ['customer-1', 'products/1', 'no such'].map((url) => `url_match=${url}`),
    message: ['item-c4', 'no such'].flatMap((text) => [`message=${text}`, `message=${text}&url_match=products/1`]),
    selector: ['message=item-c4&selector=main'],
  }),
};

/** Resources that are read with the secret of a share link, and raw results, which few reports store. */
const NOT_MEASURED = /^\/share(\/|$)|\/raw_/;

/**
 * All lists, and the lists of the occurrences of an issue type that has too many on one page.
 * @throws Error for a parameter without values in this file: a new filter must be added here
 */
export function listCases(values: Values): readonly ListCase[] {
  const { crowded_issue_id: crowded } = values;
  const ofCrowded = crowded === undefined ? [] : casesOf('list', { ...values, common_html_issue_id: crowded });
  return [...casesOf('list', values), ...ofCrowded.filter(({ list }) => list.includes('{common_html_issue_id}/'))];
}

/** Single resources whose path consists of these values. */
export function resourceCases(values: Values): readonly ListCase[] {
  return casesOf('one', values);
}

function casesOf(content: 'list' | 'one', values: Values): readonly ListCase[] {
  return ENDPOINTS.filter(({ method, answers, path }) => {
    const isMeasured = method === 'GET' && answers.content === content && !NOT_MEASURED.test(path);
    return isMeasured && (content === 'list' || namesIn(path).every((name) => values[name] !== undefined));
  }).flatMap((endpoint) => {
    const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      if (values[name] === undefined) throw new Error(`No value of ${name} is given for the list ${endpoint.path}.`);
      return String(values[name]);
    });
    const queries = queriesOf(endpoint, values);
    return queries.map((query) => ({
      isList: content === 'list',
      list: endpoint.path,
      query,
      path: `${path}?${encodeURI(query)}`,
    }));
  });
}

function namesIn(path: string): string[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
}

function queriesOf(endpoint: Endpoint, values: Values): readonly string[] {
  const known = QUERIES[endpoint.path]?.(values) ?? {};
  const queries = Object.entries<TSchema>(endpoint.query.properties).flatMap(([name, schema]) => {
    if (name.startsWith('page[') || name === 'filter[tags][mode]') return [];
    const fixed = 'enum' in schema && Array.isArray(schema.enum) ? schema.enum : [];
    const asked = known[name] ?? fixed.map((value) => `${name}=${value}`);
    if (asked.length === 0) throw new Error(`bench/list-cases.ts has no values for ${name} of ${endpoint.path}.`);
    return asked;
  });
  // A list that requires a parameter has no plain form.
  const required: readonly string[] = endpoint.query.required ?? [];
  return [...(required.length === 0 ? [''] : []), ...queries];
}
