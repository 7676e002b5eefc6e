import type { ShownPlace } from '../checks/engine-description.ts';
import { NO_MARKS, type PlaceMarks } from '../checks/place-marks.ts';
import type { WebPageWithChecks } from '../store/web-pages.ts';
import { type ExportedIssue, type ReportModel, shownPlaces, type UncheckedPage, uncheckedOf } from './report-model.ts';
import { messageMaxCharacters, oneLine } from './texts.ts';

/** A row: a place of an issue, or a page that could not be checked. */
interface Row {
  readonly page: WebPageWithChecks;
  readonly issue: ExportedIssue | null;
  readonly place: ShownPlace | null;
  readonly marks: PlaceMarks;
  readonly unchecked: UncheckedPage | null;
}

/** The columns in their order. `docs/exports.md` describes them. */
export const CSV_COLUMNS: Readonly<Record<string, (row: Row) => string | number | null | undefined>> = {
  page_url: ({ page }) => page.url,
  page_title: ({ page }) => page.title,
  check: ({ issue, unchecked }) => (issue ?? unchecked?.engine)?.kind,
  type: ({ issue }) => issue?.issue_type ?? 'unchecked',
  impact: ({ issue }) => issue?.impact,
  rule_id: ({ issue }) => issue?.rule_id,
  message: ({ issue, unchecked }) => oneLine(issue?.message ?? unchecked?.reason ?? '', messageMaxCharacters),
  line: ({ place }) => place?.line,
  column: ({ place }) => place?.column,
  selector: ({ place }) => place?.selector,
  markup: ({ place }) => place?.markup,
  how_to_fix: ({ place }) => place?.failureSummary,
  help_url: ({ issue }) => issue?.help_url,
  tags: ({ issue }) => issue?.tags.join(', '),
  change: ({ marks }) => marks.change,
  issue_fingerprint: ({ issue }) => issue?.fingerprint?.toString('hex'),
  place_fingerprint: ({ marks }) => marks.fingerprint,
};

/** Spreadsheets otherwise take the file for one in the encoding of the system. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Yields a report as CSV (RFC 4180, UTF-8): a row for each place, and for each check of a page that failed. */
export async function* writeCsv({ pages, engines }: ReportModel): AsyncGenerator<string> {
  yield `${BYTE_ORDER_MARK}${Object.keys(CSV_COLUMNS).join(',')}\r\n`;
  for await (const { page, issues } of pages()) {
    for (const unchecked of uncheckedOf(page, engines)) {
      yield lineOf({ page, issue: null, place: null, marks: NO_MARKS, unchecked });
    }
    for (const issue of issues) {
      const lines = shownPlaces(issue).map((place, index) =>
        lineOf({ page, issue, place, marks: issue.marks[index] ?? NO_MARKS, unchecked: null }),
      );
      yield lines.join('');
    }
  }
}

function lineOf(row: Row): string {
  return `${Object.values(CSV_COLUMNS)
    .map((read) => cellOf(read(row) ?? ''))
    .join(',')}\r\n`;
}

/** What spreadsheets take for a formula, also behind spaces and in full width. */
const FORMULA = /^\s*[=+\-@＝＋－＠]/;
/** The same behind a semicolon, which begins a cell in many countries. A hyphen before a letter is there usually one of CSS. */
const LATER_FORMULA = /;(\s*(?:[=+@＝＋＠]|[-－][^a-z]))/g;

function cellOf(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = oneLine(value, messageMaxCharacters);
  const safe = `${FORMULA.test(text) ? "'" : ''}${text.replace(LATER_FORMULA, ";'$1")}`;
  return /[",';]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
