import type { ShownOccurrence } from '../../packages/client/occurrences.ts';
import type { EngineDescription } from '../checks/engine-description.ts';
import type { OccurrenceMarks } from '../checks/occurrence-marks.ts';
import { engineOf } from '../checks/registry.ts';
import { oneLine } from '../platform/shorten.ts';
import { slicesInTurns } from '../platform/slices.ts';
import type { WebPageWithChecks } from '../store/pages/web-pages.ts';
import {
  type ExportedIssue,
  type PageWithIssues,
  type ReportModel,
  seenAs,
  shownOccurrences,
  type UncheckedPage,
  uncheckedOf,
} from './report-model.ts';
import { messageMaxCharacters } from './texts.ts';

/** An occurrence of an issue, or a check of a page that failed. */
export interface OccurrenceRow {
  readonly page: WebPageWithChecks;
  readonly issue: ExportedIssue | null;
  /** How to fix issues of this type; null if only the message explains it. */
  readonly remedy: string | null;
  /** Who it affects and how; null if unknown. */
  readonly effect: string | null;
  readonly occurrence: ShownOccurrence | null;
  /** The marks of the occurrence. */
  readonly marks: OccurrenceMarks | null;
  readonly unchecked: UncheckedPage | null;
  /** As whom the page was checked, and in what state. */
  readonly checkedAs: string;
}

/** The columns of tables of occurrences, in their order. `docs/exports.md` describes them. */
export const OCCURRENCE_COLUMNS: Readonly<
  Record<string, (row: OccurrenceRow) => string | number | Date | null | undefined>
> = {
  page_url: ({ page }) => page.url,
  page_title: ({ page }) => bounded(page.title),
  check: ({ issue, unchecked }) => (issue ?? unchecked?.engine)?.kind,
  type: ({ issue }) => issue?.issue_type ?? 'unchecked',
  impact: ({ issue }) => issue?.impact,
  rule_id: ({ issue }) => issue?.rule_id,
  message: ({ issue, unchecked }) => bounded(issue?.message ?? unchecked?.reason),
  line: ({ occurrence }) => occurrence?.line,
  column: ({ occurrence }) => occurrence?.column,
  selector: ({ occurrence }) => bounded(occurrence?.selector),
  markup: ({ occurrence }) => bounded(occurrence?.markup),
  how_to_fix: ({ occurrence, remedy }) => bounded(occurrence?.failureSummary ?? remedy),
  help_url: ({ issue }) => issue?.help_url,
  tags: ({ issue }) => bounded(issue?.tags.join(', ')),
  change: ({ marks }) => marks?.change,
  issue_fingerprint: ({ issue }) => issue?.fingerprint.toString('hex'),
  occurrence_fingerprint: ({ marks }) => marks?.fingerprint,
  effect_on_visitors: ({ effect }) => effect,
  decision: ({ issue }) => issue?.decision?.verdict,
  decision_note: ({ issue }) => bounded(issue?.decision?.note),
  decision_by: ({ issue }) => bounded(issue?.decision?.assessor),
  decided_at: ({ issue }) => issue?.decision && new Date(issue.decision.decided_at),
  reached_by: ({ occurrence }) => bounded(occurrence?.reachedBy),
  checked_as: ({ checkedAs }) => bounded(checkedAs),
};

/** Returns text of the site or an engine as cells show it. */
export function bounded(text: string | null | undefined): string {
  return oneLine(text ?? '', messageMaxCharacters);
}

/** Rows that are in memory as text at a time. With the URL of the page in each, a row may have 30,000 characters. */
const ROWS_MAX = 100;

/** Yields the rows of one page after the other, in slices: its checks that failed, then the occurrences of its issues. */
export async function* occurrenceRows(
  model: ReportModel,
  engines: readonly EngineDescription[],
): AsyncGenerator<readonly OccurrenceRow[]> {
  for await (const page of model.pages(engines))
    yield* slicesInTurns(rowsOf(page, engines, seenAs(page.page, model.report).join(', ')), ROWS_MAX);
}

function* rowsOf(
  { page, issues }: PageWithIssues,
  engines: readonly EngineDescription[],
  checkedAs: string,
): Generator<OccurrenceRow> {
  for (const unchecked of uncheckedOf(page, engines)) {
    yield { page, issue: null, remedy: null, effect: null, occurrence: null, marks: null, unchecked, checkedAs };
  }
  for (const issue of issues) {
    const { issues: described } = engineOf(issue.kind);
    const [remedy, effect] = [described.remedyOf(issue), described.effectOf(issue).words];
    let index = 0;
    for (const occurrence of shownOccurrences(issue)) {
      yield { page, issue, remedy, effect, occurrence, marks: issue.marks[index] ?? null, unchecked: null, checkedAs };
      index += 1;
    }
  }
}
