import Type from 'typebox';
import { journeyPlace, markIn } from '../../../packages/client/marks.ts';
import { mayReadContent } from '../../accounts/access.ts';
import { shownEngines } from '../../checks/check-attributes.ts';
import type { EngineDescription } from '../../checks/engine-description.ts';
import { CHECK_KINDS, ENGINES } from '../../checks/registry.ts';
import { statusOfPage } from '../../domain/check.ts';
import { codeOf, sentenceOf } from '../../domain/failures/failure.ts';
import {
  ADDITIVE,
  DECIMAL_ID,
  failureCode,
  flag,
  LIFE,
  nullable,
  TIMESTAMP,
  webAddress,
} from '../../domain/schemas.ts';
import { SIGNED_IN } from '../../domain/site-access.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { shortened } from '../../platform/shorten.ts';
import { utcTime } from '../../platform/utc-time.ts';
import type { Executor } from '../../store/database.ts';
import {
  findSameDocument,
  findWebPage,
  listWebPages,
  signedInAs,
  WEB_PAGE_STATUSES,
  type WebPageWithChecks,
} from '../../store/pages/web-pages.ts';
import { recheckPage } from '../../store/rechecks/page-recheck.ts';
import { deletePage } from '../../store/reports/deletion.ts';
import { type PageSize, sizeOfPage } from '../../store/reports/report-sizes.ts';
import type { ReportWithChecks } from '../../store/reports/reports.ts';
import type { WebPage } from '../../store/schema.ts';
import { contentTypeMaxCharacters } from '../attributes/limits.ts';
import { checkOf, checkSchema } from '../attributes/page-check.ts';
import { REPORT_PARAMS, WEB_PAGE_PARAMS } from '../attributes/parameters.ts';
import { PAGE_SIZE } from '../attributes/sizes.ts';
import { WEB_PAGE_LIST_QUERY, webPageFilterOf, webPageOrderOf } from '../attributes/web-page-query.ts';
import { bodyEndpoint, type Call, endpoint, listed, listOf, NOTHING, one } from '../http/endpoint.ts';
import { proRelated, visibleChecks } from '../http/pro-features.ts';
import { readChanges } from '../jsonapi/attributes.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';
import { reportToChange, reportToRead } from './report.ts';

const PATH = '/reports/{report_id}/web_pages/{web_page_id}';

function issuesRelated({ kind, words, isPro }: EngineDescription) {
  const description = `The issues that the ${words} check found. Absent if it is not enabled.`;
  return [`${kind}_issues`, { description, path: `${PATH}/${kind}_issues`, ...(isPro && IS_PRO) }] as const;
}

function rawCheckRelated({ kind, words }: EngineDescription) {
  const description = `The raw output of the ${words} engine. Absent if the report did not request it.`;
  return [`raw_${kind}_check`, { description, path: `${PATH}/raw_${kind}_check`, ...IS_PRO }] as const;
}

const IS_PRO = { pro: true } as const;

/** See docs/contract/resources.md#web-page. */
export const WEB_PAGE = resourceType('web_page', {
  description: 'A page of the site, or a URL that returned an error or did not respond.',
  id: DECIMAL_ID,
  attributes: Type.Object({
    url: webAddress(
      'Its URL, without a fragment. A mark of a journey has the root of the site, followed by `#journey/`, the name of the journey, `/` and the name of the mark, which is missing for the end of a journey.',
      { examples: ['https://example.com/shop'] },
    ),
    journey: nullable(Type.String(), 'The journey that it is a mark of; null for other pages.', {
      examples: [null, 'Checkout'],
      ...ADDITIVE,
    }),
    journey_step: nullable(
      Type.String(),
      'The name of this mark in the journey; null for other pages, and for the end of a journey that failed after its last mark.',
      {
        examples: [null, 'Filled cart'],
        ...ADDITIVE,
      },
    ),
    reached_url: nullable(
      Type.String(),
      'The URL of the page at the mark, or where the journey failed; null for pages that are not marks.',
      { examples: [null, 'https://example.com/cart'], ...ADDITIVE },
    ),
    is_rendered_dom: flag(
      'Whether its document, which the HTML check examines, is the DOM that the browser had at a mark, and not what the server sent.',
      { examples: [false], ...ADDITIVE },
    ),
    signed_in: nullable(
      Type.Enum([...SIGNED_IN]),
      'How the request was authenticated: by the `login` of the report, or by `credentials`, which are HTTP Basic, headers or cookies. Null if they were not sent for this page, if the site refused them, or if it did not respond. At a mark of a journey, its own steps do not count.',
      { examples: [null, 'login'], ...ADDITIVE },
    ),
    signed_in_as: nullable(
      Type.String(),
      'The name that the `login` enters before its first secret; null if there is none, and for readers who cannot read the source of the page.',
      { examples: [null, 'checker'], ...ADDITIVE },
    ),
    linked_from: nullable(
      Type.String(),
      'The URL of the page or sitemap where the spider first found it; null for the starting and initial URLs.',
      { examples: ['https://example.com/'] },
    ),
    title: nullable(Type.String(), 'The title of the document; null if it has none.', {
      examples: ['Shop'],
      ...ADDITIVE,
    }),
    http_status: nullable(Type.Integer(), 'The HTTP status of the response; null if there was none.', {
      examples: [200],
      ...ADDITIVE,
    }),
    content_type: nullable(Type.String(), 'The `Content-Type` of the response; null if there was none.', {
      examples: ['text/html; charset=utf-8'],
      ...ADDITIVE,
    }),
    render_error: nullable(
      Type.String(),
      'Why the dynamic crawler could not render it, so that only links in the HTML from the server were followed; null if it could, or did not need to.',
      { examples: [null], ...ADDITIVE },
    ),
    render_error_code: failureCode('render_error'),
    ...Object.fromEntries(ENGINES.map((engine) => [`${engine.kind}_check`, checkSchema(engine)])),
    status: Type.Enum([...WEB_PAGE_STATUSES], {
      description:
        'The status of all enabled checks: `failed` if one failed, `pending` if all are pending, `checking` if some are pending, otherwise `checked`.',
      examples: ['checked'],
    }),
    ...LIFE,
    last_checked_at: nullable(TIMESTAMP, 'When a check of the page last ended; null before the first one.'),
    size: Type.Optional(PAGE_SIZE),
    same_document_as: Type.Optional(
      Type.Object(
        {
          web_page_id: Type.String({ description: 'Its id.', examples: ['17'] }),
          url: webAddress('Its URL.', { examples: ['https://example.com/index.html'] }),
        },
        {
          description:
            'The first other page of the report for which the server sent the same document. Absent if there is none, and in lists.',
          ...ADDITIVE,
        },
      ),
    ),
  }),
  relationships: {
    report: { description: 'Its report.', path: '/reports/{report_id}' },
    ...Object.fromEntries(ENGINES.map(issuesRelated)),
    ...Object.fromEntries(ENGINES.map(rawCheckRelated)),
    screenshot: {
      description: 'A screenshot taken during the accessibility check. Absent if there is none.',
      path: `${PATH}/screenshot`,
      ...IS_PRO,
    },
    fixed_issues: {
      description: 'The issues that its last re-check found to be fixed. Absent if there are none.',
      path: `${PATH}/fixed_issues`,
    },
    source: {
      description: 'Its document as the server sent it. Absent if none is stored, or if you cannot read it.',
      path: `${PATH}/source`,
    },
  },
});

const CHANGES = Type.Object(
  { status: Type.Literal('pending', { description: 'Fetches and checks the page again.' }) },
  { additionalProperties: false },
);

export const WEB_PAGE_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/reports/{report_id}/web_pages',
    summary: 'List the web pages of a report',
    description: 'Returns the web pages in the order in which they were found, unless sorted.',
    params: REPORT_PARAMS,
    query: WEB_PAGE_LIST_QUERY,
    answers: listOf(WEB_PAGE),
    subject: reportToRead,
    async answer({ call, query, subject, paging }) {
      const filter = webPageFilterOf(query, call.viewer, Object.keys(subject.checks));
      return listed(
        await listWebPages(call.db, subject.id, filter, paging, webPageOrderOf(query, call.viewer)),
        (row) => renderWebPage({ page: row, report: subject }, call),
      );
    },
  }),
  endpoint({
    method: 'GET',
    path: '/reports/{report_id}/web_pages/{web_page_id}',
    summary: 'Get a web page',
    description: 'Returns the web page with the status and issue counts of its checks.',
    params: WEB_PAGE_PARAMS,
    answers: one(WEB_PAGE),
    subject: pageOfReport,
    answer: ({ call, subject }) => renderWholePage(subject, call),
  }),
  bodyEndpoint({
    method: 'PATCH',
    path: '/reports/{report_id}/web_pages/{web_page_id}',
    summary: 'Check a web page again',
    description:
      'Fetches the page and runs its enabled checks again, at the same cost in credits. The body must be exactly as in the example. Requires permission to change the report.',
    params: WEB_PAGE_PARAMS,
    answers: one(WEB_PAGE),
    errors: ['credits_exhausted', 'forbidden'],
    body: {
      attributes: CHANGES,
      example: { status: 'pending' },
      parse: (attributes) => readChanges(CHANGES, attributes),
    },
    subject: pageToChange,
    async answer({ call, subject: { page, report } }) {
      await recheckPage(call.db, report.id, page.id);
      return renderWholePage({ page: await pageIn(call.db, report.id, page.id), report }, call);
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/reports/{report_id}/web_pages/{web_page_id}',
    summary: 'Delete a web page',
    description:
      'Its URL is added to the excluded URLs of the report, and its issues no longer count. Deleting the last page also deletes the report. Requires permission to change the report.',
    pro: true,
    params: WEB_PAGE_PARAMS,
    answers: NOTHING,
    errors: ['forbidden'],
    subject: pageToChange,
    answer: ({ call, subject: { page, report } }) => deletePage(call.db, report.id, page.id),
  }),
];

interface WebPagePath {
  readonly report_id: string;
  readonly web_page_id: string;
}

/** A page and its report. */
interface PageOfReport {
  readonly report: ReportWithChecks;
  readonly page: WebPageWithChecks;
  /** Another page with the same document. */
  readonly sameDocument?: Pick<WebPage, 'id' | 'url'>;
  readonly size?: PageSize;
}

/** Returns the page that a path names, if the viewer can see its report. */
export async function webPageToRead(call: Call, params: WebPagePath): Promise<WebPageWithChecks> {
  return (await pageOfReport(call, params)).page;
}

/**
 * Returns the page that a path names, if the viewer may see its content.
 * @throws AppError forbidden for readers of a shared report that signs in to its site
 */
export async function contentToRead(call: Call, params: WebPagePath): Promise<PageOfReport> {
  const found = await pageOfReport(call, params);
  if (!mayReadContent(found.report, call.viewer)) {
    throw new AppError(
      'forbidden',
      'The site of this report requires signing in, so only the owner of the report can see its pages.',
    );
  }
  return found;
}

async function pageOfReport(call: Call, params: WebPagePath): Promise<PageOfReport> {
  const report = await reportToRead(call, params);
  return { report, page: await pageIn(call.db, report.id, Number(params.web_page_id)) };
}

async function pageToChange(call: Call, params: WebPagePath): Promise<PageOfReport> {
  const report = await reportToChange(call, params);
  return { report, page: await pageIn(call.db, report.id, Number(params.web_page_id)) };
}

/** Returns a page of a report. @throws AppError not_found */
async function pageIn(db: Executor, reportId: string, id: number): Promise<WebPageWithChecks> {
  const page = await findWebPage(db, reportId, id);
  if (page === undefined) throw notFound();
  return page;
}

/**
 * Returns a page without the checks that its reader cannot see. These checks do not affect its status.
 * @param kinds the kinds that the reader can see, as keys
 */
export function visiblePage(page: WebPageWithChecks, kinds: object): WebPageWithChecks {
  const checks = Object.fromEntries(Object.entries(page.checks).filter(([kind]) => Object.hasOwn(kinds, kind)));
  const shown = Object.values(checks).map(({ status }) => status);
  return { ...page, checks, status: shown.length === 0 ? page.status : statusOfPage(shown) };
}

/** @param report its report, as its reader sees it */
export function webPageAttributes(
  page: WebPageWithChecks,
  report: Pick<ReportWithChecks, 'signed_in' | 'signed_in_as'>,
): AttributesOf<typeof WEB_PAGE> {
  const mark = page.reached_url === null ? null : markIn(page.url);
  return {
    url: page.url,
    ...journeyPlace(mark),
    reached_url: page.reached_url,
    is_rendered_dom: mark !== null && page.has_document,
    ...signedInAs(page, report),
    linked_from: page.linked_from,
    title: page.title,
    http_status: page.http_status,
    content_type: page.content_type === null ? null : shortened(page.content_type, contentTypeMaxCharacters),
    render_error: page.render_error && sentenceOf(page.render_error),
    render_error_code: codeOf(page.render_error),
    ...Object.fromEntries(
      shownEngines(Object.keys(page.checks)).map((engine) => [
        `${engine.kind}_check`,
        checkOf(engine, page.checks[engine.kind]),
      ]),
    ),
    status: page.status,
    inserted_at: utcTime(page.inserted_at),
    updated_at: utcTime(page.updated_at),
    last_checked_at: utcTime(page.last_checked_at),
  };
}

/** Renders a page with what lists leave out because it takes a query for each page. */
async function renderWholePage(subject: PageOfReport, call: Call): Promise<Resource> {
  const same = await findSameDocument(call.db, subject.report.id, subject.page.id);
  const size = await sizeOfPage(call.db, subject.page.id);
  return renderWebPage({ ...subject, size, ...(same !== undefined && { sameDocument: same }) }, call);
}

function renderWebPage(of: PageOfReport, { viewer, links }: Call): Resource {
  const { page, report: subject, sameDocument: same, size } = of;
  const visible = visiblePage(page, visibleChecks(viewer, page.checks));
  const { checks } = visible;
  const enabled = CHECK_KINDS.filter((kind) => checks[kind] !== undefined);
  const raw = enabled.filter((kind) => checks[kind]?.store_raw);
  const hasScreenshot = enabled.some((kind) => checks[kind]?.has_screenshot);
  const seesContent = mayReadContent(subject, viewer);
  const report = links(`/reports/${page.report_id}`);
  const self = `${report}/web_pages/${page.id}`;
  return resource(WEB_PAGE, {
    id: page.id,
    attributes: {
      ...webPageAttributes(visible, seesContent ? subject : { ...subject, signed_in_as: null }),
      ...(size !== undefined && { size }),
      ...(same !== undefined && { same_document_as: { web_page_id: String(same.id), url: same.url } }),
    },
    related: {
      report,
      ...Object.fromEntries(enabled.map((kind) => [`${kind}_issues`, `${self}/${kind}_issues`])),
      ...proRelated(viewer, {
        ...Object.fromEntries(raw.map((kind) => [`raw_${kind}_check`, `${self}/raw_${kind}_check`])),
        screenshot: hasScreenshot && seesContent ? `${self}/screenshot` : undefined,
      }),
      ...(enabled.some((kind) => (checks[kind]?.recheck?.fixed ?? 0) > 0) && { fixed_issues: `${self}/fixed_issues` }),
      ...(page.has_document && seesContent && { source: `${self}/source` }),
    },
    self,
  });
}
