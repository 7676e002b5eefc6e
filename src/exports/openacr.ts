import { belongsTo } from '../../packages/client/standards.ts';
import { formatNumber, plural } from '../domain/amounts.ts';
import { fullSentenceOf } from '../domain/failures/failure.ts';
import { oneLine } from '../platform/shorten.ts';
import { VERSION } from '../platform/version.ts';
import type { CommonIssueRow } from '../store/issues/common-issues.ts';
import type { ReportModel } from './report-model.ts';
import { reviewedNote } from './reviewed-note.ts';
import { measureNotes, type StandardScope, scopeOf } from './standard-criteria.ts';
import { messageMaxCharacters } from './texts.ts';
import { type Criterion, criteriaOf, failedTags, WCAG_CRITERIA, WCAG_LEVELS } from './wcag.ts';

/** Issue types that the notes on a criterion name, and characters of the message of each. */
const ISSUE_TYPES_MAX = 5;
const MESSAGE_MAX_CHARACTERS = 200;

const NOTICE =
  'A draft based on automated checks, which find only some barriers. Criteria that are not evaluated may or may not be met: a person must evaluate all of them before publication.';

/** The scope for a report without a standard: WCAG 2.2 at all levels, and 4.1.1, which the catalog has. */
const USUAL = { catalog: '2.5-edition-wcag-2.2-en', criteria: WCAG_CRITERIA, otherChapters: [] };

const OTHER_CHAPTER = 'Not evaluated: automated checks cover only the success criteria, and only for the web.';

interface Findings {
  /** Issue types by the number of the criterion that they violate. */
  readonly byNumber: ReadonlyMap<string, readonly CommonIssueRow[]>;
  /** Failures of the report's standard whose rules name none of the criteria. */
  readonly others: readonly CommonIssueRow[];
}

/**
 * Yields the draft of an accessibility conformance report as OpenACR, in YAML. Automated checks can show that a criterion is not
 * met, and never that it is, so all others are not evaluated. The report's standard decides which criteria it has.
 */
export async function* writeOpenacr(model: ReportModel): AsyncGenerator<string> {
  const { report } = model;
  const scope = report.standard === null ? null : scopeOf(report.standard);
  const { catalog, criteria, otherChapters } = scope ?? USUAL;
  const findings = await findingsOf(model, scope);
  const address = oneLine(report.starting_url, messageMaxCharacters);
  yield `# ${NOTICE}
title: ${quoted(`${report.domain} Accessibility Conformance Report`)}
product:
  name: ${quoted(report.domain)}
  description: ${quoted(address)}
author:
  # OpenACR requires the address of the evaluator.
  email: ""
report_date: ${quoted((report.finished_at ?? report.inserted_at).toISOString().slice(0, 10))}
version: 1
catalog: ${catalog}
notes: ${quoted(scope === null ? NOTICE : notesOn(scope, model, findings))}
evaluation_methods_used: ${quoted(oneLine([methodsOf(model), ...reviewedNote(await model.reviewed())].join(' '), messageMaxCharacters))}
chapters:
`;
  for (const level of WCAG_LEVELS) {
    const ofLevel = criteria.filter((criterion) => criterion.level === level);
    if (ofLevel.length > 0) yield `  success_criteria_level_${level.toLowerCase()}:\n    criteria:\n`;
    for (const criterion of ofLevel) yield await criterionYaml(criterion, model, findings);
  }
  for (const chapter of otherChapters) yield `  ${chapter}:\n    notes: ${quoted(OTHER_CHAPTER)}\n`;
}

/** The standard that the report was measured against, and what the tables of criteria do not show. */
function notesOn({ name }: StandardScope, { report }: ReportModel, { others }: Findings): string {
  return [
    NOTICE,
    ...measureNotes(report),
    ...(others.length === 0 ? [] : [`Failures of ${name} that map to no criterion in this catalog: ${named(others)}`]),
  ].join(' ');
}

async function findingsOf(model: ReportModel, scope: StandardScope | null): Promise<Findings> {
  const byNumber = new Map<string, CommonIssueRow[]>();
  const others: CommonIssueRow[] = [];
  const numbers = new Set((scope ?? USUAL).criteria.map(({ number }) => number));
  for (const engine of model.engines) {
    for await (const issueType of model.issueTypes(engine)) {
      const { tags, issue_type: type } = issueType;
      const criteria = criteriaOf(failedTags(issueType)).filter(({ number }) => numbers.has(number));
      for (const { number } of criteria) byNumber.getOrInsertComputed(number, () => []).push(issueType);
      const isOther = criteria.length === 0 && type === 'error' && scope !== null && belongsTo(scope.standard, tags);
      if (isOther) others.push(issueType);
    }
  }
  return { byNumber, others };
}

function methodsOf({ report, engines }: ReportModel): string {
  const checks = engines.map(({ kind, words }) => `${words} checks of ${report.checks[kind]?.checked ?? 0} pages`);
  const early = report.crawl_error === null ? '' : ` ${fullSentenceOf(report.crawl_error)}`;
  return `Automated checks by sitewarden ${VERSION}, of ${report.num_pages} pages found: ${checks.join(', ')}.${early}`;
}

async function criterionYaml({ number, name }: Criterion, model: ReportModel, findings: Findings): Promise<string> {
  const { level, notes } = await adherenceTo(findings.byNumber.get(number) ?? [], model);
  return `      - num: "${number}" # ${name}
        components:
          - name: web
            adherence:
              level: ${level}
              notes: ${quoted(notes)}
`;
}

/**
 * A criterion that fails on most pages is not supported; on fewer, it is partially supported: the number of pages on which it
 * fails is known, but not the number on which it is met.
 */
async function adherenceTo(found: readonly CommonIssueRow[], model: ReportModel) {
  const failures = found.filter(({ issue_type: type }) => type === 'error');
  const reviews = found.filter(({ issue_type: type }) => type !== 'error');
  const review = reviews.length === 0 ? '' : `Needs review: ${named(reviews)}`;
  if (failures.length === 0) return { level: 'not-evaluated', notes: review };
  const failing = await model.pagesWith(failures);
  const checked = Math.max(...failures.map(({ kind }) => model.report.checks[kind]?.checked ?? 0));
  const level = failing * 2 > checked ? 'does-not-support' : 'partially-supports';
  return {
    level,
    notes:
      `Automated checks${failures.some(({ verdict }) => verdict === 'error') ? ' and a review by people' : ''} found failures on ${formatNumber(failing)} of ${plural(checked, 'page')}: ${named(failures)} ${review}`.trim(),
  };
}

function named(issueTypes: readonly CommonIssueRow[]): string {
  const texts = issueTypes
    .slice(0, ISSUE_TYPES_MAX)
    .map(({ message, verdict, how_many: occurrences, num_web_pages: pages }) => {
      const by = { error: 'marked as an error, ', later: 'left for later, ', not_an_error: '' }[
        verdict ?? 'not_an_error'
      ];
      return `${oneLine(message, MESSAGE_MAX_CHARACTERS)} (${by}occurrences: ${occurrences}, pages: ${pages})`;
    });
  const more = issueTypes.length - texts.length;
  return `${texts.join('; ')}${more > 0 ? `; and ${formatNumber(more)} more` : ''}.`;
}

/** A JSON string is also a YAML string. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
