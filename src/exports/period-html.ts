import { errorsAmong, unexaminedWords } from '../../packages/client/changes.ts';
import { settingChangeWords } from '../../packages/client/setting-changes.ts';
import { engineOf } from '../checks/registry.ts';
import { formatNumber, plural } from '../domain/amounts.ts';
import { severityOf, severityWords } from '../domain/counts.ts';
import type { ComparedPeriod, SiteComparison } from '../reports/compare-site.ts';
import type { FirstOf, PassingChange } from '../store/diffs/passing-pages.ts';
import type { IssueChange } from '../store/schema.ts';
import { htmlHead, linked, severity, shown } from './html.ts';
import { beforeNow, endsWords, pageWordsOf, periodTitle, thenAndNow } from './period-words.ts';

/** Rows of each list. `csv` has all issue types. */
const ROWS_MAX = 500;

/** Yields what was fixed in a period as a self-contained web page: one file without scripts, for a browser or paper. */
export async function* writePeriodHtml(period: ComparedPeriod): AsyncGenerator<string> {
  const { site, before, now, comparison, settings } = period;
  yield `${htmlHead(periodTitle(period))}<header>\n<h1>${shown(periodTitle(period))}</h1>\n`;
  yield `<p>${linked(site.starting_url)}</p>\n<p>${shown(endsWords(period))}</p>\n</header>\n<main>\n`;
  if (comparison !== null && before !== null && now !== null) {
    yield numbersOf(thenAndNow(before, now));
    yield fixedOf(comparison);
    yield pagesOf('Pages that pass now', 'Errors before', comparison.passing);
    yield appearedOf(comparison);
    yield pagesOf('Pages that passed before and have errors now', 'Errors now', comparison.failing);
    yield listOf('Other page changes', pageWordsOf(comparison));
    yield listOf('Neither new nor fixed', unexaminedWords(comparison.counts.occurrences, comparison.counts.decided));
    yield listOf('Settings that differ', settings.map(settingChangeWords));
  }
  yield '</main>\n</body>\n</html>\n';
}

function numbersOf(rows: ReturnType<typeof thenAndNow>): string {
  const head = '<tr><th scope="col">Number</th><th scope="col">Then</th><th scope="col">Now</th></tr>';
  const body = rows.map(
    ([name, then, now]) => `<tr><th scope="row">${name}</th><td>${then}</td><td>${now}</td></tr>\n`,
  );
  return `<h2>Then and now</h2>\n${tableOf(head, body)}`;
}

function fixedOf({ fixed, counts, errors }: SiteComparison): string {
  const total = counts.occurrences.fixed;
  const sum =
    total === 0
      ? 'Nothing was fixed.'
      : `${plural(total, 'occurrence')} of ${plural(fixed.total, 'issue type')} fixed${errorsAmong(errors.fixed, total)}.`;
  return `<h2>Fixed</h2>\n<p>${sum}</p>\n${typesOf('Fixed', fixed, ({ occurrences }) => occurrences.fixed ?? 0)}`;
}

function appearedOf({ appeared, counts, errors }: SiteComparison): string {
  const total = counts.occurrences.new + counts.occurrences.regressed;
  const sum =
    total === 0
      ? 'Nothing is new.'
      : `${plural(total, 'occurrence')} of ${plural(appeared.total, 'issue type')} new or back${errorsAmong(errors.appeared, total)}.`;
  const howMany = ({ occurrences }: IssueChange) => (occurrences.new ?? 0) + (occurrences.regressed ?? 0);
  return `<h2>New in the same period</h2>\n<p>${sum}</p>\n${typesOf('New', appeared, howMany)}`;
}

function typesOf(
  title: string,
  { total, rows }: FirstOf<IssueChange>,
  howMany: (change: IssueChange) => number,
): string {
  if (total === 0) return '';
  const columns = ['Issue', title, 'Then → now'];
  const head = `<tr>${columns.map((column) => `<th scope="col">${column}</th>`).join('')}</tr>`;
  const body = rows.slice(0, ROWS_MAX).map((change) => {
    const { kind, issue_type: type, impact, message } = change;
    const level = severity(severityOf(type, impact), severityWords(type, impact));
    const cells = [formatNumber(howMany(change)), beforeNow(change.occurrences)];
    return `<tr><td>${shown(message)}<br>${level} · ${engineOf(kind).title}</td>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>\n`;
  });
  return `${tableOf(head, body)}${moreOf(total, 'issue type')}`;
}

function pagesOf(title: string, column: string, { total, rows }: FirstOf<PassingChange>): string {
  if (total === 0) return '';
  const head = `<tr><th scope="col">Page</th><th scope="col">${column}</th></tr>`;
  const body = rows
    .slice(0, ROWS_MAX)
    .map(({ url, errors }) => `<tr><td>${linked(url)}</td><td>${formatNumber(errors)}</td></tr>\n`);
  return `<h2>${title}</h2>\n<p>${plural(total, 'page')}.</p>\n${tableOf(head, body)}${moreOf(total, 'page')}`;
}

function listOf(title: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  return `<h2>${title}</h2>\n<ul>\n${items.map((item) => `<li>${shown(item)}</li>\n`).join('')}</ul>\n`;
}

function tableOf(head: string, rows: readonly string[]): string {
  return `<table>\n<thead>${head}</thead>\n<tbody>\n${rows.join('')}</tbody>\n</table>\n`;
}

function moreOf(total: number, noun: string): string {
  return total > ROWS_MAX ? `<p>And ${plural(total - ROWS_MAX, `more ${noun}`)}.</p>\n` : '';
}
