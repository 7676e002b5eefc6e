import Type, { type Static, type TProperties } from 'typebox';
import type { EngineDescription } from '../../checks/engine-description.ts';
import { PRESENT_CHANGE_NAMES, PRESENT_TYPE_CHANGES } from '../../domain/change.ts';
import { CERTAINTIES, type CheckKind, IMPACTS } from '../../domain/check.ts';
import { VERDICTS } from '../../domain/decision.ts';
import {
  ADDITIVE,
  count,
  DECIMAL_ID,
  fingerprint,
  flag,
  LIFE,
  nullable,
  TIMESTAMP,
  UUID_EXAMPLE,
} from '../../domain/schemas.ts';
import { notFound } from '../../platform/errors.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { NO_CHANGES } from '../../store/diffs/issue-changes.ts';
import {
  COMMON_ISSUE_SORTS,
  type CommonIssueFilter,
  type CommonIssueOrder,
  type CommonIssueRow,
  findCommonIssue,
  findSuccessor,
  IMPACT_FIRST,
  listCommonIssues,
  type MutedChoice,
  VERDICT_CHOICES,
} from '../../store/issues/common-issues.ts';
import { EFFECT, effectAttributes, OCCURRENCES_BY_CHANGE, REMEDY } from '../attributes/issue-type.ts';
import { issueFilterOf, issueQuery, MUTED_FILTER, paramsInReport, REPORT_PARAMS } from '../attributes/parameters.ts';
import { type Call, type Endpoint, endpoint, listed, listOf, one } from '../http/endpoint.ts';
import type { Links } from '../http/links.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { choiceParameter, chosenOf, parseSort, sortParameter } from '../jsonapi/query.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { reportToRead } from './report.ts';

const IDENTITY = {
  fingerprint: fingerprint('the issue type', ADDITIVE),
  change: nullable(
    Type.Enum([...PRESENT_TYPE_CHANGES]),
    'How it changed since the previous report. `new`: all its occurrences are new. `regressed`: the same, but some had been fixed and are back. `more`, `fewer`, `persisting`: it has more, fewer or as many occurrences as before, compared only where both reports looked for them. `not_checked_before`: none could be compared, for example because the previous report did not check their pages. Null without a previous report.',
    { examples: ['more'], ...ADDITIVE },
  ),
  changed_occurrences: nullable(
    OCCURRENCES_BY_CHANGE,
    'Its occurrences by their change since the previous report; null without one.',
    ADDITIVE,
  ),
  how_many_before: nullable(Type.Integer({ minimum: 0 }), 'Its occurrences in the previous report; null without one.', {
    examples: [4],
    ...ADDITIVE,
  }),
  first_seen_at: nullable(
    TIMESTAMP,
    'When the first report of the site with this issue was created; null while the report is running.',
    ADDITIVE,
  ),
};

const ONE_QUERY = Type.Object(MUTED_FILTER);

/** The sort keys of an engine's common issues. */
export function commonIssueSortKeys({ isGraded }: EngineDescription): (typeof COMMON_ISSUE_SORTS)[number][] {
  return COMMON_ISSUE_SORTS.filter((key) => isGraded || key !== 'impact_order');
}

function listQuery(engine: EngineDescription) {
  const keys = commonIssueSortKeys(engine);
  const impacts = {
    'filter[impact]': choiceParameter(IMPACTS, {
      description: 'Only issues with one of these impacts',
      ...ADDITIVE,
    }),
  };
  return Type.Object({
    ...issueQuery(engine).properties,
    'filter[issue_type]': choiceParameter(CERTAINTIES, {
      description: 'Only issues of one of these types',
      ...ADDITIVE,
    }),
    'filter[verdict]': choiceParameter(VERDICT_CHOICES, {
      description: 'Only issues with one of these decisions; `none` for issues without a decision',
      ...ADDITIVE,
    }),
    // This filter is optional, so the type is also correct without it.
    ...(engine.isGraded ? impacts : ({} as typeof impacts)),
    'filter[change]': choiceParameter(PRESENT_CHANGE_NAMES, {
      description:
        'Only issues with at least one occurrence that changed this way since the previous report, or with `more` or `fewer` occurrences than before',
      ...ADDITIVE,
    }),
    sort: sortParameter(keys, {
      description:
        'The counts depend on `filter[muted]`. `severity-desc` puts errors before findings that need review, regardless of their impact.',
      example: 'how_many-desc',
      ...ADDITIVE,
    }),
  });
}

type ListQuery = Static<ReturnType<typeof listQuery>>;

function filterOf(query: ListQuery): CommonIssueFilter {
  const { 'filter[issue_type]': types, 'filter[impact]': impacts, 'filter[change]': changes } = query;
  return {
    ...issueFilterOf(query),
    types: chosenOf(types, CERTAINTIES),
    impacts: chosenOf(impacts, IMPACTS),
    changes: chosenOf(changes, PRESENT_CHANGE_NAMES),
    verdicts: chosenOf(query['filter[verdict]'], VERDICT_CHOICES),
  };
}

function orderOf({ sort }: ListQuery, isGraded: boolean): readonly CommonIssueOrder[] | undefined {
  if (sort !== undefined) return parseSort(sort, COMMON_ISSUE_SORTS);
  return isGraded ? IMPACT_FIRST : undefined;
}

/** Renders the attributes of a common issue. */
export function commonIssueAttributes({ issues }: EngineDescription, issue: CommonIssueRow) {
  const life = { inserted_at: utcTime(issue.inserted_at), updated_at: utcTime(issue.updated_at) };
  return {
    report_id: issue.report_id,
    ...issues.issueTypeAttributes(issue),
    remedy: issues.remedyOf(issue),
    ...effectAttributes(issues.effectOf(issue)),
    fingerprint: issue.fingerprint.toString('hex'),
    change: issue.change,
    changed_occurrences: issue.changed_occurrences && { ...NO_CHANGES, ...issue.changed_occurrences },
    how_many_before: issue.how_many_before,
    first_seen_at: issue.first_seen_at === null ? null : utcTime(issue.first_seen_at),
    how_many: issue.how_many,
    num_web_pages: issue.num_web_pages,
    outside_standard: issue.outside_standard,
    verdict: issue.verdict,
    ...(issues.datesCommon ? life : {}),
  };
}

/** Returns a common issue of a report, with the counts of `muted`. @throws AppError not_found */
export async function commonIssueIn(
  call: Call,
  reportId: string,
  kind: CheckKind,
  muted: MutedChoice = 'false',
): Promise<CommonIssueRow> {
  const find = (id: number) => findCommonIssue(call.db, reportId, kind, id, muted);
  const named = Number(call.params[`common_${kind}_issue_id`]);
  const issue = await find(named);
  if (issue !== undefined) return issue;
  const id = await findSuccessor(call.db, reportId, kind, named);
  const successor = id === undefined ? undefined : await find(id);
  if (successor === undefined) throw notFound();
  return successor;
}

const TYPE_VERDICT = nullable(
  Type.Enum([...VERDICTS]),
  'The decision about all its occurrences; null if there is none. Decided occurrences of a rule are separate common issues.',
  { examples: [null], ...ADDITIVE },
);

const OUTSIDE_STANDARD = flag("Whether its rule does not belong to the report's standard, so that it does not count.", {
  examples: [false],
  ...ADDITIVE,
});

/** See docs/contract/resources.md#common-issue. */
export function commonIssueType({ kind, issues }: EngineDescription) {
  const name = `common_${kind}_issue`;
  const path = `/reports/{report_id}/${name}s/{${name}_id}`;
  const dates: TProperties = issues.datesCommon ? LIFE : {};
  return resourceType(name, {
    description: issues.aboutCommon,
    id: DECIMAL_ID,
    attributes: Type.Object({
      report_id: Type.String({ description: 'Id of its report.', examples: [UUID_EXAMPLE] }),
      ...issues.issueTypeSchema,
      ...REMEDY,
      ...EFFECT,
      ...IDENTITY,
      how_many: count('Number of occurrences in the whole report, excluding muted ones unless requested.', {
        examples: [4],
      }),
      num_web_pages: count('Number of web pages with this issue.', { examples: [3], ...ADDITIVE }),
      outside_standard: OUTSIDE_STANDARD,
      verdict: TYPE_VERDICT,
      ...dates,
    }),
    relationships: {
      web_pages: {
        description: 'The web pages with this issue.',
        path: `/reports/{report_id}/web_pages?filter%5B${name}_id%5D={${name}_id}`,
      },
      clusters: { description: 'Its occurrences by markup.', path: `${path}/clusters` },
      occurrences: { description: 'Its occurrences on all pages.', path: `${path}/occurrences` },
    },
  });
}

/** The endpoints of the common issues of an engine. */
export function commonIssueEndpoints(engine: EngineDescription): Endpoint[] {
  const { kind, words, isPro, isGraded } = engine;
  const type = commonIssueType(engine);
  const path = `/reports/{report_id}/${type.name}s`;
  const idName = `${type.name}_id`;
  const order = isGraded ? 'impact (worst first)' : 'severity (errors first)';
  const render = commonIssueRenderer(engine, type);
  return [
    endpoint({
      method: 'GET',
      path,
      summary: `List the common ${words} issues of a report`,
      description: `Returns the types of ${words} issues on its web pages. By default, they are sorted by ${order}, then by number of occurrences (most first).`,
      pro: isPro,
      params: REPORT_PARAMS,
      query: listQuery(engine),
      answers: listOf(type),
      subject: reportToRead,
      async answer({ call, query, subject, paging }) {
        return listed(
          await listCommonIssues(call.db, subject.id, kind, filterOf(query), paging, orderOf(query, isGraded)),
          (issue) => render(issue, call.links, query['filter[muted]']),
        );
      },
    }),
    endpoint({
      method: 'GET',
      path: `${path}/{${idName}}`,
      summary: `Get a common ${words} issue of a report`,
      description:
        'To get the same counts as in the list, use the same `filter[muted]`. If decisions have moved all its occurrences to another common issue, returns that one, with its own id.',
      pro: isPro,
      params: paramsInReport(idName),
      query: ONE_QUERY,
      answers: one(type),
      subject: reportToRead,
      async answer({ call, query, subject }) {
        const muted = query['filter[muted]'];
        return render(await commonIssueIn(call, subject.id, kind, muted), call.links, muted);
      },
    }),
  ];
}

function commonIssueRenderer(engine: EngineDescription, type: ReturnType<typeof commonIssueType>) {
  return (issue: CommonIssueRow, links: Links, muted: MutedChoice = 'false'): Resource => {
    const report = links(`/reports/${issue.report_id}`);
    // Linked resources are filtered in the same way as the counts.
    const choice = muted === 'false' ? '' : `filter%5Bmuted%5D=${muted}`;
    const self = `${report}/${type.name}s/${issue.id}`;
    const query = choice && `?${choice}`;
    return resource(type, {
      id: issue.id,
      attributes: commonIssueAttributes(engine, issue),
      related: {
        web_pages: `${report}/web_pages?filter%5B${type.name}_id%5D=${issue.id}${choice && `&${choice}`}`,
        clusters: `${self}/clusters${query}`,
        occurrences: `${self}/occurrences${query}`,
      },
      self: `${self}${query}`,
    });
  };
}
