import { type ChangedOccurrences, comparedOf } from '../../packages/client/changes.ts';
import { formatNumber, plural } from '../domain/amounts.ts';
import { type ComparedPeriod, type EndNumbers, numbersOfEnd, type SiteComparison } from '../reports/compare-site.ts';
import type { VisibleReport } from '../store/reports/reports.ts';

/** The words of the comparison of a period, for the formats that people read. */

export function periodTitle({ site }: ComparedPeriod): string {
  return `What was fixed on ${site.name === '' ? site.starting_url : site.name}`;
}

/** Returns which reports are compared, and how they relate to the requested days. */
export function endsWords({ since, until, now, before, isLater, comparison }: ComparedPeriod): string {
  if (now === null) return `No report had finished${until === null ? ' yet' : ` by ${until}`}.`;
  if (before === null) return `There is no report before the report of ${timeOf(now)}.`;
  if (comparison === null) return `There is only one report in this period: the report of ${timeOf(now)}.`;
  const note = isLater ? ` There is no earlier report: no report had finished by ${since}.` : '';
  return `Compares the report of ${timeOf(before)} with the report of ${timeOf(now)}.${note}`;
}

function timeOf({ finished_at: finishedAt, updated_at: updatedAt }: VisibleReport): string {
  return `${(finishedAt ?? updatedAt).toISOString().slice(0, 16).replace('T', ', ')} UTC`;
}

/** Returns the numbers of both reports when they ended: name, before, now. */
export function thenAndNow(before: VisibleReport, now: VisibleReport): readonly (readonly [string, string, string])[] {
  const rows: readonly (readonly [string, (numbers: EndNumbers) => number | null])[] = [
    ['Errors', ({ errors }) => errors],
    ['Pages', ({ num_pages: pages }) => pages],
    ['Pages checked', ({ pages }) => pages?.checked ?? null],
    ['Pages passing', ({ pages }) => pages?.passed ?? null],
  ];
  const [first, last] = [numbersOfEnd(before), numbersOfEnd(now)];
  return rows.flatMap(([name, read]) => {
    const [then, today] = [read(first), read(last)];
    return then === null || today === null ? [] : [[name, formatNumber(then), formatNumber(today)] as const];
  });
}

/** Returns the number of occurrences before and now, where both reports looked for them: `4 → 0`. */
export function beforeNow(occurrences: ChangedOccurrences): string {
  const { before, now } = comparedOf(occurrences);
  return `${formatNumber(before)} → ${formatNumber(now)}`;
}

/** Returns the changes of pages other than their results: `2 pages can no longer be checked`. */
export function pageWordsOf({ pages }: SiteComparison): readonly string[] {
  const words = [
    [pages.broken, 'can no longer be checked'],
    [pages.recovered, 'can be checked again'],
    [pages.added, 'only in the later report'],
    [pages.removed, 'only in the earlier report'],
  ] as const;
  return words.flatMap(([howMany, what]) => (howMany > 0 ? `${plural(howMany, 'page')} ${what}` : []));
}
