import { appendFile, writeFile } from 'node:fs/promises';
import { ENGINES, engineOf } from '../checks/registry.ts';
import { plural } from '../domain/amounts.ts';
import { severityWords } from '../domain/counts.ts';
import type { NewIssueType } from '../exports/check-outcome.ts';
import { AppError, messageOf } from '../platform/errors.ts';
import type { Database } from '../store/database.ts';
import { listCommonIssues } from '../store/issues/common-issues.ts';
import { rowsOf } from '../store/listing.ts';
import type { ReportWithChecks } from '../store/reports/reports.ts';
import { type Compared, newIssueTypesOf, occurrencesWithPages } from './print-diff.ts';
import { firstPageOf, messageLine } from './print-issue-type.ts';
import type { Verdict } from './verdict.ts';

/** GitHub shows ten annotations of each level per step, and the verdict is one of them. */
const ISSUE_TYPES_MAX = 9;

/**
 * Empties the file for annotations, before anything is checked.
 * @throws AppError invalid_usage if it cannot be written
 */
export async function prepareAnnotations(path: string): Promise<void> {
  await refusing(path, writeFile(path, ''));
}

/**
 * Appends to a file the workflow commands that annotate a GitHub Actions run: the verdict, and if the check fails, the worst
 * issue types that fail it. The runner executes them when it sees them in the output of a step.
 * @param compared with a baseline; null without one
 * @throws AppError invalid_usage if the file cannot be written
 */
export async function writeAnnotations(
  db: Database,
  report: ReportWithChecks,
  compared: Compared | null,
  verdict: Verdict,
  path: string,
): Promise<void> {
  const lines = [command(verdict.isPassed ? 'notice' : 'error', `sitewarden ${report.domain}`, verdict.sentence)];
  for (const issueType of await failingIssueTypes(db, report, compared, verdict))
    lines.push(await annotationOf(db, issueType, compared, verdict));
  await refusing(path, appendFile(path, lines.join('')));
}

async function refusing(path: string, writing: Promise<void>): Promise<void> {
  await writing.catch((cause: unknown) => {
    throw new AppError('invalid_usage', `Cannot write ${path}: ${messageOf(cause)}.`, { cause });
  });
}

/** Returns the first issue types that fail a check: new ones, then others, errors before warnings. */
async function failingIssueTypes(
  db: Database,
  report: ReportWithChecks,
  compared: Compared | null,
  { failing }: Verdict,
): Promise<readonly NewIssueType[]> {
  const whole: NewIssueType[] = [];
  for (const { kind } of ENGINES.filter((engine) => report.checks[engine.kind] !== undefined)) {
    let number = 0;
    for await (const issue of rowsOf((page) => listCommonIssues(db, report.id, kind, {}, page))) {
      if (number === ISSUE_TYPES_MAX) break;
      if (!failing.allOf(issue)) continue;
      whole.push(issue);
      number += 1;
    }
  }
  const added = (compared?.result.added ?? []).filter(({ id, type, impact }) => {
    const issueType = { id, issue_type: type, impact };
    return failing.newOf(issueType) && !failing.allOf(issueType);
  });
  const news = await newIssueTypesOf(db, report.id, added, ISSUE_TYPES_MAX);
  const others = whole.toSorted((a, b) => Number(b.issue_type === 'error') - Number(a.issue_type === 'error'));
  return [...news, ...others].slice(0, ISSUE_TYPES_MAX);
}

/** Returns the first page that has an issue type, or, with a baseline, the first page where it is new. */
async function pageOf(
  db: Database,
  issueType: NewIssueType,
  compared: Compared | null,
  { failing }: Verdict,
): Promise<string> {
  const added = failing.newOf(issueType) ? compared?.result.added.find(({ id }) => id === issueType.id) : undefined;
  const pages =
    added === undefined
      ? await firstPageOf(db, issueType.id)
      : await occurrencesWithPages(db, added.occurrences.slice(0, 1));
  return pages[0]?.url ?? '';
}

async function annotationOf(
  db: Database,
  issue: NewIssueType,
  compared: Compared | null,
  verdict: Verdict,
): Promise<string> {
  const { kind, issue_type: type, impact, message, how_many: occurrences, num_web_pages: pages } = issue;
  const label = severityWords(type, impact);
  const title = `${engineOf(kind).title}: ${label}, ${plural(occurrences, 'occurrence')} on ${plural(pages, 'page')}`;
  return command(
    type === 'error' ? 'error' : 'warning',
    title,
    [messageLine(message), await pageOf(db, issue, compared, verdict)].join('\n').trim(),
  );
}

/** A workflow command, escaped as `@actions/core` does. */
function command(level: 'error' | 'warning' | 'notice', title: string, text: string): string {
  return `::${level} title=${escaped(title).replaceAll(':', '%3A').replaceAll(',', '%2C')}::${escaped(text)}\n`;
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
