import Type from 'typebox';
import { accessTo, mayRead } from '../../accounts/access.ts';
import { nullable, UUID_EXAMPLE } from '../../domain/schemas.ts';
import { compareWith } from '../../reports/compute-insights.ts';
import type { Executor } from '../../store/database.ts';
import type { KeptDiff } from '../../store/diffs/diffs.ts';
import type { PageMatch } from '../../store/diffs/page-match.ts';
import { areOfDifferentSites } from '../../store/reports/previous-report.ts';
import type { ReportWithChecks } from '../../store/reports/reports.ts';
import type { ResultsAt } from '../../store/reports/results-at-end.ts';
import { uuid } from '../attributes/parameters.ts';
import type { Call } from '../http/endpoint.ts';
import { parameterProblem, RequestError } from '../jsonapi/errors.ts';
import { reportToRead } from './report.ts';

/** Which reports a client compares, for lists of changed issues and pages. */

/** The reports to compare. */
export const WITH = {
  with: Type.Optional(
    Type.String({
      default: 'previous',
      description:
        'The report to compare with: its id, or `previous` for the previous finished report of the same site. Pages of reports of different origins, such as staging and production, are matched by path.',
      examples: [UUID_EXAMPLE],
    }),
  ),
};
export const AT = {
  at: Type.Optional(
    Type.Enum(['end', 'now'], {
      default: 'end',
      description:
        'Which results of this report to compare: `end`, the results when it ended, or `now`, the current results after re-checks and mutings. The earlier report is always compared as it was when it ended.',
      examples: ['now'],
    }),
  ),
};
export const COMPARED = {
  with: nullable(
    Type.String(),
    'The id of the earlier report; null if there is none that you can read, or if the comparison is not computed yet.',
    {
      examples: [UUID_EXAMPLE],
    },
  ),
  matched_by: nullable(
    Type.Enum(['url', 'path']),
    'How the pages of the two reports are matched: by `url`; or by `path`, the part of the URL after the host, because the reports are of different origins, such as staging and production. Null if `with` is null.',
    { examples: ['url'] },
  ),
  other_site: nullable(
    Type.Boolean(),
    'Whether the two reports are of different sites, so that differences are not changes to one site over time: `new` is what only this report has, and `fixed` what only the other report has. Null if `with` is null.',
    { examples: [false] },
  ),
};

/** Returns what lists of changes say about the reports that are compared. @param withId null for none */
export async function comparedOf(
  db: Executor,
  reportId: string,
  withId: string | null,
  match: PageMatch | null,
): Promise<{ with: string | null; matched_by: 'url' | 'path' | null; other_site: boolean | null }> {
  return {
    with: withId,
    matched_by: match && matchedBy(match),
    other_site: withId === null ? null : await areOfDifferentSites(db, reportId, withId),
  };
}

export const matchedBy = ({ origins }: PageMatch): 'url' | 'path' => (origins === null ? 'url' : 'path');

/** What the client wants to compare. */
export interface Compared {
  readonly with: string | undefined;
  readonly at: ResultsAt;
}

/**
 * Returns the diff of a report with the report that the client has chosen.
 * @returns undefined until the diff exists, if there is no previous report, or if the viewer may not read it
 */
export async function diffToRead(
  call: Call,
  report: ReportWithChecks,
  { with: given = 'previous', at }: Compared,
): Promise<KeptDiff | undefined> {
  const of = accessTo(report, call.viewer) === 'all' ? 'owner' : 'reader';
  if (given !== 'previous') {
    const id = uuid(given);
    if (id === null)
      throw new RequestError('invalid_parameter', [parameterProblem('with', 'must be a report id or previous')]);
    return compareWith(call.db, report, (await reportToRead(call, { report_id: id })).id, at, of);
  }
  const diff = await compareWith(call.db, report, given, at, of);
  if (diff === undefined || !(await mayRead(call.db, call.viewer, diff.with_id))) return undefined;
  return diff;
}

export const comparedIn = (query: { readonly with?: string; readonly at?: ResultsAt }): Compared => ({
  with: query.with,
  at: query.at ?? 'end',
});
