import Type, { type TProperties } from 'typebox';
import type { EngineDescription } from '../../checks/engine-description.ts';
import { CHECK_KINDS, ENGINES } from '../../checks/registry.ts';
import { count, DECIMAL_ID, nullable, PRO, TIMESTAMP, UUID } from '../../domain/schemas.ts';
import { notFound } from '../../platform/errors.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { FIXED_ISSUES_MAX, listFixedIssues } from '../../store/rechecks/former-issues.ts';
import { type RecheckedPages, recheckPages } from '../../store/rechecks/page-recheck.ts';
import {
  findRecheck,
  KEPT_RECHECKS_MAX,
  type ListedRecheck,
  listRechecks,
  UNFINISHED_RECHECKS_MAX,
} from '../../store/rechecks/rechecks.ts';
import { RECHECKED_OCCURRENCES } from '../attributes/issue-counts.ts';
import { IDENTIFIED_ISSUE, NAMED_ISSUE } from '../attributes/issue-type.ts';
import { recheckedPagesMax } from '../attributes/limits.ts';
import { PAGING_QUERY, REPORT_PARAMS, WEB_PAGE_PARAMS } from '../attributes/parameters.ts';
import { bodyEndpoint, type Call, endpoint, listed, listOf, newOne, one } from '../http/endpoint.ts';
import { kindsSeenBy, seesChecks } from '../http/pro-features.ts';
import { type Attributes, readAttributes } from '../jsonapi/attributes.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { attributeProblem, RequestError } from '../jsonapi/errors.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { reportToChange, reportToRead } from './report.ts';
import { webPageToRead } from './web-page.ts';

const RECHECK = resourceType('recheck', {
  description: `A request to fetch and check web pages again, with its results. The latest ${KEPT_RECHECKS_MAX} re-checks of a report are kept.`,
  id: UUID,
  attributes: Type.Object({
    num_web_pages: count('Number of web pages to check again.', { examples: [12] }),
    credits: count('Number of checks that cost a credit each. Checks that had not started yet are already paid for.', {
      examples: [24],
    }),
    status: Type.Object(
      {
        pending: count('Checks that have not ended.', { examples: [4] }),
        checked: count('Checks that ran.', { examples: [20] }),
        failed: count('Checks that failed. Their previous occurrences count as neither fixed nor remaining.', {
          examples: [0],
        }),
      },
      { description: 'Its checks by status. Checks of deleted pages are not included.' },
    ),
    occurrences: Type.Object(RECHECKED_OCCURRENCES, {
      description: 'The results for the occurrences of all checks that have ended, excluding muted ones.',
    }),
    uncompared: count(
      'Checks that ran but are not compared: they had no previous result, or have more than 20,000 occurrences.',
      { examples: [0] },
    ),
    kind: nullable(Type.Enum([...CHECK_KINDS]), 'The type of check of the common issue; null if pages were given.', {
      examples: ['html'],
    }),
    common_issue_id: nullable(
      Type.String(),
      'The id of the common issue, which no longer exists if all its occurrences are fixed; null if pages were given.',
      { examples: ['4711'] },
    ),
    message: nullable(Type.String(), 'The message of the common issue; null if pages were given.', {
      examples: ['Duplicate ID “main”.'],
    }),
    occurrences_of_issue: nullable(
      Type.Object(RECHECKED_OCCURRENCES),
      'The results for the occurrences of the common issue; null if pages were given.',
    ),
    inserted_at: Type.String({ ...TIMESTAMP, description: 'When it was requested.' }),
    finished_at: nullable(TIMESTAMP, 'When its last check ended; null until then.'),
  }),
  relationships: {
    report: { description: 'Their report.', path: '/reports/{report_id}' },
  },
});

/** The attributes that name a common issue, by kind of check. */
const COMMON_ISSUES: TProperties = Object.fromEntries(
  ENGINES.map((engine) => [commonIssueName(engine), commonIssueSchema(engine)]),
);

function commonIssueName({ kind }: EngineDescription): string {
  return `common_${kind}_issue_id`;
}

function commonIssueSchema({ words, isPro }: EngineDescription) {
  const description = `Checks all web pages with this common ${words} issue again, except where it is muted.`;
  return Type.Optional(Type.String({ ...DECIMAL_ID, description, ...(isPro && PRO) }));
}

const NEW = Type.Object(
  {
    web_page_ids: Type.Optional(
      Type.Array(DECIMAL_ID, {
        minItems: 1,
        maxItems: recheckedPagesMax,
        description: `The ids of web pages of the report, at most ${recheckedPagesMax}.`,
      }),
    ),
    ...COMMON_ISSUES,
  },
  { additionalProperties: false },
);

interface Wanted {
  /** The attribute that names the pages. */
  readonly name: string;
  readonly pages: RecheckedPages;
}

/** @throws RequestError invalid if the attributes do not name pages in exactly one way */
function parseNew(attributes: Attributes): Wanted {
  const { web_page_ids: ids, ...common }: { web_page_ids?: string[] } & Attributes = readAttributes(NEW, attributes);
  const ways: Wanted[] = ENGINES.flatMap((engine) => {
    const name = commonIssueName(engine);
    const id = common[name];
    return id === undefined ? [] : [{ name, pages: { kind: engine.kind, commonIssueId: Number(id) } }];
  });
  if (ids !== undefined) ways.push({ name: 'web_page_ids', pages: { webPageIds: ids.map(Number) } });
  const [wanted, other] = ways;
  if (wanted === undefined) throw invalid('web_page_ids', "can't be blank without a common issue");
  if (other !== undefined) throw invalid(other.name, `cannot be combined with ${wanted.name}`);
  return wanted;
}

function invalid(name: string, title: string): RequestError {
  return new RequestError('invalid', [attributeProblem(name, title)]);
}

const PATH = '/reports/{report_id}/rechecks';

export const RECHECK_ENDPOINTS = [
  bodyEndpoint({
    method: 'POST',
    path: PATH,
    summary: 'Check web pages again',
    description:
      'Fetches all web pages with a common issue, or the given pages, and runs their enabled checks again, at the same cost in credits: ' +
      'either all pages are checked, or none if there are not enough credits. Issues stay until new ones replace them. ' +
      'If a re-check of the same common issue or the same pages is still running, it is returned and costs nothing. ' +
      `Returns 409 if ${UNFINISHED_RECHECKS_MAX} other re-checks of the report are still running. Requires permission to change the report.`,
    additive: true,
    params: REPORT_PARAMS,
    answers: newOne(RECHECK),
    errors: ['conflict', 'credits_exhausted', 'forbidden'],
    body: { attributes: NEW, example: { common_html_issue_id: '4711' }, parse: parseNew },
    subject: reportToChange,
    async answer({ call, body, subject }) {
      const id = await recheckPages(call.db, subject.id, body.pages);
      if (id === null) {
        const isList = 'webPageIds' in body.pages;
        throw invalid(body.name, isList ? 'must be web pages of the report' : 'must be a common issue with web pages');
      }
      return await recheckIn(call, subject.id, id);
    },
  }),
  endpoint({
    method: 'GET',
    path: PATH,
    summary: 'List the re-checks of several web pages of a report',
    description: 'Returns the newest first. For re-checks of a single web page, see its checks.',
    additive: true,
    params: REPORT_PARAMS,
    query: PAGING_QUERY,
    answers: listOf(RECHECK),
    subject: reportToRead,
    async answer({ call, subject, paging }) {
      return listed(await listRechecks(call.db, subject.id, kindsSeenBy(call.viewer), paging), (recheck) =>
        render(recheck, subject.id, call),
      );
    },
  }),
  endpoint({
    method: 'GET',
    path: `${PATH}/{recheck_id}`,
    summary: 'Get a re-check of several web pages',
    description: 'Poll this endpoint until no check is pending.',
    additive: true,
    params: Type.Object({ ...REPORT_PARAMS.properties, recheck_id: UUID }),
    answers: one(RECHECK),
    subject: reportToRead,
    answer: async ({ call, subject }) => await recheckIn(call, subject.id, call.params['recheck_id'] ?? ''),
  }),
];

/** @throws AppError not_found */
async function recheckIn(call: Call, reportId: string, id: string): Promise<Resource> {
  const recheck = await findRecheck(call.db, reportId, id, kindsSeenBy(call.viewer));
  if (recheck === undefined) throw notFound();
  return render(recheck, reportId, call);
}

function render(recheck: ListedRecheck, reportId: string, { viewer, links }: Call): Resource {
  const { id, num_web_pages, credits, pending, checked, failed, occurrences, uncompared } = recheck;
  const isOfIssue = recheck.kind !== null && seesChecks(viewer, recheck.kind);
  const report = links(`/reports/${reportId}`);
  return resource(RECHECK, {
    id,
    attributes: {
      num_web_pages,
      credits,
      status: { pending, checked, failed },
      occurrences,
      uncompared,
      kind: isOfIssue ? recheck.kind : null,
      common_issue_id: isOfIssue ? String(recheck.common_issue_id) : null,
      message: isOfIssue ? recheck.message : null,
      occurrences_of_issue: isOfIssue ? recheck.occurrencesOfIssue : null,
      inserted_at: utcTime(recheck.inserted_at),
      finished_at: utcTime(recheck.finishedAt),
    },
    related: { report },
    self: `${report}/rechecks/${id}`,
  });
}

const FIXED_ISSUE = resourceType('fixed_issue', {
  description: 'An issue type for which a re-check of a web page found fewer occurrences, or none.',
  id: Type.String({ examples: ['17'] }),
  attributes: Type.Object({
    ...IDENTIFIED_ISSUE,
    message: Type.With(NAMED_ISSUE.message, {
      description: 'The start of the message, or of the help text of the rule.',
    }),
    how_many: count('Number of its occurrences that were fixed.', { examples: [2] }),
  }),
  relationships: {
    web_page: { description: 'The web page.', path: '/reports/{report_id}/web_pages/{web_page_id}' },
  },
  self: 'never',
});

const META = Type.Object({
  unlisted: count('Fixed occurrences of issue types that are not in the list.', { examples: [0] }),
});

export const FIXED_ISSUE_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/reports/{report_id}/web_pages/{web_page_id}/fixed_issues',
    summary: 'List what the last re-check of a web page fixed',
    description: `Returns issue types in document order, grouped by check: at most ${FIXED_ISSUES_MAX} for each check. Empty if the page was not checked again.`,
    additive: true,
    params: WEB_PAGE_PARAMS,
    query: PAGING_QUERY,
    answers: { ...listOf(FIXED_ISSUE), meta: META },
    subject: webPageToRead,
    async answer({ call, subject, paging }) {
      const kinds = kindsSeenBy(call.viewer);
      const page = await listFixedIssues(call.db, subject.id, kinds, paging);
      const fixed = kinds.reduce((sum, kind) => sum + (subject.checks[kind]?.recheck?.fixed ?? 0), 0);
      const webPage = call.links(`/reports/${subject.report_id}/web_pages/${subject.id}`);
      return listed(
        page,
        ({ id, fingerprint, ...attributes }) =>
          resource(FIXED_ISSUE, {
            id,
            attributes: { ...attributes, fingerprint: fingerprint.toString('hex') },
            related: { web_page: webPage },
          }),
        { unlisted: Math.max(0, fixed - page.occurrences) },
      );
    },
  }),
];
