import { effectAttributes } from '../api/attributes/issue-type.ts';
import { REPORT_JSON_VERSION } from '../api/openapi/report-schema.ts';
import { commonIssueAttributes } from '../api/resources/common-issue.ts';
import { discoveredUrlAttributes } from '../api/resources/discovered-url.ts';
import { issueAttributesInSteps } from '../api/resources/issue.ts';
import { reportAttributes } from '../api/resources/report-resource.ts';
import { visiblePage, webPageAttributes } from '../api/resources/web-page.ts';
import { effectOfError } from '../checks/registry.ts';
import { createPace, slicesOf } from '../platform/slices.ts';
import type { Executor } from '../store/database.ts';
import type { ListedFix } from '../store/issues/fixes.ts';
import { rowsOf } from '../store/listing.ts';
import { listDiscoveredUrls } from '../store/reports/discovered-urls.ts';
import type { CheckOutcome } from './check-outcome.ts';
import type { ExportedIssue, PageWithIssues, ReportModel } from './report-model.ts';

/**
 * Yields a report as JSON: `docs/schemas/report-1.json`. Resources have the attributes of the API and, if they have a URL there,
 * their ids. Lists of checks that are not enabled are absent.
 * @param check the verdict of `check`, and the diff with a baseline as JSON; null for none
 */
export async function* writeJson(
  db: Executor,
  model: ReportModel,
  { diff, outcome }: { diff: AsyncIterable<string> | null; outcome: CheckOutcome | null },
): AsyncGenerator<string> {
  const { report, engines } = model;
  yield `{"version":${REPORT_JSON_VERSION},\n"report":${JSON.stringify({ id: report.id, ...reportAttributes(report) })}`;
  for (const engine of engines) {
    yield `,\n"common_${engine.kind}_issues":`;
    yield* arrayOf(model.issueTypes(engine), (issue) => ({
      id: String(issue.id),
      ...commonIssueAttributes(engine, issue),
    }));
  }
  const verdict = outcome === null ? null : { passed: outcome.isPassed, sentence: outcome.verdict };
  yield `,\n"verdict":${JSON.stringify(verdict)}`;
  yield `,\n"fixes":${JSON.stringify((await model.fixes()).map(shownFix))}`;
  yield `,\n"fixes_left_out":${await model.causesLeftOut()},\n"comparison":`;
  if (diff === null) yield 'null';
  else yield* diff;
  yield ',\n"web_pages":';
  const pace = createPace();
  let separator = '[\n';
  for await (const page of model.pages()) {
    yield separator;
    for (const piece of pageJson(page, model)) {
      if (piece !== '') yield piece;
      await pace();
    }
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]' : '\n]';
  yield ',\n"discovered_urls":';
  const order = { key: 'position', direction: 'asc' } as const;
  yield* arrayOf(
    rowsOf((page) => listDiscoveredUrls(db, report, {}, order, page)),
    discoveredUrlAttributes(report),
  );
  yield '}\n';
}

/** The attributes of the API's `fix`, and the ids of the resources that it is related to. */
function shownFix(fix: ListedFix) {
  return {
    kind: fix.kind,
    common_issue_id: String(fix.common_issue_id),
    cluster: fix.cluster.toString('hex'),
    message: fix.message,
    ...effectAttributes(effectOfError(fix)),
    markup: fix.markup,
    markup_differs: fix.markup_differs,
    cause: fix.cause,
    style_rule: fix.style_rule,
    background_rule: fix.background_rule,
    edited_color: fix.edited_color,
    selector: fix.selector,
    web_page_id: String(fix.sample_page_id),
    how_many: fix.how_many,
    num_web_pages: fix.num_web_pages,
    position: fix.position,
    passing_before: fix.passing_before,
    passing_after: fix.passing_after,
    passing_before_plan: fix.passing_before_plan,
    passing_after_plan: fix.passing_after_plan,
    errors: fix.errors,
    also: fix.also.map((issue) => ({ ...issue, common_issue_id: String(issue.common_issue_id) })),
  };
}

/** Yields a page in pieces, since its issues may have 100,000 occurrences each. While these are rendered, pieces are empty. */
function* pageJson({ page, issues }: PageWithIssues, { report, engines }: ReportModel): Generator<string> {
  const attributes = { id: String(page.id), ...webPageAttributes(visiblePage(page, report.checks), report) };
  yield JSON.stringify(attributes).slice(0, -1);
  for (const { kind } of engines) {
    let separator = `,"${kind}_issues":[`;
    for (const issue of issues.filter((each) => each.kind === kind)) {
      yield separator;
      yield* issueJson(issue);
      separator = ',';
    }
    yield separator === ',' ? ']' : `${separator}]`;
  }
  yield '}';
}

function* issueJson(issue: ExportedIssue): Generator<string> {
  const occurrences = { ...issue, slices: issue.slices() };
  const steps = issueAttributesInSteps(issue.engine, occurrences, { url: issue.page_url }, issue.marks);
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) yield '';
  const resource = { id: String(issue.id), ...step.value };
  if (resource.how_many - resource.omitted <= ITEMS_MAX) yield JSON.stringify(resource);
  else yield* piecesOf(resource);
}

/** Items of an array that are written at a time. */
const ITEMS_MAX = 200;

/** Yields an object as JSON, with its long arrays in slices. */
function* piecesOf(value: object): Generator<string> {
  let separator = '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (!Array.isArray(member) || member.length <= ITEMS_MAX) {
      yield JSON.stringify(member);
      continue;
    }
    let before = '[';
    for (const slice of slicesOf(member, ITEMS_MAX)) {
      yield before + JSON.stringify(slice).slice(1, -1);
      before = ',';
    }
    yield ']';
  }
  yield '}';
}

async function* arrayOf<Row>(rows: AsyncIterable<Row>, render: (row: Row) => object): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const row of rows) {
    yield separator + JSON.stringify(render(row));
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]' : '\n]';
}
