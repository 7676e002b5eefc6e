import { pageName } from '../../packages/client/marks.ts';
import type { ShownOccurrence } from '../../packages/client/occurrences.ts';
import type { EngineDescription } from '../checks/engine-description.ts';
import { occurrenceTextMaxCharacters } from '../checks/limits.ts';
import { fullSentenceOf, sentenceOf } from '../domain/failures/failure.ts';
import { escapeMarkup } from '../platform/escape-markup.ts';
import { oneLine } from '../platform/shorten.ts';
import { utcTime } from '../platform/utc-time.ts';
import { type CheckOutcome, failsCheck } from './check-outcome.ts';
import { type ExportedIssue, type PageWithIssues, type ReportModel, shownOccurrences } from './report-model.ts';
import { messageMaxCharacters } from './texts.ts';

/** Occurrences of an issue on a page that are listed. Readers show all of them at once. */
const OCCURRENCES_MAX = 10;

/**
 * Yields a report as JUnit XML: a suite for each kind of check, and in it a test case for each page. A test case fails with each
 * issue type on the page that fails the check; other issues are its output. A page that could not be checked is an error if that
 * fails the check, and skipped otherwise.
 * @param outcome null for what fails a check without options
 */
export async function* writeJunit(model: ReportModel, outcome: CheckOutcome | null): AsyncGenerator<string> {
  const { report, engines, pages } = model;
  const totals: Totals[] = [];
  for (const engine of engines) totals.push(await totalsOf(model, engine, outcome));
  const sum = (name: 'tests' | 'failures' | 'errors') => totals.reduce((total, counts) => total + counts[name], 0);
  const all = { tests: sum('tests'), failures: sum('failures'), errors: sum('errors') };
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield `<testsuites${attributes({ name: `sitewarden ${report.starting_url}`, ...all })}>\n`;
  for (const [index, engine] of engines.entries()) {
    const timestamp = utcTime(report.finished_at ?? report.inserted_at);
    yield `<testsuite${attributes({ name: engine.title, ...totals[index], timestamp, hostname: report.domain })}>\n`;
    if (hasNoPage(report)) yield testCaseOfSite(report, engine);
    for await (const page of pages([engine])) yield testCase(page, engine, outcome, isErrorIn(report, engine, outcome));
    yield '</testsuite>\n';
  }
  yield '</testsuites>\n';
}

type Totals = Readonly<Record<'tests' | 'failures' | 'errors' | 'skipped', number>>;
type Report = ReportModel['report'];

/**
 * Whether pages that could not be checked are errors: a kind of check that could not check any page has found nothing, but must
 * not pass.
 */
function isErrorIn({ checks }: Report, { kind }: EngineDescription, outcome: CheckOutcome | null): boolean {
  return (outcome?.failing.unchecked ?? false) || checks[kind]?.checked === 0;
}

async function totalsOf(model: ReportModel, engine: EngineDescription, outcome: CheckOutcome | null): Promise<Totals> {
  const { report } = model;
  if (hasNoPage(report)) return { tests: 1, failures: 0, errors: 1, skipped: 0 };
  const { pending = 0, checked = 0, failed = 0, with_errors: withErrors = 0 } = report.checks[engine.kind] ?? {};
  const errors = isErrorIn(report, engine, outcome) ? failed : 0;
  const failures = outcome === null ? withErrors : await countFailing(model, engine, outcome);
  return { tests: pending + checked + failed, failures, errors, skipped: pending + failed - errors };
}

/** Counts the pages that have an occurrence that fails the check. */
async function countFailing(model: ReportModel, engine: EngineDescription, outcome: CheckOutcome): Promise<number> {
  if (outcome.isPassed) return 0;
  let failing = 0;
  for await (const { page, issues } of model.pages([engine])) {
    if (page.checks[engine.kind]?.status !== 'checked') continue;
    if (issues.some((issue) => occurrencesOf(issue, outcome).failing.howMany > 0)) failing += 1;
  }
  return failing;
}

/** A crawl that found no page fails without pages, and would pass as a suite without tests. */
function hasNoPage({ status, num_pages: pages }: Report): boolean {
  return status === 'failed' && pages === 0;
}

function testCaseOfSite({ starting_url: url, crawl_error: error }: Report, { kind }: EngineDescription): string {
  const message = fullSentenceOf(error) ?? 'No page could be checked.';
  return wrapped({ classname: `sitewarden.${kind}`, name: url }, [uncheckedElement('error', message)]);
}

function testCase(
  { page, issues }: PageWithIssues,
  engine: EngineDescription,
  outcome: CheckOutcome | null,
  isUncheckedError: boolean,
): string {
  const check = page.checks[engine.kind];
  if (check === undefined) return '';
  const parts: string[] = [];
  if (check.status === 'pending') parts.push('<skipped/>');
  if (check.status === 'failed') {
    const message = check.error === null ? 'The check failed.' : sentenceOf(check.error);
    parts.push(uncheckedElement(isUncheckedError ? 'error' : 'skipped', message));
  }
  if (check.status === 'checked') {
    const occurrences = issues.map((issue) => ({ issue, ...occurrencesOf(issue, outcome) }));
    for (const { issue, failing } of occurrences) if (failing.howMany > 0) parts.push(failureOf(issue, failing));
    const others = occurrences.filter(({ passing }) => passing.howMany > 0);
    const output = others.map(({ issue, passing }) => describe(issue, passing)).join('\n');
    if (output !== '') parts.push(`<system-out>${escapeMarkup(output)}</system-out>`);
  }
  return wrapped({ classname: `sitewarden.${engine.kind}`, name: pageName(page.url) }, parts);
}

function wrapped(head: Readonly<Record<string, string>>, parts: readonly string[]): string {
  const start = `<testcase${attributes(head)}`;
  return parts.length === 0 ? `${start}/>\n` : `${start}>\n${parts.join('\n')}\n</testcase>\n`;
}

/** The schema of Jenkins allows no attributes of `skipped`. */
function uncheckedElement(name: 'error' | 'skipped', message: string): string {
  if (name === 'error') return `<error${attributes({ type: 'unchecked', message })}/>`;
  return `<skipped>${escapeMarkup(oneLine(message, messageMaxCharacters))}</skipped>`;
}

/** Occurrences of an issue that are equal for the check: how many there are, and the first ones. */
interface Occurrences {
  readonly howMany: number;
  readonly first: readonly ShownOccurrence[];
}

/** Splits the occurrences of an issue into occurrences that fail the check and others. */
function occurrencesOf(issue: ExportedIssue, outcome: CheckOutcome | null): Record<'failing' | 'passing', Occurrences> {
  const split = {
    failing: { howMany: 0, first: [] as ShownOccurrence[] },
    passing: { howMany: 0, first: [] as ShownOccurrence[] },
  };
  let index = 0;
  for (const occurrence of shownOccurrences(issue)) {
    const occurrences = failsCheck(outcome, issue, index) ? split.failing : split.passing;
    occurrences.howMany += 1;
    if (occurrences.first.length < OCCURRENCES_MAX) occurrences.first.push(occurrence);
    index += 1;
  }
  return split;
}

function failureOf(issue: ExportedIssue, occurrences: Occurrences): string {
  const type = issue.impact ?? issue.issue_type;
  const message = `${occurrences.howMany} × ${oneLine(issue.message, messageMaxCharacters)}`;
  return `<failure${attributes({ type, message })}>${escapeMarkup(describe(issue, occurrences))}</failure>`;
}

/** Returns the message of an issue, its first occurrences and where to read more. */
function describe(issue: ExportedIssue, { howMany, first }: Occurrences): string {
  const listed = first.map(({ line, column, markup, selector, note, reachedBy }) => {
    const where = line === null ? (note ?? selector ?? '') : `line ${line}, column ${column ?? 1}`;
    const way = reachedBy === null ? '' : ` (${reachedBy})`;
    return oneLine(`  ${where}${way}: ${markup}`, occurrenceTextMaxCharacters);
  });
  const left = howMany - listed.length;
  return [
    oneLine(issue.message, messageMaxCharacters),
    ...listed,
    ...(left > 0 ? [`and ${left} more`] : []),
    ...(issue.help_url === null ? [] : [issue.help_url]),
  ].join('\n');
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeMarkup(oneLine(String(value), messageMaxCharacters * 3))}"`)
    .join('');
}
