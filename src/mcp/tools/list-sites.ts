import Type from 'typebox';
import { plural } from '../../domain/amounts.ts';
import { LIMIT, PAGE, pagingOf } from '../inputs.ts';
import { answerOf, moreLine, siteUrl } from '../text.ts';
import { tool } from '../tool.ts';

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
  async run({ api, signal }, input) {
    const query = { ...pagingOf(input), 'filter[url]': input.url };
    const { items, total, page, pages } = await api.readList<'site'>('/sites', { query, signal });
    const lines = items.flatMap(({ starting_url: url, attention, runs: [run], change }) => [
      `- ${siteUrl(url)}${attention === 'none' ? '' : `, needs attention: ${attention}`}`,
      run === undefined
        ? '  no report has ended yet'
        : `  last report ${run.report_id}: ${run.status} at ${run.finished_at} UTC, ${run.errors} errors, ${run.passed} of ${run.checked} pages pass` +
          (change === null ? '' : `; ${change.new} new, ${change.regressed} back again, ${change.fixed} fixed`),
    ]);
    const before = total === 0 ? ['No sites found. check_site checks a site.'] : [`${plural(total, 'site')}:`];
    return answerOf([...before, ...lines, ...(page < pages ? moreLine(total, items.length, 'use page') : [])]);
  },
});
