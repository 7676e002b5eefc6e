import Type from 'typebox';
import { decidedSentence, occurrenceWords } from '../../../packages/client/changes.ts';
import type { Item } from '../../../packages/client/client.ts';
import { siteDifferences } from '../../../packages/client/site-differences.ts';
import { formatNumber, plural } from '../../domain/amounts.ts';
import { LIMIT, PAGE, pagingOf } from '../inputs.ts';
import { statusWords } from '../report-text.ts';
import { differencesOfSites } from '../sites.ts';
import { answerOf, fromSite, inBrackets, moreLine, siteUrl } from '../text.ts';
import { tool } from '../tool.ts';

const NEEDS: Readonly<Record<Exclude<Item<'site'>['attention'], 'none'>, string>> = {
  failed: 'the last report failed',
  new_critical: 'critical errors are new or back',
  new_errors: 'errors are new or back',
  no_credits: 'it is out of credits',
  broken_pages: 'pages that could be checked before could not be checked',
  not_passed: 'it does not pass',
  has_errors: 'it has errors that have never been acknowledged',
};

/** The reasons that a comparison of two reports shows. */
const SINCE: readonly Item<'site'>['attention'][] = ['new_critical', 'new_errors', 'broken_pages'];

export const LIST_SITES = tool({
  name: 'list_sites',
  title: 'List sites',
  description:
    'Lists the sites of the account, starting with the sites that need attention. Each has its last report with errors, passing pages and changes.',
  input: Type.Object(
    {
      url: Type.Optional(Type.String({ description: 'Only sites whose starting URL contains this.', maxLength: 500 })),
      limit: LIMIT,
      page: PAGE,
    },
    { additionalProperties: false },
  ),
  readsOnly: true,
  async run(call, input) {
    const { api, signal } = call;
    const query = { ...pagingOf(input), 'filter[url]': input.url };
    const { items, total, page, pages } = await api.readList<'site'>('/sites', { query, signal });
    const differences = pages > 1 ? await differencesOfSites(call, input.url) : siteDifferences(items, siteUrl);
    const lines = items.flatMap(({ id, name, starting_url: url, attention, runs: [run], change, unacknowledged }) => [
      `- ${name === '' ? '' : `${fromSite(name)} `}${siteUrl(url)}${inBrackets(differences.get(id))}${needOf({ attention, unacknowledged })}`,
      run === undefined
        ? '  no report has ended yet'
        : `  last report ${run.report_id}: ${statusWords(run, run.verdict !== 'failed')} at ${run.finished_at} UTC, ${countsOf(run.now ?? run)}` +
          (change === null
            ? ''
            : `; since the previous report: ${[occurrenceWords(change) || 'nothing new, nothing fixed', decidedSentence(change.decided)].filter((part) => part !== '').join('. ')}`),
    ]);
    const before = total === 0 ? ['No sites found. check_site checks a site.'] : [`${plural(total, 'site')}:`];
    return answerOf([...before, ...lines, ...(page < pages ? moreLine(total, items.length, 'use page') : [])]);
  },
});

/** As in the overview: the results now, like the changes after them. */
function countsOf({
  errors,
  passed,
  checked,
}: {
  readonly errors: number;
  readonly passed: number;
  readonly checked: number;
}): string {
  return `${plural(errors, 'error')}, ${formatNumber(passed)} of ${plural(checked, 'page')} pass`;
}

function needOf({ attention, unacknowledged }: Pick<Item<'site'>, 'attention' | 'unacknowledged'>): string {
  // What got worse may be older than the last report, whose own changes follow.
  const isSince = unacknowledged !== null && SINCE.includes(attention);
  const since = isSince ? ` since the report of ${unacknowledged.since} UTC` : '';
  return attention === 'none' ? '' : `, needs attention: ${NEEDS[attention]}${since}`;
}
