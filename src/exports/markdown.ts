import { pageName } from '../../packages/client/marks.ts';
import { causeOf, styleRuleWords } from '../../packages/client/occurrences.ts';
import { severeFreeWords } from '../../packages/client/severe-free.ts';
import type { EngineDescription } from '../checks/engine-description.ts';
import { alsoFixedWords, effectOfError, measuredByIn } from '../checks/registry.ts';
import { formatNumber, plural } from '../domain/amounts.ts';
import { errorsIn, foundIn, impactWords, pageWords, passedPages, severeFree, severityWords } from '../domain/counts.ts';
import { fullSentenceOf } from '../domain/failures/failure.ts';
import { fixEffectWords } from '../domain/fix-effect.ts';
import { oneLine } from '../platform/shorten.ts';
import type { CheckOutcome } from './check-outcome.ts';
import { effectNote, leadingFixes } from './leading-fixes.ts';
import { gradedCounts, type ReportModel, uncheckedOf } from './report-model.ts';
import { reviewedNote } from './reviewed-note.ts';

/** Issue types of each check, things to fix and pages that are listed: as much as people read below a pull request. */
const ISSUE_TYPES_MAX = 10;
const FIXES_MAX = 5;
const PAGES_MAX = 10;
/**
 * Characters of text of the site and of messages. With these numbers, the summary stays below the 65,536 characters that a
 * comment on GitHub may have.
 */
const TEXT_MAX_CHARACTERS = 300;

/**
 * Yields a summary of a report as Markdown, for the comment on a pull request or the summary of a job.
 * @param outcome null for none
 */
export async function* writeMarkdown(model: ReportModel, outcome: CheckOutcome | null): AsyncGenerator<string> {
  const { report, engines } = model;
  yield `## Report on ${code(report.starting_url)}\n\n`;
  if (report.status === 'failed') {
    yield `The site could not be checked: ${code(fullSentenceOf(report.crawl_error) ?? 'No page could be checked.')}\n`;
    return;
  }
  yield `${report.finished_at === null ? plural(report.num_pages, 'page') : pageWords(report)}, ${(report.finished_at ?? report.inserted_at).toISOString().slice(0, 10)}\n\n`;
  const measured = measuredByIn(report);
  if (measured !== '') yield `${measured}\n\n`;
  const early = fullSentenceOf(report.crawl_error);
  if (early !== null) yield `${code(early)}\n\n`;
  if (outcome !== null) yield `**${outcome.verdict}**\n\n`;
  yield* countsOf(model);
  for (const note of reviewedNote(await model.reviewed())) yield `\n${note}\n`;
  if (outcome !== null) yield* diffOf(outcome);
  yield* fixesOf(model);
  for (const engine of engines) yield* kindsOf(model, engine);
  yield* uncheckedPages(model);
}

function* countsOf({ report, engines }: ReportModel): Generator<string> {
  const isPending = Object.values(report.checks).some(({ pending }) => pending > 0);
  const pages = [
    'passing pages',
    'pages with errors',
    'could not be checked',
    ...(isPending ? ['not checked yet'] : []),
  ];
  const names = ['check', ...pages, 'errors', 'warnings', 'need review'];
  yield `| ${names.join(' | ')} |\n|---|${'--:|'.repeat(names.length - 1)}\n`;
  for (const engine of engines) yield countsRow(report, engine, isPending);
  const free = severeFree(gradedCounts({ report, engines }));
  if (free !== null) yield `\n${severeFreeWords(free)}\n`;
}

function countsRow(
  report: ReportModel['report'],
  { kind, title, isGraded }: EngineDescription,
  isPending: boolean,
): string {
  const counts = report.checks[kind];
  if (counts === undefined) return '';
  const { with_errors: failing, failed, pending, errors, warnings } = counts;
  const impacts = impactWords(foundIn(counts, isGraded));
  const found = [
    `${formatNumber(errors)}${impacts === '' ? '' : ` (${impacts})`}`,
    ...(isGraded ? ['', formatNumber(warnings)] : [formatNumber(warnings), '']),
  ];
  const pages = [passedPages(counts), failing, failed, ...(isPending ? [pending] : [])];
  return `| ${title} | ${pages.map(formatNumber).join(' | ')} | ${found.join(' | ')} |\n`;
}

/** New issues since the baseline precede known issues, because they are what a pull request is about. */
function* diffOf({ diff }: CheckOutcome): Generator<string> {
  if (diff === null) return;
  const { baseline, changes, newIssueTypes, numNewIssueTypes } = diff;
  yield `\n### Compared with ${code(baseline)}\n\n${changes}\n`;
  if (newIssueTypes.length === 0) return;
  yield '\n| | new issue | occurrences | pages |\n|---|---|--:|--:|\n';
  for (const { issue_type: type, impact, message, how_many: howMany, num_web_pages: pages } of newIssueTypes) {
    yield `| ${severityWords(type, impact)} | ${cell(message)} | ${formatNumber(howMany)} | ${formatNumber(pages)} |\n`;
  }
  const left = numNewIssueTypes - newIssueTypes.length;
  if (left > 0) yield `\nand ${plural(left, 'more new issue type')}\n`;
}

async function* fixesOf(model: ReportModel): AsyncGenerator<string> {
  const { report } = model;
  const { fixes, others, unplanned } = await leadingFixes(model, FIXES_MAX);
  if (fixes.length === 0) return;
  yield '\n### Fix first\n\n| | fix | where | effect |\n|--:|---|---|---|\n';
  const all = { pages: report.checked_pages ?? report.num_pages, errors: errorsIn(Object.values(report.checks)) };
  const omitted = others.length;
  let before = 0;
  for (const fix of fixes) {
    const gap = fix.position - before - 1;
    if (gap > 0) yield `| … | ${fixWords(gap)}, not shown | | |\n`;
    before = fix.position;
    const where = `${plural(fix.how_many, 'occurrence')} on ${plural(fix.num_web_pages, 'page')}${alsoFixedWords(fix, cell)}`;
    const { words } = effectOfError(fix);
    const rule = styleRuleWords(fix, cell, fix.how_many);
    const cause = `${fix.markup_differs ? 'such as ' : ''}${cell(causeOf(fix))}${rule === '' ? '' : `, ${rule}`}`;
    yield `| ${fix.position} | ${cell(fix.message)}${below(words)}<br>${cause} | ${where} | ${fixEffectWords(fix, all)} |\n`;
  }
  const rest = [
    ...(omitted > 0
      ? [
          `${fixWords(omitted)} of the plan ${omitted === 1 ? 'is' : 'are'} in the report and in its formats \`json\` and \`xlsx\`.`,
        ]
      : []),
    ...(unplanned > 0
      ? [
          `${plural(unplanned, 'more cause')} of errors ${unplanned === 1 ? 'is' : 'are'} in the lists of issues of the report.`,
        ]
      : []),
  ];
  if (rest.length > 0) yield `\n${rest.join(' ')}${effectNote(fixes)}\n`;
}

function fixWords(count: number): string {
  return `${formatNumber(count)} more ${count === 1 ? 'fix' : 'fixes'}`;
}

async function* kindsOf(model: ReportModel, engine: EngineDescription): AsyncGenerator<string> {
  let number = 0;
  for await (const issueType of model.issueTypes(engine)) {
    if (number === 0) yield `\n### ${engine.title}\n\n| | issue | occurrences | pages |\n|---|---|--:|--:|\n`;
    if (number === ISSUE_TYPES_MAX) {
      yield `\nand ${plural((await model.countIssueTypes(engine)) - ISSUE_TYPES_MAX, 'more issue type')}, in the report\n`;
      return;
    }
    number += 1;
    const help =
      issueType.help_url !== null && URL.canParse(issueType.help_url)
        ? ` ([help](<${encodeURI(issueType.help_url)}>))`
        : '';
    yield `| ${severityWords(issueType.issue_type, issueType.impact, issueType.verdict)} | ${cell(issueType.message)}${help}${below(engine.issues.effectOf(issueType).words)} | ${formatNumber(issueType.how_many)} | ${formatNumber(issueType.num_web_pages)} |\n`;
  }
}

async function* uncheckedPages({ report, engines, pages }: ReportModel): AsyncGenerator<string> {
  if (engines.every(({ kind }) => report.checks[kind]?.failed === 0)) return;
  let left = report.num_pages - (report.checked_pages ?? 0);
  let number = 0;
  yield '\n### Not checked\n\n';
  for await (const { page } of pages([])) {
    const [first] = uncheckedOf(page, engines);
    if (first === undefined) continue;
    if (number === PAGES_MAX) break;
    number += 1;
    left -= 1;
    yield `- ${code(pageName(page.url))}: ${code(first.reason)}\n`;
  }
  if (number === PAGES_MAX && left > 0) yield `- and ${plural(left, 'more page')}, in the report\n`;
}

/** Returns the next line of a cell: words of an engine, without text of the page. */
function below(words: string | null): string {
  return words === null ? '' : `<br>${words}`;
}

/** The same in a table, where bars end cells even in code. */
export function cell(text: string): string {
  return code(text.replaceAll('\\|', '\\ |')).replaceAll('|', '\\|');
}

/** Returns text as a code span, the only form in which it can neither be markup nor mention people and issues. */
export function code(text: string): string {
  const line = oneLine(text, TEXT_MAX_CHARACTERS) || '(empty)';
  const fence = '`'.repeat(Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length)) + 1);
  const padding = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${padding}${line}${padding}${fence}`;
}
