import type { EngineDescription } from '../checks/engine-description.ts';
import { sentenceOf } from '../domain/failures/failure.ts';
import { escapeMarkup } from '../platform/escape-markup.ts';
import { oneLine } from '../platform/shorten.ts';
import { type ExportedIssue, type PageWithIssues, type ReportModel, shownPlaces } from './report-model.ts';
import { messageMaxCharacters, placeTextMaxCharacters } from './texts.ts';

/** Places of an issue on a page that are listed. Readers show all of them at once. */
const PLACES_MAX = 10;

/**
 * Yields a report as JUnit XML: a suite for each kind of check, and in it a test case for each page. It fails with each kind of
 * error on the page, as checks do without `--fail-on`; warnings are its output. A page that could not be checked is an error, and one
 * that is not checked yet is skipped.
 */
export async function* writeJunit({ report, engines, pages }: ReportModel): AsyncGenerator<string> {
  const totals = engines.map(({ kind }) => countsOf(report.checks[kind]));
  const sum = (name: 'tests' | 'failures' | 'errors') => totals.reduce((total, counts) => total + counts[name], 0);
  const all = { tests: sum('tests'), failures: sum('failures'), errors: sum('errors') };
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield `<testsuites${attributes({ name: `sitewarden ${report.starting_url}`, ...all })}>\n`;
  for (const [index, engine] of engines.entries()) {
    const timestamp = (report.finished_at ?? report.inserted_at).toISOString().slice(0, 19);
    yield `<testsuite${attributes({ name: engine.title, ...totals[index], timestamp, hostname: report.domain })}>\n`;
    for await (const page of pages([engine])) yield testCase(page, engine);
    yield '</testsuite>\n';
  }
  yield '</testsuites>\n';
}

type Counts = ReportModel['report']['checks'][string];

function countsOf(counts: Counts | undefined) {
  const { pending = 0, checked = 0, failed = 0, with_errors: failures = 0 } = counts ?? {};
  return { tests: pending + checked + failed, failures, errors: failed, skipped: pending };
}

function testCase({ page, issues }: PageWithIssues, engine: EngineDescription): string {
  const check = page.checks[engine.kind];
  if (check === undefined) return '';
  const parts: string[] = [];
  if (check.status === 'pending') parts.push('<skipped/>');
  if (check.status === 'failed') {
    const message = check.error === null ? 'The check failed.' : sentenceOf(check.error);
    parts.push(`<error${attributes({ type: 'unchecked', message })}/>`);
  }
  if (check.status === 'checked') {
    for (const issue of issues.filter(({ issue_type: type }) => type === 'error')) parts.push(failureOf(issue));
    const warnings = issues.filter(({ issue_type: type }) => type === 'warning').map(describe);
    if (warnings.length > 0) parts.push(`<system-out>${escapeMarkup(warnings.join('\n'))}</system-out>`);
  }
  const head = attributes({ classname: `sitewarden.${engine.kind}`, name: page.url });
  return parts.length === 0 ? `<testcase${head}/>\n` : `<testcase${head}>\n${parts.join('\n')}\n</testcase>\n`;
}

function failureOf(issue: ExportedIssue): string {
  const type = issue.impact ?? issue.issue_type;
  const message = `${issue.how_many} × ${oneLine(issue.message, messageMaxCharacters)}`;
  return `<failure${attributes({ type, message })}>${escapeMarkup(describe(issue))}</failure>`;
}

/** Returns the message of an issue, its first places and where to read more. */
function describe(issue: ExportedIssue): string {
  const first = shownPlaces(issue).take(PLACES_MAX);
  const listed = Array.from(first, ({ line, column, markup, selector, note }) => {
    const where = line === null ? (note ?? selector ?? '') : `line ${line}, column ${column ?? 1}`;
    return oneLine(`  ${where}: ${markup}`, placeTextMaxCharacters);
  });
  const left = issue.how_many - listed.length;
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
