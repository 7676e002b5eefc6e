import Type from 'typebox';
import { plural } from '../../domain/amounts.ts';
import { LIMIT, PAGE, pagingOf } from '../inputs.ts';
import { statusWords } from '../report-text.ts';
import { answerOf, moreLine, siteUrl } from '../text.ts';
import { tool } from '../tool.ts';

export const LIST_SITES = tool({
  name: 'list_sites',
  title: 'List sites',
  description:
    'Lists the sites of the account, those that need attention first, each with its last report: errors, pages that pass, and what changed.',
  input: Type.Object(
    {
      url: Type.Optional(Type.String({ description: 'Only sites with this in their starting URL.', maxLength: 500 })),
      limit: LIMIT,
      page: PAGE,
    },
    { additionalProperties: false },
  ),
  readsOnly: true,
  async run({ api, signal }, input) {
    const query = { ...pagingOf(input), 'filter[url]': input.url };
    const { items, total, page, pages } = await api.readList<'site'>('/sites', { query, signal });
    const lines = items.flatMap(({ starting_url: url, attention, runs: [run], change }) => [
      `- ${siteUrl(url)}${attention === 'none' ? '' : `, needs attention: ${attention}`}`,
      run === undefined
        ? '  no report has ended yet'
        : `  last report ${run.report_id}: ${statusWords(run, run.verdict !== 'failed')} at ${run.finished_at} UTC, ${run.errors} errors, ${run.passed} of ${run.checked} pages pass` +
          (change === null ? '' : `; ${change.new} new, ${change.regressed} back, ${change.fixed} fixed`),
    ]);
    const before = total === 0 ? ['There are no such sites. check_site checks one.'] : [`${plural(total, 'site')}:`];
    return answerOf([...before, ...lines, ...(page < pages ? moreLine(total, items.length, 'use page') : [])]);
  },
});
