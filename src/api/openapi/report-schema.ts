import Type, { type TObject, type TSchema } from 'typebox';
import { CHANGES } from '../../../packages/client/changes.ts';
import { ENGINES } from '../../checks/registry.ts';
import { count, nullable } from '../../domain/schemas.ts';
import { commonIssueType } from '../resources/common-issue.ts';
import { DISCOVERED_URL } from '../resources/discovered-url.ts';
import { FIX, FIXES_LEFT_OUT } from '../resources/fix.ts';
import { issueType } from '../resources/issue.ts';
import { ISSUE_CHANGE } from '../resources/issue-change.ts';
import { REPORT } from '../resources/report-resource.ts';
import { WEB_PAGE } from '../resources/web-page.ts';
import { withTypeOfEnum } from './openapi.ts';

/** The version of the format `json`. It changes when a member is removed or changes its meaning, not when a member is added. */
export const REPORT_JSON_VERSION = 1;

/** The name of the schema, in `docs/schemas` and at `/api/v1/schemas`. */
export const REPORT_SCHEMA_NAME = `report-${REPORT_JSON_VERSION}.json`;

const FIX_ATTRIBUTES = Type.Omit(FIX.attributes, ['rule_id', 'impact', 'tags']).properties;
/** What a comparison with a baseline contains about changed issues. */
const CHANGE_ATTRIBUTES = Type.Omit(ISSUE_CHANGE.attributes, ['rule_id', 'impact', 'sample']).properties;

const OCCURRENCES_OF_CHANGE = Type.Optional(
  Type.Array(Type.Object({ url: Type.String({ description: 'The URL of the page.' }) }), {
    description: 'The first new occurrences.',
  }),
);

const VERDICT = Type.Object({
  passed: Type.Boolean({ description: 'Whether the exit status is 0.' }),
  sentence: Type.String({ description: 'The verdict with its numbers.' }),
});

const COMPARISON = Type.Object({
  baseline: Type.String({ description: 'The file or report that it was compared with.' }),
  changes: Type.Partial(
    Type.Object(Object.fromEntries(CHANGES.map((change) => [change, count('Occurrences with this change.')]))),
    { description: 'Numbers of occurrences.' },
  ),
  engines: Type.Object(
    { before: Type.Object({}), now: Type.Object({}) },
    { description: 'The versions of the engines, by type of check.' },
  ),
  issues: Type.Array(
    Type.Object({
      ...CHANGE_ATTRIBUTES,
      issue_type: nullable(CHANGE_ATTRIBUTES.issue_type, 'The certainty; null if it is no longer known.'),
      message: nullable(Type.String(), 'The message, or the help text of the rule; null if it is no longer known.'),
      occurrences: OCCURRENCES_OF_CHANGE,
    }),
    { description: 'The issue types by change.' },
  ),
});

/** Returns the JSON Schema of a report in the format `json`: what the API shows of its resources, in one document. */
export function reportJsonSchema(): object {
  const ofEngines = (name: (kind: string) => string, list: (engine: (typeof ENGINES)[number]) => TSchema) =>
    Object.fromEntries(ENGINES.map((engine) => [name(engine.kind), Type.Optional(list(engine))]));
  const schema = Type.Object(
    {
      version: Type.Literal(REPORT_JSON_VERSION, { description: 'The version of this format.' }),
      report: identified(REPORT),
      ...ofEngines(
        (kind) => `common_${kind}_issues`,
        (engine) =>
          Type.Array(identified(commonIssueType(engine)), { description: issuesAbout(engine.words, 'issue types') }),
      ),
      fixes: Type.Array(
        Type.Object({ ...FIX_ATTRIBUTES, common_issue_id: Type.String(), web_page_id: Type.String() }),
        { description: FIX.description },
      ),
      fixes_left_out: Type.Optional(FIXES_LEFT_OUT),
      verdict: Type.Optional(
        nullable(VERDICT, 'Whether the report passes `check`, like its exit status; null in exports from the API.'),
      ),
      comparison: nullable(
        COMPARISON,
        'The changes since the baseline of `check --baseline`; null without a baseline.',
      ),
      web_pages: Type.Array(
        Type.Object({
          ...identified(WEB_PAGE).properties,
          ...ofEngines(
            (kind) => `${kind}_issues`,
            (engine) => Type.Array(identified(issueType(engine)), { description: issuesAbout(engine.words, 'issues') }),
          ),
        }),
        { description: 'The pages in the order in which they were found, with their issues.' },
      ),
      discovered_urls: Type.Array(DISCOVERED_URL.attributes, {
        description: 'Every URL that was found, with its outcome.',
      }),
    },
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'A sitewarden report',
      description:
        'A report in the format `json`. Resources have the attributes of the API. Members may be added within a version.',
    },
  );
  // Drops the symbols of the schema library.
  return JSON.parse(JSON.stringify(schema), withTypeOfEnum);
}

function issuesAbout(words: string, what: 'issues' | 'issue types'): string {
  return `The ${words} ${what} that are not muted. Absent without ${words} checks.`;
}

/** The attributes of a resource, and its id. */
function identified({ id, attributes }: { readonly id: TSchema; readonly attributes: TObject }): TObject {
  return Type.Object({ id, ...attributes.properties });
}
