import Type, { type Static } from 'typebox';
import { CHANGE_WORDS } from '../../../packages/client/changes.ts';
import type { Item } from '../../../packages/client/client.ts';
import { styleRuleWords } from '../../../packages/client/occurrences.ts';
import { formatNumber, plural } from '../../domain/amounts.ts';
import { ISSUE, LIMIT, PAGE, pagingOf, REPORT_ID } from '../inputs.ts';
import { type CommonIssue, headingOf, issuePath } from '../issues.ts';
import { occurrencesOfIssueMax } from '../limits.ts';
import { answerOf, fromSite, moreLine, siteUrl } from '../text.ts';
import { type ToolCall, tool } from '../tool.ts';

const INPUT = Type.Object(
  {
    report_id: REPORT_ID,
    issue: ISSUE,
    url: Type.Optional(
      Type.String({ description: 'Only occurrences on pages whose URL contains this.', maxLength: 2_048 }),
    ),
    limit: LIMIT,
    page: PAGE,
  },
  { additionalProperties: false },
);

export const EXPLAIN_ISSUE = tool({
  name: 'explain_issue',
  title: 'Explain an issue',
  description:
    'Explains an issue type of a report: what is wrong, how to fix it, its occurrences by markup, and the location of each occurrence: page, line, column, selector and source.',
  input: INPUT,
  readsOnly: true,
  async run(call, input) {
    const { api, signal } = call;
    const path = issuePath(input.report_id, input.issue);
    const issue = await api.read<CommonIssue['type']>(path, { signal });
    const { how_many: occurrences, num_web_pages: pages, first_seen_at: since, change } = issue;
    return answerOf([
      `${input.issue} ${headingOf(issue)}`,
      `${plural(occurrences, 'occurrence')} on ${plural(pages, 'page')}${since === null ? '' : `, since ${since} UTC`}${change === null ? '' : `, ${CHANGE_WORDS[change]}`}`,
      ...(issue.effect_on_visitors === null ? [] : [`For visitors: ${issue.effect_on_visitors}`]),
      ...(issue.remedy === null ? [] : [`How to fix: ${issue.remedy}`]),
      ...('help_url' in issue ? [`More: ${issue.help_url} (${issue.tags.filter(isStandard).join(', ')})`] : []),
      ...(occurrences > occurrencesOfIssueMax ? await clusterLines(call, path) : []),
      ...(await occurrenceLines(call, path, input)),
      `After the edit, call recheck_pages with issue ${input.issue}.`,
    ]);
  },
});

/** Whether a tag of axe-core names a standard rather than a country's list or a category of the rule. */
function isStandard(tag: string): boolean {
  return tag.startsWith('wcag') || tag === 'best-practice';
}

/** Occurrences with the same markup usually have the same fix. */
async function clusterLines({ api, signal }: ToolCall, path: string): Promise<string[]> {
  const query = { 'page[size]': occurrencesOfIssueMax };
  const { items, total } = await api.readList<'cluster'>(`${path}/clusters`, { query, signal });
  // A single markup is already shown with its occurrences.
  if (items.length < 2) return [];
  const lines = items.map(
    ({ markup, how_many: occurrences, num_web_pages: pages }) =>
      `- ${plural(occurrences, 'occurrence')} on ${plural(pages, 'page')}: ${fromSite(markup)}`,
  );
  return [
    'By markup:',
    ...lines,
    ...(total > items.length ? [`… and ${formatNumber(total - items.length)} others`] : []),
  ];
}

async function occurrenceLines(
  { api, signal }: ToolCall,
  path: string,
  input: Static<typeof INPUT>,
): Promise<string[]> {
  const { limit = occurrencesOfIssueMax, page = 1 } = input;
  const query = { ...pagingOf({ limit, page }), 'filter[url]': input.url };
  const { items, total } = await api.readList<'occurrence'>(`${path}/occurrences`, { query, signal });
  const shown = (page - 1) * limit + items.length;
  return [
    `Occurrences${input.url === undefined ? '' : ' on these pages'} (${formatNumber(total)}):`,
    ...items.flatMap((occurrence, index) => occurrenceText(occurrence, items[index - 1])),
    ...moreLine(total, shown, `use page ${page + 1}, or url for specific pages`),
  ];
}

/** @param before the previous occurrence: parts that are the same in both are not repeated */
function occurrenceText(occurrence: Item<'occurrence'>, before: Item<'occurrence'> | undefined): string[] {
  const { url, line, column, markup, extract, selector, failure_summary: summary, reached_by: way } = occurrence;
  const rules = styleRuleWords(occurrence, fromSite);
  const at = line === null ? '' : ` line ${line}${column === null ? '' : `, column ${column}`}`;
  return [
    `- ${siteUrl(url)}${at}`,
    ...(sourceOf(occurrence) === sourceOf(before) ? [] : [`  ${fromSite(extract ?? markup)}`]),
    ...(selector === null || selector === before?.selector ? [] : [`  selector ${fromSite(selector)}`]),
    ...(way === null ? [] : [`  to reach it: ${fromSite(way)}`]),
    ...(rules === '' ? [] : [`  ${rules}`]),
    ...(summary === null || summary === before?.failure_summary ? [] : [`  to fix: ${fromSite(summary)}`]),
  ];
}

function sourceOf(occurrence: Item<'occurrence'> | undefined): string | undefined {
  return occurrence?.extract ?? occurrence?.markup;
}
