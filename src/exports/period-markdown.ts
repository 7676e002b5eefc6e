import { errorsAmong, unexaminedWords } from '../../packages/client/changes.ts';
import { settingChangeWords } from '../../packages/client/setting-changes.ts';
import { engineOf } from '../checks/registry.ts';
import { formatNumber, plural } from '../domain/amounts.ts';
import { severityWords } from '../domain/counts.ts';
import type { ComparedPeriod } from '../reports/compare-site.ts';
import type { FirstOf, PassingChange } from '../store/diffs/passing-pages.ts';
import type { IssueChange } from '../store/schema.ts';
import { cell, code } from './markdown.ts';
import { beforeNow, endsWords, pageWordsOf, thenAndNow } from './period-words.ts';

/** Rows of each list, as many as people read in a message. `csv` has all issue types. */
const ROWS_MAX = 50;

/** Yields what was fixed in a period as Markdown. */
export async function* writePeriodMarkdown(period: ComparedPeriod): AsyncGenerator<string> {
  const { site, before, now, comparison, settings } = period;
  yield `## What was fixed on ${code(site.name === '' ? site.starting_url : site.name)}\n\n${endsWords(period)}\n`;
  if (comparison === null || before === null || now === null) return;
  yield '\n| | then | now |\n|---|--:|--:|\n';
  for (const row of thenAndNow(before, now)) yield `| ${row.join(' | ')} |\n`;
  const { counts, errors, fixed, appeared, passing, failing } = comparison;
  const gone = counts.occurrences.fixed;
  yield* typesOf(
    `Fixed: ${plural(gone, 'occurrence')}${errorsAmong(errors.fixed, gone)}`,
    fixed,
    (change) => change.fixed ?? 0,
  );
  yield* pagesOf('Pages that pass now', passing);
  const added = counts.occurrences.new + counts.occurrences.regressed;
  yield* typesOf(
    `New in the same period: ${plural(added, 'occurrence')}${errorsAmong(errors.appeared, added)}`,
    appeared,
    (change) => (change.new ?? 0) + (change.regressed ?? 0),
  );
  yield* pagesOf('Pages that passed before and have errors now', failing);
  yield* listOf('Other page changes', pageWordsOf(comparison));
  yield* listOf('Neither new nor fixed', unexaminedWords(counts.occurrences, counts.decided));
  yield* listOf(
    'Settings that differ',
    settings.map((setting) => code(settingChangeWords(setting))),
  );
}

function* typesOf(
  title: string,
  { total, rows }: FirstOf<IssueChange>,
  howMany: (occurrences: IssueChange['occurrences']) => number,
): Generator<string> {
  yield `\n### ${title}\n`;
  if (total === 0) return;
  yield '\n| | issue | check | occurrences | then → now |\n|---|---|---|--:|--:|\n';
  for (const change of rows.slice(0, ROWS_MAX)) {
    const { kind, issue_type: type, impact, message } = change;
    const cells = [
      ...[severityWords(type, impact), cell(message), engineOf(kind).title],
      ...[formatNumber(howMany(change.occurrences)), beforeNow(change.occurrences)],
    ];
    yield `| ${cells.join(' | ')} |\n`;
  }
  if (total > ROWS_MAX) yield `\nand ${plural(total - ROWS_MAX, 'more issue type')}\n`;
}

function* pagesOf(title: string, { total, rows }: FirstOf<PassingChange>): Generator<string> {
  if (total === 0) return;
  yield `\n### ${title}: ${formatNumber(total)}\n\n`;
  for (const { url } of rows.slice(0, ROWS_MAX)) yield `- ${code(url)}\n`;
  if (total > ROWS_MAX) yield `- and ${plural(total - ROWS_MAX, 'more page')}\n`;
}

function* listOf(title: string, items: readonly string[]): Generator<string> {
  if (items.length === 0) return;
  yield `\n### ${title}\n\n`;
  for (const item of items) yield `- ${item}\n`;
}
