import Type from 'typebox';
import { codeOf, fullSentenceOf } from '../../domain/failures/failure.ts';
import { count, DECIMAL_ID, failureCode, LIFE, nullable, UUID_EXAMPLE, webAddress } from '../../domain/schemas.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { createExclusionMatcher, type ExcludingReport } from '../../spider/exclusion-matcher.ts';
import { siteOf } from '../../spider/url.ts';
import { listExcludedUrls } from '../../store/pages/web-pages.ts';
import {
  DISCOVERED_URL_SORT_KEYS,
  listDiscoveredUrls,
  SHOWN_OUTCOMES,
  type ShownOutcome,
  type ShownUrl,
} from '../../store/reports/discovered-urls.ts';
import type { Report } from '../../store/schema.ts';
import { PAGING_QUERY, REPORT_PARAMS, textFilter } from '../attributes/parameters.ts';
import { endpoint, listed, listOf } from '../http/endpoint.ts';
import { resource } from '../jsonapi/document.ts';
import { choiceParameter, chosenOf, PAGING, parseSort, sortParameter } from '../jsonapi/query.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';
import { reportToRead } from './report.ts';

const EXCLUDED_URL = resourceType('excluded_url', {
  description: 'A URL, or part of a URL, that a report excludes.',
  id: DECIMAL_ID,
  attributes: Type.Object({
    url: Type.String({
      description: 'The URL of the deleted page, or the exclusion as entered.',
      examples: ['/archive/'],
    }),
    reason: Type.Enum(['deleted', 'exclusion'], {
      description: 'Whether a page was deleted, or the report was created with the exclusion.',
      examples: ['exclusion'],
    }),
    inserted_at: LIFE.inserted_at,
  }),
  relationships: {},
  self: 'never',
});

export const EXCLUDED_URL_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/reports/{report_id}/excluded_urls',
    summary: 'List the excluded URLs of a report',
    description: 'Newest first.',
    params: REPORT_PARAMS,
    query: PAGING_QUERY,
    answers: listOf(EXCLUDED_URL),
    subject: reportToRead,
    async answer({ call, subject, paging }) {
      return listed(await listExcludedUrls(call.db, subject.id, paging), ({ id, url, reason, inserted_at }) =>
        resource(EXCLUDED_URL, { id, attributes: { url, reason, inserted_at: utcTime(inserted_at) } }),
      );
    },
  }),
];

const OUTCOMES: Readonly<Record<ShownOutcome, string>> = {
  page: 'a web page of the report',
  failed: 'a web page of the report that could not be fetched',
  redirected: 'redirects to `target`',
  duplicate: 'has `target` as its canonical URL',
  not_html: 'not HTML',
  sitemap: 'a sitemap',
  robots: 'disallowed by robots.txt',
  excluded: 'matches an exclusion, or looks like a logout',
  not_included: 'matches none of the inclusions',
  off_site: 'on another site',
  too_deep: 'too many links away from the start without `deep_crawl`',
  not_listed: 'not in the sitemap that the report starts from',
  deleted: 'a web page deleted from the report',
  waiting: 'not visited yet',
  over_max_pages: 'not visited, because the report reached `max_pages`',
  not_visited: 'not visited, because the crawl ended early',
};

const OUTCOME_WORDS = SHOWN_OUTCOMES.map((outcome) => `\`${outcome}\` (${OUTCOMES[outcome]})`).join(', ');

export const DISCOVERED_URL = resourceType('discovered_url', {
  description: 'A URL that the spider found, with its outcome.',
  id: Type.String({ examples: [`${UUID_EXAMPLE}-7`] }),
  attributes: Type.Object({
    url: webAddress('The URL, without a fragment.', { examples: ['https://example.com/old'] }),
    outcome: Type.Enum([...SHOWN_OUTCOMES], {
      description: `The outcome: ${OUTCOME_WORDS}.`,
      examples: ['failed'],
    }),
    detail: nullable(Type.String(), 'The reason, as a sentence; null if the outcome says it all.', {
      examples: ['The page returned 404.'],
    }),
    detail_code: failureCode('detail'),
    target: nullable(
      Type.String(),
      'The URL that replaces it: its redirect target or canonical URL; null if there is none.',
      { examples: [null] },
    ),
    http_status: nullable(Type.Integer(), 'The HTTP status of the response; null if there was none.', {
      examples: [404],
    }),
    linked_from: nullable(
      Type.String(),
      'The page or sitemap where the spider first found it; null for the starting and initial URLs.',
      { examples: ['https://example.com/'] },
    ),
    depth: count('Number of links from the starting and initial URLs.', { examples: [1] }),
  }),
  relationships: {
    web_page: {
      description: 'Its web page. Absent if it is not a web page.',
      path: '/reports/{report_id}/web_pages/{web_page_id}',
    },
  },
  self: 'never',
});

const counts = (description: string) =>
  Type.Object(
    Object.fromEntries(
      SHOWN_OUTCOMES.map((outcome) => [outcome, count(`URLs with this outcome: ${OUTCOMES[outcome]}.`)]),
    ),
    { description },
  );

const META = Type.Object({
  outcomes: counts(
    'Number of URLs of the whole report with each outcome, regardless of filters. They add up to all stored URLs; `page` and `failed` add up to `num_pages`.',
  ),
  matching_outcomes: counts(
    'Number of URLs with each outcome, of the URLs that match the filters. They add up to `total`.',
  ),
  not_kept: count(
    'Number of times URLs were found after the list was full. A URL found on several pages is counted each time.',
  ),
});

const LIST_QUERY = Type.Object({
  ...PAGING,
  'filter[url]': textFilter('the URL', '/shop/'),
  'filter[outcome]': choiceParameter(SHOWN_OUTCOMES, {
    description: 'Only URLs with one of these outcomes (see the attribute `outcome`)',
  }),
  sort: sortParameter(DISCOVERED_URL_SORT_KEYS, {
    description: 'By default, URLs are in the order in which they were found.',
    example: 'url-asc',
  }),
});

export const DISCOVERED_URL_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/reports/{report_id}/discovered_urls',
    summary: 'List the URLs that the spider found',
    description:
      'Each URL has exactly one outcome, which explains why it is or is not in the report. URLs that differ only after `#` are the same: routes such as `#/about` are not separate pages.',
    additive: true,
    params: REPORT_PARAMS,
    query: LIST_QUERY,
    answers: { ...listOf(DISCOVERED_URL), meta: META },
    subject: reportToRead,
    async answer({ call, query, subject, paging }) {
      const [order = { key: 'position', direction: 'asc' } as const] = parseSort(query.sort, DISCOVERED_URL_SORT_KEYS);
      const filter = { url: query['filter[url]'], outcomes: chosenOf(query['filter[outcome]'], SHOWN_OUTCOMES) };
      const page = await listDiscoveredUrls(call.db, subject, filter, order, paging);
      const attributesOf = discoveredUrlAttributes(subject);
      const report = call.links(`/reports/${subject.id}`);
      const { outcomes: all, matching } = page;
      const meta = { outcomes: all, matching_outcomes: matching, not_kept: subject.urls_not_kept };
      return listed(
        page,
        (url) =>
          resource(DISCOVERED_URL, {
            id: `${subject.id}-${url.position}`,
            attributes: attributesOf(url),
            related: { web_page: url.web_page_id === null ? undefined : `${report}/web_pages/${url.web_page_id}` },
          }),
        meta,
      );
    },
  }),
];

type CoveredReport = ExcludingReport & Pick<Report, 'site_url' | 'max_pages'>;

/** Returns a function that renders the attributes of a report's URLs. */
export function discoveredUrlAttributes(report: CoveredReport): (url: ShownUrl) => AttributesOf<typeof DISCOVERED_URL> {
  // Excluded URLs that this does not match were excluded by the text of a link.
  const reasonFor = createExclusionMatcher(report, () => true);
  const explain = explainer(report);
  return (url) => {
    const failure = url.outcome === 'excluded' ? reasonFor(url.url) : url.detail;
    return {
      url: url.url,
      outcome: url.outcome,
      detail: explain({ ...url, detail: failure }),
      detail_code: codeOf(failure),
      target: url.target,
      http_status: url.http_status,
      linked_from: url.linked_from,
      depth: url.depth,
    };
  };
}

/** Returns a function that explains in a sentence why a URL has its outcome; null if there is nothing to add. */
function explainer(report: CoveredReport): (url: ShownUrl) => string | null {
  const site = siteOf(report.site_url ?? report.starting_url);
  const asStored = ({ detail }: ShownUrl): string | null => fullSentenceOf(detail);
  const sentences: Readonly<Record<ShownOutcome, (url: ShownUrl) => string | null>> = {
    page: asStored,
    failed: asStored,
    not_html: asStored,
    robots: asStored,
    redirected: ({ target }) => `It redirects to ${target}.`,
    duplicate: ({ target }) => `Its canonical URL is ${target}.`,
    sitemap: ({ detail }) =>
      detail === null ? 'It is a sitemap.' : `It could not be read as a sitemap: ${fullSentenceOf(detail)}`,
    excluded: asStored,
    not_included: ({ http_status: status, detail }) => {
      const sentences = ["It matches none of the report's inclusions."];
      if (status !== null) sentences.push('It was requested for its links.');
      return [...sentences, fullSentenceOf(detail) ?? []].flat().join(' ');
    },
    off_site: () => `It is not on the report's site, ${site}.`,
    too_deep: () => 'Without deep_crawl, only pages that the starting and initial URLs link to are visited.',
    not_listed: () => 'The starting URL is a sitemap, and the part of it that could be read does not list this URL.',
    deleted: () => 'Its page was deleted from the report.',
    waiting: () => 'The spider has not visited it yet.',
    over_max_pages: () => `The report reached its max_pages (${report.max_pages}) before the spider visited it.`,
    not_visited: () => 'The crawl ended before the spider visited it.',
  };
  return (url) => sentences[url.outcome](url);
}
