import { appendFile, writeFile } from 'node:fs/promises';
import { ENGINES, engineOf } from '../checks/registry.ts';
import { plural } from '../domain/amounts.ts';
import { severityWords } from '../domain/counts.ts';
import type { NewKind } from '../exports/check-outcome.ts';
import { AppError, messageOf } from '../platform/errors.ts';
import { listCommonIssues } from '../store/common-issues.ts';
import type { Database } from '../store/database.ts';
import type { ReportWithChecks } from '../store/reports.ts';
import { type Compared, newKindsOf } from './print-comparison.ts';
import { firstPageOf, messageLine } from './print-kind.ts';

import type { Verdict } from './verdict.ts';

/** GitHub shows ten annotations of a level for each step, and the verdict is one of them. */
const KINDS_MAX = 9;

/**
 * Empties the file for annotations, before anything is checked.
 * @throws AppError invalid_usage if it cannot be written
 */
export async function prepareAnnotations(path: string): Promise<void> {
  await refusing(path, writeFile(path, ''));
}

/**
 * Appends workflow commands that annotate a run of GitHub Actions to a file: the verdict, and if the check fails, its worst kinds of
 * issues, or with a baseline those that are new. The runner executes them when it sees them in the output of a step.
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
  if (!verdict.isPassed) {
    const kinds =
      compared === null ? await worstKinds(db, report) : await newKindsOf(db, report.id, compared.result, KINDS_MAX);
    for (const kind of kinds.slice(0, KINDS_MAX)) lines.push(await annotationOf(db, kind));
  }
  await refusing(path, appendFile(path, lines.join('')));
}

async function refusing(path: string, writing: Promise<void>): Promise<void> {
  await writing.catch((cause: unknown) => {
    throw new AppError('invalid_usage', `Cannot write ${path}: ${messageOf(cause)}.`, { cause });
  });
}

/** Returns the worst kinds of all checks, errors before warnings. */
async function worstKinds(db: Database, report: ReportWithChecks): Promise<readonly NewKind[]> {
  const ofEngine = ENGINES.filter(({ kind }) => report.checks[kind] !== undefined).map(({ kind }) =>
    listCommonIssues(db, report.id, kind, {}, { number: 1, size: KINDS_MAX }),
  );
  const kinds = (await Promise.all(ofEngine)).flatMap(({ rows }) => rows);
  return kinds.toSorted((a, b) => Number(b.issue_type === 'error') - Number(a.issue_type === 'error'));
}

async function annotationOf(db: Database, issue: NewKind): Promise<string> {
  const { id, kind, issue_type: type, impact, message, how_many: places, num_web_pages: pages } = issue;
  const label = severityWords(type, impact);
  const title = `${engineOf(kind).title}: ${label}, ${plural(places, 'place')} on ${plural(pages, 'page')}`;
  const [first] = await firstPageOf(db, id);
  return command(
    type === 'error' ? 'error' : 'warning',
    title,
    [messageLine(message), first?.url ?? ''].join('\n').trim(),
  );
}

/** A workflow command, escaped as `@actions/core` does. */
function command(level: 'error' | 'warning' | 'notice', title: string, text: string): string {
  return `::${level} title=${escaped(title).replaceAll(':', '%3A').replaceAll(',', '%2C')}::${escaped(text)}\n`;
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
