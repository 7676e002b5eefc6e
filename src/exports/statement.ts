import type { EngineDescription } from '../checks/engine-description.ts';
import { engineOf } from '../checks/registry.ts';
import { formatNumber, plural } from '../domain/amounts.ts';
import { fullSentenceOf } from '../domain/failures/failure.ts';
import { VERSION } from '../platform/version.ts';
import type { CommonIssueRow } from '../store/issues/common-issues.ts';
import { htmlHead, linked, shown } from './html.ts';
import { type PageWithIssues, type ReportModel, uncheckedOf } from './report-model.ts';
import { reviewedNote } from './reviewed-note.ts';
import { measuredNote, type StandardScope, scopeOf, titleOf, untestedRulesNote } from './standard-criteria.ts';
import { type StatementFindings, statementFindings } from './statement-findings.ts';
import { type Criterion, criteriaOf } from './wcag.ts';

/** Pages that are listed because they could not be checked. */
const PAGES_MAX = 100;

/** The standard whose criteria are listed if the report has none. */
const USUAL_STANDARD = 'wcag22-aa';

/** Worded to be true even if there are results that readers are not allowed to see. */
const NO_RESULTS = 'There are no results of an accessibility check.';

/** The statement follows the model, whose parts and order are fixed. */
const MODEL =
  '<a href="https://eur-lex.europa.eu/eli/dec_impl/2018/1523/oj" rel="noreferrer">Commission Implementing Decision (EU) 2018/1523</a>';

const NOT_COVERED = [
  'pages that no link leads to, and pages beyond the limits of the report',
  'content that appears after a visitor has done something, such as menus, dialogs and messages that open with a click, and later steps of forms',
  'documents for download, such as PDF and office files',
  'whether audio and video have alternatives that are correct and complete',
  'mobile applications',
];

/**
 * Yields a draft of the accessibility statement that European law requires, as a self-contained web page. It lists failures, and
 * says what was not tested. It never states conformity, which no automated check can show: people complete what is in brackets.
 */
export async function* writeStatement(model: ReportModel): AsyncGenerator<string> {
  const { report } = model;
  const scope = scopeOf(report.standard ?? USUAL_STANDARD);
  // Only engines that test success criteria say anything about a standard.
  const engine = model.engines.find(({ testedTags }) => testedTags !== undefined);
  const isChecked = engine !== undefined && (report.checks[engine.kind]?.checked ?? 0) > 0;
  const item = (issueType: CommonIssueRow): string => itemOf(issueType, model);
  const found = await statementFindings(model, engine, scope);
  yield `${htmlHead(`Accessibility statement for ${report.domain} (draft)`)}<header>\n<h1>Accessibility statement</h1>\n`;
  yield `${noteOn(scope, report.standard !== null)}</header>\n<main>\n${commitmentOf(model)}`;
  yield `<h2>Compliance status</h2>\n${statusOf(scope, found, isChecked)}`;
  yield* nonAccessibleContent(found, scope, isChecked, item);
  yield `<h2>Preparation of this accessibility statement</h2>\n${preparationOf(model, engine, reviewedNote(await model.reviewed()))}`;
  yield* untestedIn(model, engine, scope);
  yield* untestedPages(model, engine);
  yield `${reviewsOf(found, item)}${closing()}</main>\n</body>\n</html>\n`;
}

/** Returns text that a person must replace. */
function todo(text: string): string {
  return `<mark>[${text}]</mark>`;
}

function noteOn({ name }: StandardScope, isChosen: boolean): string {
  const steps = [
    `Have a person evaluate the website. Article 3(1) of the decision requires an actual evaluation, or other measures of equal assurance. Automated checks find only some failures.`,
    'Replace everything in brackets. For each failure, add where it is and what visitors can use instead.',
    `Check whether national law requires a standard other than ${name}, or other words or parts. Translate the statement into the languages of the website.`,
    'Delete this note, publish the statement in an accessible format, and review it at least once a year.',
    ...(isChosen
      ? []
      : [
          `Choose the standard that the law names, such as EN 301 549. The report has none, so this draft lists criteria of ${name}.`,
        ]),
  ];
  return `<h2>Draft: what a person must do before publication</h2>
<p>This draft follows the model in ${MODEL}. It was generated from automated checks and reviewers' decisions.</p>
<ol>\n${steps.map((step) => `<li>${shown(step)}</li>\n`).join('')}</ol>\n`;
}

function commitmentOf({ report }: ReportModel): string {
  return `<h2>Commitment and scope</h2>
<p>${todo('Name of the public sector body')} is committed to making its website accessible, in accordance with ${todo('the national law that transposes Directive (EU) 2016/2102')}.</p>
<p>This accessibility statement applies to ${linked(report.starting_url)} ${todo('and other websites or parts; name any exclusions')}.</p>\n`;
}

/** The model has three choices. All of them claim something that only an evaluation by people shows. */
function statusOf({ name }: StandardScope, { failures }: StatementFindings, isChecked: boolean): string {
  const choice = 'The compliance status in the words of the model, after a person has evaluated the website';
  if (!isChecked) return `<p>${NO_RESULTS} ${todo(choice)}</p>\n`;
  if (failures.size > 0) {
    return `<p>This website is not fully compliant with ${shown(name)}: see the failures below. ${todo(`${choice}: “partially compliant” or “not compliant”`)}</p>\n`;
  }
  return `<p>Automated checks found no failures of ${shown(name)}. This does not show that the website complies with it. ${todo(choice)}</p>\n`;
}

function* nonAccessibleContent(
  { failures, left, notRequired }: StatementFindings,
  { name, isEuropeanLaw }: StandardScope,
  isChecked: boolean,
  item: (issueType: CommonIssueRow) => string,
): Generator<string> {
  yield '<h2>Non-accessible content</h2>\n<p>The content listed below is non-accessible for the following reasons.</p>\n';
  yield `<h3>(a) Non-compliance with ${isEuropeanLaw ? 'the national legislation' : shown(name)}</h3>\n`;
  if (!isEuropeanLaw)
    yield `<p>${todo('The law that applies to the website, and which of these failures it requires to be fixed. In this section, the model statement lists only those failures, under “Non-compliance with the national legislation”')}</p>\n`;
  if (failures.size === 0) yield `<p>${isChecked ? 'Automated checks found no failures.' : NO_RESULTS}</p>\n`;
  for (const [title, issueTypes] of failures) {
    yield `<h4>${shown(title)}</h4>\n<ul>\n`;
    for (const issueType of issueTypes) yield item(issueType);
    yield '</ul>\n';
  }
  if (left > 0) yield `<p>And ${plural(left, 'more issue type')} among the failures and the results to review.</p>\n`;
  if (notRequired > 0) {
    yield `<p>Not listed: ${plural(notRequired, 'issue type')} that ${shown(name)} does not require to be fixed, such as best practices.</p>\n`;
  }
  yield `<p>${todo('Failures that a person has found')}</p>\n<h3>(b) Disproportionate burden</h3>
<p>${todo('Content for which the body temporarily invokes a disproportionate burden within the meaning of Article 5 of the directive, with the assessment; or delete this part')}</p>
<h3>(c) The content is not within the scope of the applicable legislation</h3>
<p>${todo('Content outside the scope, such as office files published before 23 September 2018; or delete this part')}</p>
<p>${todo('Accessible alternatives, where appropriate')}</p>\n`;
}

/** Returns an issue type as an item of a list: what it means for visitors, and how many pages have it. */
function itemOf(issueType: CommonIssueRow, { report }: ReportModel): string {
  const { kind, message, issue_type: type, num_web_pages: pages } = issueType;
  const { words } = engineOf(kind).issues.effectOf(issueType);
  const where = `${formatNumber(pages)} of ${plural(report.checks[kind]?.checked ?? 0, 'checked page')}`;
  const isFailure = type === 'error';
  const found = isFailure
    ? `found${issueType.verdict === 'error' ? ' in a review by a person' : ''}`
    : 'to be reviewed';
  if (words === null) return `<li>${shown(message)}: ${found} on ${where}.</li>\n`;
  // Messages are for developers.
  const rest = todo(`Where it is, and what visitors can use instead. Rule: ${shown(message)}`);
  return `<li>${shown(words)} ${found.replace(/^./, (first) => first.toUpperCase())} on ${where}. ${rest}</li>\n`;
}

function preparationOf(
  { report }: ReportModel,
  engine: EngineDescription | undefined,
  decided: readonly string[],
): string {
  const date = (report.finished_at ?? report.inserted_at).toLocaleDateString('en-GB', {
    ...{ day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' },
  });
  const checked = engine === undefined ? 0 : (report.checks[engine.kind]?.checked ?? 0);
  const early = fullSentenceOf(report.crawl_error);
  const sentences = [
    `Method: automated checks by sitewarden ${VERSION} of ${plural(checked, 'page')}, on ${date}.`,
    ...decided,
    ...measuredNote(report),
    ...(early === null ? [] : [early]),
  ];
  return `<p>This statement was prepared on ${date} ${todo('the day on which it is complete')}.</p>\n<p>${shown(sentences.join(' '))}</p>
<p>${todo('The evaluation by a person: method, date, and who did it. The date of the last review of this statement')}</p>\n`;
}

function* untestedIn(
  { report }: ReportModel,
  engine: EngineDescription | undefined,
  scope: StandardScope,
): Generator<string> {
  const tested = new Set(criteriaOf(engine?.testedTags?.(report.tested_standard) ?? []).map(({ number }) => number));
  const untested = scope.criteria.filter(({ number }) => !tested.has(number)).sort(byNumber);
  yield `<h3>What was not tested</h3>\n<h4>Criteria</h4>\n`;
  const based = scope.name.startsWith('WCAG') ? '' : ` of WCAG ${scope.wcag}, to which ${shown(scope.name)} refers,`;
  yield `<p>${formatNumber(untested.length)} of the ${formatNumber(scope.criteria.length)} success criteria${based} were not tested at all:</p>\n<ul>\n`;
  for (const criterion of untested) yield `<li>${shown(titleOf(criterion, scope))}</li>\n`;
  yield '</ul>\n<p>For the others, rules find only some of the failures.</p>\n';
  if (scope.otherChapters.length > 0)
    yield `<p>No requirement of other chapters of ${shown(scope.name)} was tested.</p>\n`;
  for (const rules of untestedRulesNote(report)) yield `<p>${shown(rules)}</p>\n`;
}

async function* untestedPages(
  { report, pages }: ReportModel,
  engine: EngineDescription | undefined,
): AsyncGenerator<string> {
  yield '<h4>Pages and content</h4>\n<p>The checks did not cover:</p>\n<ul>\n';
  const { failed, pending } = (engine && report.checks[engine.kind]) ?? { failed: 0, pending: 0 };
  if (failed > 0) {
    yield `<li>${plural(failed, 'page')} that could not be checked:\n<ul>\n${await uncheckedItems(pages([]), engine, failed)}</ul>\n</li>\n`;
  }
  if (pending > 0) yield `<li>${plural(pending, 'page')} in the queue</li>\n`;
  if (report.site_access === null) yield '<li>pages that visitors see only after they have signed in</li>\n';
  for (const words of NOT_COVERED) yield `<li>${words}</li>\n`;
  yield '</ul>\n';
}

function byNumber(a: Criterion, b: Criterion): number {
  return a.number.localeCompare(b.number, 'en', { numeric: true });
}

async function uncheckedItems(
  pages: AsyncIterable<PageWithIssues>,
  engine: EngineDescription | undefined,
  failed: number,
): Promise<string> {
  const items: string[] = [];
  for await (const { page } of pages) {
    for (const { reason } of engine === undefined ? [] : uncheckedOf(page, [engine])) {
      items.push(`<li>${linked(page.url)}: ${shown(reason)}</li>\n`);
    }
    if (items.length >= PAGES_MAX) break;
  }
  const left = failed - items.length;
  return items.join('') + (left > 0 ? `<li>${plural(left, 'more page')}</li>\n` : '');
}

function reviewsOf({ reviews }: StatementFindings, item: (issueType: CommonIssueRow) => string): string {
  if (reviews.length === 0) return '';
  return `<h4>Results that a person must review</h4>\n<p>Automated checks could not decide whether these are failures:</p>
<ul>\n${reviews.map(item).join('')}</ul>\n`;
}

function closing(): string {
  return `<h2>Feedback and contact information</h2>
<p>${todo('A description of, and a link to, the feedback mechanism, with which visitors report failures and request information that is not accessible')}</p>
<p>${todo('The contact information of the people or units that are responsible for accessibility and for these requests')}</p>
<h2>Enforcement procedure</h2>
<p>${todo('A description of, and a link to, the enforcement procedure for an unsatisfactory response to a report or a request')}</p>
<p>${todo('The contact information of the enforcement body')}</p>\n`;
}
