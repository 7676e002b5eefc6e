import Type from 'typebox';
import { PRESENT_CHANGES } from '../../../packages/client/changes.ts';
import { NO_CODE } from '../../../packages/client/occurrences.ts';
import type { EngineDescription } from '../../checks/engine-description.ts';
import { occurrenceTextMaxCharacters } from '../../checks/limits.ts';
import { OCCURRENCE_MARKS } from '../../checks/occurrence-marks.ts';
import { nullable, webAddress } from '../../domain/schemas.ts';
import { shortened } from '../../platform/shorten.ts';
import {
  CHANGED_OCCURRENCES_MAX,
  type ChangedOccurrence,
  changesOfOccurrences,
  listChangedOccurrences,
} from '../../reports/list-changed-occurrences.ts';
import type { Executor } from '../../store/database.ts';
import type { CommonIssueRow, MutedChoice } from '../../store/issues/common-issues.ts';
import { listOccurrences } from '../../store/issues/occurrence-list.ts';
import type { Occurrence } from '../../store/issues/occurrences.ts';
import type { ListPage } from '../../store/listing.ts';
import { decisionAttributes, ISSUE_DECISION } from '../attributes/decision-attributes.ts';
import { failureSummaryMaxCharacters } from '../attributes/limits.ts';
import { MUTED_FILTER, paramsInReport, textFilter } from '../attributes/parameters.ts';
import { type Call, type Endpoint, endpoint, listed, listOf } from '../http/endpoint.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { parameterProblem, RequestError } from '../jsonapi/errors.ts';
import { choiceParameter, chosenOf, PAGING, type Paging } from '../jsonapi/query.ts';
import { type AttributesOf, resourceType } from '../jsonapi/resource-type.ts';
import { commonIssueIn } from './common-issue.ts';
import { reportToRead } from './report.ts';

export const OCCURRENCE_FIELDS = {
  id: Type.String({ description: 'The id of its issue and its position in the issue, from 0.', examples: ['4711-0'] }),
  webPageId: Type.String({ description: 'The id of its web page.', examples: ['4711'] }),
  url: webAddress('The URL of its web page.'),
  line: nullable(
    Type.Integer({ minimum: 1 }),
    'The line in the source where it starts, counted from 1; null if not known.',
    { examples: [12] },
  ),
  column: nullable(Type.Integer({ minimum: 1 }), 'The column, from 1, in UTF-16 code units; null if not known.', {
    examples: [5],
  }),
};

/** An occurrence that represents others. */
export const SAMPLE = {
  web_page_id: OCCURRENCE_FIELDS.webPageId,
  url: OCCURRENCE_FIELDS.url,
  occurrence: Type.String({ ...OCCURRENCE_FIELDS.id, description: 'The id of the occurrence.' }),
  line: OCCURRENCE_FIELDS.line,
  column: OCCURRENCE_FIELDS.column,
};

const TEXT = `Shortened in the middle, with \`…\`, to ${occurrenceTextMaxCharacters} characters.`;

/** What the occurrences of a cluster or a fix have in common, if it is not the markup. */
export const CAUSE = nullable(
  Type.String(),
  'What has to be edited, if it is not the element: the colors of text and background if their contrast is insufficient, or the start tag of another element, such as the image in a link without a name, or the element that has to become a landmark. Null if the element itself has to be edited.',
  { examples: ['#777777 on #ffffff', '<div class="container">', null] },
);

const EXAMPLE_RULE = {
  ...{ selector: '.navbar .nav-link', url: 'https://example.com/style.css', line: 12, column: 1 },
  ...{ property: 'color', value: '#777777' },
};

function styleRule(description: string) {
  return nullable(
    Type.Object({
      selector: Type.String({ description: 'Its selector, shortened.', examples: ['.navbar .nav-link'] }),
      url: nullable(Type.String(), 'The URL of its style sheet; null for a style sheet in the page.', {
        examples: ['https://example.com/style.css'],
      }),
      line: nullable(
        Type.Integer({ minimum: 1 }),
        'The line of its selector in the style sheet, or in the source of the page; null if it is not known.',
        { examples: [12] },
      ),
      column: nullable(Type.Integer({ minimum: 1 }), 'The column, from 1, in UTF-16 code units.', { examples: [1] }),
      property: Type.String({
        description:
          'The property that has the color: `color`, `background-color`, `background`, or the custom property that they refer to with `var()`.',
        examples: ['color', '--muted'],
      }),
      value: nullable(Type.String(), 'Its value, shortened; null in reports that an earlier version checked.', {
        examples: ['#777777'],
      }),
    }),
    description,
    { examples: [EXAMPLE_RULE, null] },
  );
}

/** What sets the colors of an occurrence with insufficient contrast. */
export const COLOR_RULES = {
  style_rule: styleRule(
    'The style rule that sets the color of the text; in a fix or a cluster, of its first occurrence. Null if it is not known, for example because its style sheet is on another host, and for other issues.',
  ),
  background_rule: styleRule(
    'The style rule that sets the color of the background, of the element or of an element behind it; in a fix or a cluster, of its first occurrence. Null if it is not known, and for other issues.',
  ),
  edited_color: nullable(
    Type.Enum(['text', 'background']),
    'The color to edit. The same rule sets it for all occurrences of the fix or cluster, `style_rule` for `text` and `background_rule` for `background`, so one edit fixes them all. It is the background if even white (for light text) or black (for dark text) would not have enough contrast. Null if the rule is not known: the occurrences are then grouped by their colors. Null for other issues.',
    { examples: ['text', null] },
  ),
};

/** The attributes that a cluster and each of its occurrences share. */
export const MARKUP = {
  markup: Type.String({
    description: `The start tag or other source code of the issue; the URL for links. ${TEXT}`,
    examples: ['<img src="/logo.png">'],
  }),
  selector: nullable(
    Type.String(),
    `The selector of the element, through frames and shadow roots with \`>>\`; null for checks without selectors. ${TEXT}`,
    { examples: ['header > img'] },
  ),
  cause: CAUSE,
  ...COLOR_RULES,
};

export const CLUSTER_ID = Type.String({
  pattern: '^[0-9a-f]{16}$',
  description:
    'Identifies occurrences of one issue type with the same markup or the same `cause`, in all reports. Numbers in ids are ignored, so different common issues can have clusters with the same id.',
  examples: ['0f3a5b8c1d2e4f60'],
});

const OCCURRENCE = resourceType('occurrence', {
  description: 'An occurrence of a common issue on one of its pages.',
  id: OCCURRENCE_FIELDS.id,
  attributes: Type.Object({
    web_page_id: OCCURRENCE_FIELDS.webPageId,
    url: OCCURRENCE_FIELDS.url,
    ...MARKUP,
    extract: nullable(
      Type.String(),
      `The source code around the occurrence; null for checks that report elements or links. ${TEXT}`,
      { examples: ['<div id="main"><img src="/logo.png">'] },
    ),
    line: OCCURRENCE_FIELDS.line,
    column: OCCURRENCE_FIELDS.column,
    box: nullable(
      Type.Array(Type.Integer(), { minItems: 4, maxItems: 4 }),
      '`[x, y, width, height]` in CSS pixels from the top left corner of the page; null if the element is invisible or in a frame, and for checks that do not report elements.',
      { examples: [[16, 24, 120, 40], null] },
    ),
    reached_by: nullable(
      Type.String(),
      `How to reach the state of the page that has the issue; null for the page as it is when nothing has been opened. ${TEXT}`,
      { examples: ['Click the button “Menu”', null] },
    ),
    failure_summary: nullable(
      Type.String(),
      `What to fix, in sentences; null if the message says it. Shortened in the middle, with \`…\`, to ${failureSummaryMaxCharacters} characters.`,
      { examples: ['Fix any of the following:\n  Element does not have an alt attribute', null] },
    ),
    change: OCCURRENCE_MARKS.change,
    recheck: OCCURRENCE_MARKS.recheck,
    ...ISSUE_DECISION,
    cluster: Type.String({ ...CLUSTER_ID, description: 'The id of its cluster.' }),
  }),
  relationships: {
    web_page: { description: 'Its web page.', path: '/reports/{report_id}/web_pages/{web_page_id}' },
    issue: {
      description: 'The issue of its web page, with all occurrences on that page.',
      path: '/reports/{report_id}/web_pages/{web_page_id}/html_issues/{html_issue_id}',
    },
  },
  self: 'never',
});

const NOT_KEPT = { markup: '', ...NO_CODE };

/** Returns an occurrence as lists show it, with its strings shortened. */
export function shownOccurrence({ issues }: EngineDescription, { url, found }: Occurrence) {
  const [occurrence = NOT_KEPT] = found === null ? [] : issues.shownOccurrences({ url, occurrences: [found] });
  const { markup, selector, cause, extract, line, column, box, failureSummary, reachedBy } = occurrence;
  return {
    line,
    column,
    box: box && [...box],
    reached_by: reachedBy && shortened(reachedBy, occurrenceTextMaxCharacters),
    failure_summary: failureSummary && shortened(failureSummary, failureSummaryMaxCharacters),
    markup: shortened(markup, occurrenceTextMaxCharacters),
    selector: selector && shortened(selector, occurrenceTextMaxCharacters),
    cause,
    style_rule: occurrence.styleRule,
    background_rule: occurrence.backgroundRule,
    edited_color: occurrence.editedColor,
    extract: extract && shortened(extract, occurrenceTextMaxCharacters),
  };
}

/** Returns an occurrence as the representative of others. */
export function shownSample(engine: EngineDescription, sample: Occurrence) {
  const { line, column } = shownOccurrence(engine, sample);
  return { web_page_id: String(sample.web_page_id), url: sample.url, occurrence: occurrenceId(sample), line, column };
}

/** Returns the id of an occurrence. */
export function occurrenceId({ issue_id, position }: Occurrence): string {
  return `${issue_id}-${position}`;
}

/** The endpoint of the occurrences of an engine's common issues. */
export function occurrenceEndpoints(engine: EngineDescription): Endpoint[] {
  const { kind, words, isPro } = engine;
  const idName = `common_${kind}_issue_id`;
  return [
    endpoint({
      method: 'GET',
      path: `/reports/{report_id}/common_${kind}_issues/{${idName}}/occurrences`,
      summary: `List the occurrences of a common ${words} issue`,
      description: 'Returns the occurrences on all pages of the report, in page order, then in document order.',
      pro: isPro,
      additive: true,
      params: paramsInReport(idName),
      query: Type.Object({
        ...PAGING,
        'filter[url]': textFilter('`url` or `reached_url` of the page', '/shop/'),
        'filter[cluster]': Type.Optional(
          Type.String({ ...CLUSTER_ID, description: 'Only occurrences in the cluster with this id.' }),
        ),
        'filter[change]': choiceParameter(PRESENT_CHANGES, {
          description: 'Only occurrences that changed this way since the previous report',
          remark: `They are sorted in this order, then by page. Occurrences on pages that were checked again are not included until the diff with the previous report is recomputed. With \`filter[cluster]\`, at most ${CHANGED_OCCURRENCES_MAX} occurrences are compared. If there are more, add \`filter[url]\`.`,
        }),
        ...MUTED_FILTER,
      }),
      answers: listOf(OCCURRENCE),
      subject: reportToRead,
      async answer({ call, query, subject, paging }) {
        const common = await commonIssueIn(call, subject.id, kind, query['filter[muted]'] ?? 'false');
        const page = await occurrencesOf(call, common, query, paging);
        return listed(page, (row) => occurrenceResource(engine, row, call, common));
      },
    }),
  ];
}

interface Filters {
  readonly 'filter[muted]'?: MutedChoice;
  readonly 'filter[url]'?: string;
  readonly 'filter[cluster]'?: string;
  readonly 'filter[change]'?: string;
}

async function occurrencesOf(
  { db }: Call,
  common: CommonIssueRow,
  query: Filters,
  paging: Paging,
): Promise<ListPage<ChangedOccurrence>> {
  const { 'filter[muted]': muted = 'false', 'filter[url]': url, 'filter[cluster]': cluster } = query;
  const filter = { muted, url, cluster };
  const change = query['filter[change]'];
  if (change === undefined) {
    const { total, rows } = await listOccurrences(db, common, filter, paging);
    return { total, rows: await withChanges(db, common, rows) };
  }
  const page = await listChangedOccurrences(db, common, filter, chosenOf(change, PRESENT_CHANGES), paging);
  if (page !== null) return page;
  const title = `would have to compare more than ${CHANGED_OCCURRENCES_MAX} occurrences; add filter[url]`;
  throw new RequestError('invalid_parameter', [parameterProblem('filter[change]', title)]);
}

/** Adds the changes of the occurrences since the previous report. */
async function withChanges(
  db: Executor,
  common: CommonIssueRow,
  rows: readonly Occurrence[],
): Promise<ChangedOccurrence[]> {
  const issues = [...Map.groupBy(rows, ({ issue_id: id }) => id).values()];
  const changes = await changesOfOccurrences(
    db,
    common,
    issues.flatMap((occurrences) => (occurrences[0] === undefined ? [] : [{ ...occurrences[0], occurrences }])),
  );
  return issues.flat().map((occurrence, index) => ({ ...occurrence, change: changes[index] ?? null }));
}

function occurrenceResource(
  engine: EngineDescription,
  row: ChangedOccurrence,
  call: Call,
  common: CommonIssueRow,
): Resource {
  const webPage = call.links(`/reports/${common.report_id}/web_pages/${row.web_page_id}`);
  const attributes: AttributesOf<typeof OCCURRENCE> = {
    web_page_id: String(row.web_page_id),
    url: row.url,
    ...shownOccurrence(engine, row),
    change: row.change,
    recheck: row.recheck,
    ...decisionAttributes(row.decision),
    cluster: row.cluster,
  };
  return resource(OCCURRENCE, {
    id: occurrenceId(row),
    attributes,
    related: { web_page: webPage, issue: `${webPage}/${engine.kind}_issues/${row.issue_id}` },
  });
}
