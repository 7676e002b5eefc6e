import Type from 'typebox';
import { PRESENT_CHANGES } from '../../../packages/client/changes.ts';
import type { EngineDescription } from '../../checks/engine-description.ts';
import type { OccurrenceMarks } from '../../checks/occurrence-marks.ts';
import type { Json } from '../../domain/check.ts';
import { ADDITIVE, count, DECIMAL_ID, fingerprint, LIFE, nullable } from '../../domain/schemas.ts';
import { notFound } from '../../platform/errors.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { changeOfIssue, markIssues } from '../../reports/mark-occurrences.ts';
import { findIssue, listIssues, type PageIssue } from '../../store/issues/issues.ts';
import type { WebPageWithChecks } from '../../store/pages/web-pages.ts';
import { decisionAttributes, ISSUE_DECISION } from '../attributes/decision-attributes.ts';
import { EFFECT, effectAttributes, REMEDY } from '../attributes/issue-type.ts';
import { issueListMaxBytes } from '../attributes/limits.ts';
import { issueFilterOf, issueQuery, paramsInWebPage, WEB_PAGE_PARAMS } from '../attributes/parameters.ts';
import { type Endpoint, endpoint, listed, listOf, one } from '../http/endpoint.ts';
import type { Links } from '../http/links.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { webPageToRead } from './web-page.ts';

/**
 * Renders the attributes of an issue of a web page.
 * @param marks of its occurrences, as `markOccurrences` returns them
 */
export function issueAttributes(
  engine: EngineDescription,
  issue: PageIssue,
  page: { readonly url: string },
  marks: readonly OccurrenceMarks[],
) {
  const occurrences = issue.occurrences as readonly Json[];
  const steps = issueAttributesInSteps(engine, { ...issue, slices: [occurrences] }, page, marks);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Renders the same attributes, and yields after each slice of occurrences. */
export function* issueAttributesInSteps(
  { issues }: EngineDescription,
  issue: Omit<PageIssue, 'occurrences'> & { readonly slices: Iterable<readonly Json[]> },
  page: { readonly url: string },
  marks: readonly OccurrenceMarks[],
) {
  let kept = 0;
  function* slices() {
    for (const slice of issue.slices) {
      yield slice;
      kept += slice.length;
    }
  }
  function markOf(position: number): OccurrenceMarks {
    const mark = marks[position];
    if (mark === undefined)
      throw new RangeError(`Issue ${issue.id} has no fingerprint of its occurrence at position ${position}`);
    return mark;
  }
  const attributes = yield* issues.occurrencesAttributes({ url: issue.url, slices: slices(), markOf }, page);
  return {
    ...issues.issueTypeAttributes(issue),
    remedy: issues.remedyOf(issue),
    ...effectAttributes(issues.effectOf(issue)),
    ...decisionAttributes(issue.decision),
    fingerprint: issue.fingerprint.toString('hex'),
    change: changeOfIssue(marks),
    ...attributes,
    how_many: issue.how_many,
    omitted: issue.how_many - kept,
    inserted_at: utcTime(issue.inserted_at),
    updated_at: utcTime(issue.updated_at),
  };
}

/** See docs/contract/resources.md#issue. */
export function issueType({ kind, issues }: EngineDescription) {
  return resourceType(`${kind}_issue`, {
    description: issues.about,
    id: DECIMAL_ID,
    attributes: Type.Object({
      ...issues.issueTypeSchema,
      ...REMEDY,
      ...EFFECT,
      ...ISSUE_DECISION,
      fingerprint: fingerprint('the issue type', ADDITIVE),
      change: nullable(
        Type.Enum([...PRESENT_CHANGES]),
        'How the issue changed on this page since the previous report: `new` if all its occurrences are new, `regressed` if it had been fixed; null if its occurrences are not compared.',
        { examples: ['persisting'], ...ADDITIVE },
      ),
      ...issues.occurrencesSchema,
      how_many: issues.howManySchema,
      omitted: count(
        'Number of occurrences omitted because the list would be too large. Get the issue itself, at `links.self`, for all of them.',
        { examples: [0], ...ADDITIVE },
      ),
      ...LIFE,
    }),
    relationships: {
      report: { description: 'Its report.', path: '/reports/{report_id}' },
      web_page: { description: 'Its web page.', path: '/reports/{report_id}/web_pages/{web_page_id}' },
      common_issue: {
        description: 'The issue type, with its occurrences on all pages.',
        path: `/reports/{report_id}/common_${kind}_issues/{common_${kind}_issue_id}`,
      },
    },
  });
}

/** The endpoints of the issues of an engine. */
export function issueEndpoints(engine: EngineDescription): Endpoint[] {
  const { kind, words, isPro } = engine;
  const type = issueType(engine);
  const path = `/reports/{report_id}/web_pages/{web_page_id}/${kind}_issues`;
  const idName = `${kind}_issue_id`;
  const render = issueRenderer(engine, type);
  return [
    endpoint({
      method: 'GET',
      path,
      summary: `List the ${words} issues of a web page`,
      description: 'Returns one issue per issue type, with all its occurrences, in document order.',
      pro: isPro,
      params: WEB_PAGE_PARAMS,
      query: issueQuery(engine),
      answers: listOf(type),
      subject: webPageToRead,
      async answer({ call, query, subject, paging }) {
        const page = await listIssues(call.db, subject, kind, issueFilterOf(query), paging, issueListMaxBytes);
        const marks = await markIssues(call.db, kind, subject, page.rows);
        return listed(page, (issue) => render(issue, subject, call.links, marks.get(issue.id) ?? []));
      },
    }),
    endpoint({
      method: 'GET',
      path: `${path}/{${idName}}`,
      summary: `Get an issue that the ${words} check found on a web page`,
      description: 'Returns the issue, even if it is muted.',
      pro: isPro,
      params: paramsInWebPage(idName),
      answers: one(type),
      subject: webPageToRead,
      async answer({ call, subject }) {
        const issue = await findIssue(call.db, subject.id, kind, Number(call.params[idName]));
        if (issue === undefined) throw notFound();
        const marks = await markIssues(call.db, kind, subject, [issue]);
        return render(issue, subject, call.links, marks.get(issue.id) ?? []);
      },
    }),
  ];
}

function issueRenderer(engine: EngineDescription, type: ReturnType<typeof issueType>) {
  return (issue: PageIssue, page: WebPageWithChecks, links: Links, marks: readonly OccurrenceMarks[]): Resource => {
    const report = links(`/reports/${page.report_id}`);
    const webPage = `${report}/web_pages/${page.id}`;
    return resource(type, {
      id: issue.id,
      attributes: issueAttributes(engine, issue, page, marks),
      related: {
        report,
        web_page: webPage,
        common_issue: `${report}/common_${engine.kind}_issues/${issue.common_issue_id}`,
      },
      self: `${webPage}/${type.name}s/${issue.id}`,
    });
  };
}
