import Type, { type Static, type TObject } from 'typebox';
import type { CheckKind } from '../../domain/check.ts';
import { ADDITIVE, count, UUID_EXAMPLE } from '../../domain/schemas.ts';
import { type CommonIssueRow, findCommonIssue, listCommonIssues, type MutedChoice } from '../../store/common-issues.ts';
import { type Endpoint, endpoint, listed, listOf, notFound, ok, one } from '../http/endpoint.ts';
import type { Links } from '../http/links.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { pagingOf } from '../jsonapi/query.ts';
import type { Related, ResourceType } from '../jsonapi/resource-type.ts';
import {
  type ISSUE_QUERIES,
  issueFilterOf,
  KIND_WORDS,
  MUTED_FILTER,
  paramsInReport,
  REPORT_PARAMS,
} from './parameters.ts';
import { reportToRead } from './report.ts';

const ONE_QUERY = Type.Object(MUTED_FILTER);

/** What every common issue tells. */
export const COMMON = {
  report_id: Type.String({ description: 'Id of its report.', examples: [UUID_EXAMPLE] }),
  how_many: count('Places or elements in the whole report, without muted ones unless these are asked for.', {
    examples: [4],
  }),
  num_web_pages: count('Web pages on which it is.', { examples: [3], ...ADDITIVE }),
};

export function commonIssueRelationships(idName: string): { readonly web_pages: Related } {
  const path = `/reports/{report_id}/web_pages?filter%5B${idName}%5D={${idName}}`;
  return { web_pages: { description: 'The web pages on which it is.', path } };
}

const ORDERS: Readonly<Record<CheckKind, string>> = { html: 'errors first', a11y: 'the worst impact first' };

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
  const words = KIND_WORDS[kind];
  const path = `/reports/{report_id}/${type.name}s`;
  const idName = `${type.name}_id`;
  const render = (issue: CommonIssueRow, links: Links, muted: MutedChoice = 'false'): Resource => {
    const report = links(`/reports/${issue.report_id}`);
    // What the links lead to is of the same issues as the counts.
    const choice = muted === 'false' ? '' : `filter%5Bmuted%5D=${muted}`;
    return resource(type, {
      id: issue.id,
      attributes: spec.attributes(issue),
      related: { web_pages: `${report}/web_pages?filter%5B${idName}%5D=${issue.id}${choice && `&${choice}`}` },
      self: `${report}/${type.name}s/${issue.id}${choice && `?${choice}`}`,
    });
  };
  return [
    endpoint({
      method: 'GET',
      path,
      summary: `List the common ${words} issues of a report`,
      description: `The kinds of ${words} issue that its web pages have, ${ORDERS[kind]}, then the most frequent first.`,
      pro: spec.pro,
      params: REPORT_PARAMS,
      query: spec.query,
      answers: listOf(type),
      subject: reportToRead,
      async answer({ call, query, subject }) {
        const paging = pagingOf(query);
        const page = await listCommonIssues(call.db, subject.id, kind, issueFilterOf(query), paging);
        return listed(call, paging, page, (issue) => render(issue, call.links, query['filter[muted]']));
      },
    }),
    endpoint({
      method: 'GET',
      path: `${path}/{${idName}}`,
      summary: `Get a common ${words} issue of a report`,
      description: 'With `filter[muted]` as in the list, so that it counts the same places.',
      pro: spec.pro,
      params: paramsInReport(idName),
      query: ONE_QUERY,
      answers: one(type),
      subject: reportToRead,
      async answer({ call, query, subject }) {
        const muted = query['filter[muted]'];
        const issue = await findCommonIssue(call.db, subject.id, kind, Number(call.params[idName]), muted);
        if (issue === undefined) throw notFound();
        return ok(render(issue, call.links, muted));
      },
    }),
  ];
}
