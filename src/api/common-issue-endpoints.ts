import type { CheckKind } from '../domain/check.ts';
import { type CommonIssueRow, findCommonIssue, listCommonIssues } from '../store/common-issues.ts';
import { type Endpoint, endpoint, listed, notFound, ok } from './endpoint.ts';
import { type Resource, resource } from './jsonapi/document.ts';
import { pagingOf } from './jsonapi/query.ts';
import type { Links } from './links.ts';
import { type ISSUE_QUERIES, issueFilterOf, NO_QUERY, paramsInReport, REPORT_PARAMS } from './parameters.ts';
import { reportToRead } from './resources/report.ts';

/** The list of a report's common issues of one kind of check, and one of them. */
export function commonIssueEndpoints(spec: {
  readonly kind: CheckKind;
  /** The resource's type; its path is the plural, its parameter the type with `_id`. */
  readonly type: string;
  readonly pro: boolean;
  readonly query: (typeof ISSUE_QUERIES)[CheckKind];
  attributes(issue: CommonIssueRow): Readonly<Record<string, unknown>>;
}): Endpoint[] {
  const { kind, type } = spec;
  const path = `/reports/{report_id}/${type}s`;
  const idName = `${type}_id`;
  const render = (issue: CommonIssueRow, links: Links): Resource => {
    const report = links(`/reports/${issue.report_id}`);
    return resource({
      type,
      id: issue.id,
      attributes: spec.attributes(issue),
      related: { web_pages: `${report}/web_pages?filter%5B${idName}%5D=${issue.id}` },
      self: `${report}/${type}s/${issue.id}`,
    });
  };
  return [
    endpoint({
      method: 'GET',
      path,
      summary: `List the kinds of issue in a report (${type})`,
      pro: spec.pro,
      params: REPORT_PARAMS,
      query: spec.query,
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
      summary: `Get a kind of issue in a report (${type})`,
      pro: spec.pro,
      params: paramsInReport(idName),
      query: NO_QUERY,
      subject: reportToRead,
      async answer({ call, subject }) {
        const issue = await findCommonIssue(call.db, subject.id, kind, Number(call.params[idName]));
        if (issue === undefined) throw notFound();
        return ok(render(issue, call.links));
      },
    }),
  ];
}
