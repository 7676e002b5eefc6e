import Type from 'typebox';
import { LISTED_PAGE_CHANGES, PAGE_CHANGES, type PageChangeName } from '../../domain/change.ts';
import { codeOf, sentenceOf } from '../../domain/failures/failure.ts';
import { count, failureCode, flag, nullable, webAddress } from '../../domain/schemas.ts';
import { pairOf } from '../../reports/compared-pages.ts';
import { listPageChanges, NO_PAGES, type PageChangePage } from '../../store/diffs/page-changes.ts';
import type { PageMatch } from '../../store/diffs/page-match.ts';
import type { ReportWithChecks } from '../../store/reports/reports.ts';
import { REPORT_PARAMS } from '../attributes/parameters.ts';
import { type Call, endpoint, listed, listOf } from '../http/endpoint.ts';
import { kindsSeenBy } from '../http/pro-features.ts';
import { resource } from '../jsonapi/document.ts';
import { choiceParameter, chosenOf, PAGING, type Paging } from '../jsonapi/query.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { AT, COMPARED, type Compared, comparedIn, comparedOf, diffToRead, WITH } from './compared-reports.ts';
import { reportToRead } from './report.ts';

const PAGE_CHANGE = resourceType('page_change', {
  description: 'A page that broke or recovered since the earlier report, or that is in only one of the two reports.',
  id: Type.String({ examples: ['4711'] }),
  attributes: Type.Object({
    change: Type.Enum([...PAGE_CHANGES], {
      description:
        '`broken`: a check that ran in the earlier report failed in this one because of the page, for example because it now returns 404. `recovered`: the reverse. `added` and `removed`: only this report or only the earlier one has the page.',
      examples: ['broken'],
    }),
    url: webAddress('The URL of the page.'),
    title: nullable(Type.String(), 'Its title; null without one.', { examples: ['Home'] }),
    http_status: nullable(
      Type.Integer(),
      'Its HTTP status, in the earlier report for a removed page; null if there was no response, and for a mark whose journey failed.',
      { examples: [404] },
    ),
    http_status_before: nullable(
      Type.Integer(),
      'Its HTTP status in the earlier report; null if there was no response, for a mark whose journey failed, and for an added page.',
      { examples: [200] },
    ),
    deleted: flag(
      'Whether the other report lacks the page because someone deleted it from that report. False for pages that both reports have.',
      { examples: [false] },
    ),
    found_again: flag(
      'Whether an added page is in one of the ten reports of the site that precede the earlier report. False for other changes.',
      { examples: [false] },
    ),
    error: nullable(Type.String(), 'Why a broken or added page could not be checked; null if it could.', {
      examples: ['The page returned 404.'],
    }),
    error_code: failureCode('error'),
  }),
  relationships: {
    web_page: { description: 'The page.', path: '/reports/{report_id}/web_pages/{web_page_id}' },
  },
  self: 'never',
});

const PAGES_META = Type.Object({
  ...COMPARED,
  changes: Type.Object(Object.fromEntries(PAGE_CHANGES.map((change) => [change, count(`Pages that are ${change}.`)])), {
    description: 'Pages by change, regardless of filters.',
  }),
});

interface PageChangesToRead {
  readonly page: PageChangePage;
  /** Null without a diff. */
  readonly withId: string | null;
  readonly match: PageMatch | null;
}

/** Lists the changes of a diff. If it is replaced in the meantime, reads the new diff. */
async function pageChangesToRead(
  call: Call,
  report: ReportWithChecks,
  wanted: Compared & { readonly changes: readonly PageChangeName[] },
  paging: Paging,
): Promise<PageChangesToRead> {
  const diff = await diffToRead(call, report, wanted);
  if (diff === undefined) return { page: { total: 0, rows: [], counts: NO_PAGES }, withId: null, match: null };
  const { id, with_id: withId } = diff;
  const pair = await pairOf(call.db, report.id, withId, wanted.at);
  const filter = { kinds: kindsSeenBy(call.viewer), changes: wanted.changes };
  const page = await listPageChanges(call.db, { id, ...pair }, filter, paging);
  return page === null ? pageChangesToRead(call, report, wanted, paging) : { page, withId, match: pair.match };
}

export const PAGE_CHANGE_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/reports/{report_id}/changes/pages',
    summary: 'List pages added or removed since an earlier report',
    description:
      'With `filter[change]`, also pages that broke or recovered. Broken pages come first, followed by recovered, added and removed pages, each sorted by URL. A page is not broken if its checks failed because of this service or because credits ran out.',
    additive: true,
    params: REPORT_PARAMS,
    query: Type.Object({
      ...PAGING,
      ...WITH,
      ...AT,
      'filter[change]': choiceParameter(PAGE_CHANGES, {
        description: 'These changes',
        default: LISTED_PAGE_CHANGES.join(),
      }),
    }),
    answers: { ...listOf(PAGE_CHANGE), meta: PAGES_META },
    errors: ['too_many_comparisons'],
    subject: reportToRead,
    async answer({ call, query, subject, paging }) {
      const changes = chosenOf(query['filter[change]'], PAGE_CHANGES) ?? LISTED_PAGE_CHANGES;
      const { page, withId, match } = await pageChangesToRead(call, subject, { ...comparedIn(query), changes }, paging);
      return listed(
        page,
        ({ id, report_id: of, error, ...attributes }) =>
          resource(PAGE_CHANGE, {
            id,
            attributes: { ...attributes, error: error && sentenceOf(error), error_code: codeOf(error) },
            related: { web_page: call.links(`/reports/${of}/web_pages/${id}`) },
          }),
        { ...(await comparedOf(call.db, subject.id, withId, match)), changes: page.counts },
      );
    },
  }),
];
