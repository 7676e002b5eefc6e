import type { ComparisonFormatName } from '../domain/export-formats.ts';
import type { ComparedPeriod } from '../reports/compare-site.ts';
import { writePeriodCsv } from './period-csv.ts';
import { writePeriodHtml } from './period-html.ts';
import { writePeriodMarkdown } from './period-markdown.ts';

const WRITERS: Readonly<Record<ComparisonFormatName, (period: ComparedPeriod) => AsyncIterable<string>>> = {
  csv: writePeriodCsv,
  html: writePeriodHtml,
  md: writePeriodMarkdown,
};

/** Yields what was fixed on a site in a period, in the given format. */
export function exportComparison(period: ComparedPeriod, format: ComparisonFormatName): AsyncIterable<string> {
  return WRITERS[format](period);
}
