import type { Static, TObject } from 'typebox';
import type { CheckKind } from '../../domain/check.ts';
import { ADDITIVE, count } from '../../domain/schemas.ts';
import { findIssue, listIssues, type PageIssue } from '../../store/issues.ts';
import type { WebPageWithChecks } from '../../store/web-pages.ts';
import { type Endpoint, endpoint, listed, listOf, notFound, ok, one } from '../http/endpoint.ts';
import type { Links } from '../http/links.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { pagingOf } from '../jsonapi/query.ts';
import type { ResourceType } from '../jsonapi/resource-type.ts';
import { issueListMaxBytes } from '../limits.ts';
import {
  type ISSUE_QUERIES,
  issueFilterOf,
  KIND_WORDS,
  NO_QUERY,
  paramsInWebPage,
  WEB_PAGE_PARAMS,
} from './parameters.ts';
import { webPageToRead } from './web-page.ts';

export const PAGE_ISSUE_RELATIONSHIPS = {
  report: { description: 'Its report.', path: '/reports/{report_id}' },
  web_page: { description: 'Its web page.', path: '/reports/{report_id}/web_pages/{web_page_id}' },
};

/** What both kinds of issue tell of places that a list leaves out. */
export const OMITTED = count(
  'Places left out of this list because it would have been too large. The issue itself, at `links.self`, has all of them.',
  { examples: [0], ...ADDITIVE },
);

export function omittedFrom({ how_many: howMany, occurrences }: PageIssue): number {
  return Array.isArray(occurrences) ? howMany - occurrences.length : 0;
}

/** The list of a web page's issues of one kind of check, and one of them. */
export function pageIssueEndpoints<Schema extends TObject>(spec: {
  readonly kind: CheckKind;
  /** The resource's path is the plural of its name, its parameter the name with `_id`. */
  readonly type: ResourceType<Schema, 'report' | 'web_page'>;
  readonly pro: boolean;
  readonly query: (typeof ISSUE_QUERIES)[CheckKind];
  attributes(issue: PageIssue, page: WebPageWithChecks): Static<Schema>;
}): Endpoint[] {
  const { kind, type } = spec;
  const words = KIND_WORDS[kind];
  const path = `/reports/{report_id}/web_pages/{web_page_id}/${type.name}s`;
  const idName = `${type.name}_id`;
  const render = (issue: PageIssue, page: WebPageWithChecks, links: Links): Resource => {
    const report = links(`/reports/${page.report_id}`);
    const webPage = `${report}/web_pages/${page.id}`;
    return resource(type, {
      id: issue.id,
      attributes: spec.attributes(issue, page),
      related: { report, web_page: webPage },
      self: `${webPage}/${type.name}s/${issue.id}`,
    });
  };
  return [
    endpoint({
      method: 'GET',
      path,
      summary: `List the ${words} issues of a web page`,
      description: 'One for each kind, with all its places, in the order of the document.',
      pro: spec.pro,
      params: WEB_PAGE_PARAMS,
      query: spec.query,
      answers: listOf(type),
      subject: webPageToRead,
      async answer({ call, query, subject }) {
        const paging = pagingOf(query);
        const page = await listIssues(call.db, subject, kind, issueFilterOf(query), paging, issueListMaxBytes);
        return listed(call, paging, page, (issue) => render(issue, subject, call.links));
      },
    }),
    endpoint({
      method: 'GET',
      path: `${path}/{${idName}}`,
      summary: `Get an issue of a web page that the ${words} check found`,
      description: 'Muted or not.',
      pro: spec.pro,
      params: paramsInWebPage(idName),
      query: NO_QUERY,
      answers: one(type),
      subject: webPageToRead,
      async answer({ call, subject }) {
        const issue = await findIssue(call.db, subject.id, kind, Number(call.params[idName]));
        if (issue === undefined) throw notFound();
        return ok(render(issue, subject, call.links));
      },
    }),
  ];
}
