import type { Static, TObject } from 'typebox';
import type { CheckKind } from '../domain/check.ts';
import { type CommonIssueRow, findCommonIssue, listCommonIssues } from '../store/common-issues.ts';
import { type Endpoint, endpoint, listed, listOf, notFound, ok, one } from './endpoint.ts';
import { type Resource, resource } from './jsonapi/document.ts';
import { pagingOf } from './jsonapi/query.ts';
import type { ResourceType } from './jsonapi/resource-type.ts';
import type { Links } from './links.ts';
import { type ISSUE_QUERIES, issueFilterOf, NO_QUERY, paramsInReport, REPORT_PARAMS } from './parameters.ts';
import { reportToRead } from './resources/report.ts';

/** The list of a report's common issues of one kind of check, and one of them. */
export function commonIssueEndpoints<Schema extends TObject>(spec: {
  readonly kind: CheckKind;
  /** The resource's path is the plural of its name, its parameter the name with `_id`. */
  readonly type: ResourceType<Schema, 'web_pages'>;
  readonly pro: boolean;
  readonly query: (typeof ISSUE_QUERIES)[CheckKind];
  attributes(issue: CommonIssueRow): Static<Schema>;
}): Endpoint[] {
  const { kind, type } = spec;
  const path = `/reports/{report_id}/${type.name}s`;
  const idName = `${type.name}_id`;
  const render = (issue: CommonIssueRow, links: Links): Resource => {
    const report = links(`/reports/${issue.report_id}`);
    return resource(type, {
      id: issue.id,
      attributes: spec.attributes(issue),
      related: { web_pages: `${report}/web_pages?filter%5B${idName}%5D=${issue.id}` },
      self: `${report}/${type.name}s/${issue.id}`,
    });
  };
  return [
    endpoint({
      method: 'GET',
      path,
      summary: `List the kinds of issue in a report (${type.name})`,
      pro: spec.pro,
      params: REPORT_PARAMS,
      query: spec.query,
      answers: listOf(type),
      subject: reportToRead,
      async answer({ call, query, subject }) {
        const paging = pagingOf(query);
        const page = await listCommonIssues(call.db, subject.id, kind, issueFilterOf(query), paging);
        return listed(call, paging, page, (issue) => render(issue, call.links));
      },
    }),
    endpoint({
      method: 'GET',
      path: `${path}/{${idName}}`,
      summary: `Get a kind of issue in a report (${type.name})`,
      pro: spec.pro,
      params: paramsInReport(idName),
      query: NO_QUERY,
      answers: one(type),
      subject: reportToRead,
      async answer({ call, subject }) {
        const issue = await findCommonIssue(call.db, subject.id, kind, Number(call.params[idName]));
        if (issue === undefined) throw notFound();
        return ok(render(issue, call.links));
      },
    }),
  ];
}
