import { comparedOf } from '../../packages/client/changes.ts';
import type { ComparedPeriod } from '../reports/compare-site.ts';
import type { IssueChange } from '../store/schema.ts';
import { BYTE_ORDER_MARK, cellOf } from './csv.ts';
import { bounded } from './occurrence-rows.ts';

/** The columns of the list, in their order. `docs/exports.md` describes them. */
const COLUMNS: Readonly<Record<string, (change: IssueChange) => string | number | null | undefined>> = {
  check: ({ kind }) => kind,
  type: ({ issue_type: type }) => type,
  impact: ({ impact }) => impact,
  rule_id: ({ rule_id: rule }) => rule,
  message: ({ message }) => bounded(message),
  change: ({ change }) => change,
  fixed: ({ occurrences }) => occurrences.fixed ?? 0,
  new: ({ occurrences }) => occurrences.new ?? 0,
  regressed: ({ occurrences }) => occurrences.regressed ?? 0,
  persisting: ({ occurrences }) => occurrences.persisting ?? 0,
  not_checked_before: ({ occurrences }) => occurrences.not_checked_before ?? 0,
  unverified: ({ occurrences }) => occurrences.unverified ?? 0,
  error_by_decision: ({ decided }) => decided.error ?? 0,
  not_an_error_by_decision: ({ decided }) => decided.not_an_error ?? 0,
  error_before_by_decision: ({ decided }) => decided.error_before ?? 0,
  not_an_error_before_by_decision: ({ decided }) => decided.not_an_error_before ?? 0,
  compared_before: ({ occurrences }) => comparedOf(occurrences).before,
  compared_now: ({ occurrences }) => comparedOf(occurrences).now,
  pages_before: ({ num_web_pages_before: pages }) => pages,
  pages_now: ({ num_web_pages: pages }) => pages,
  issue_fingerprint: ({ fingerprint }) => fingerprint.toString('hex'),
};

/** Yields a row for each issue type with occurrences that were fixed, are new or are back: the most fixed first. */
export async function* writePeriodCsv({ comparison }: ComparedPeriod): AsyncGenerator<string> {
  yield `${BYTE_ORDER_MARK}${Object.keys(COLUMNS).join(',')}\r\n`;
  if (comparison === null) return;
  const { fixed, appeared } = comparison;
  const only = appeared.rows.filter(({ occurrences }) => (occurrences.fixed ?? 0) === 0);
  for (const change of [...fixed.rows, ...only]) {
    yield `${Object.values(COLUMNS)
      .map((read) => cellOf(read(change) ?? ''))
      .join(',')}\r\n`;
  }
}
