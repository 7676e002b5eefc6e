import Type from 'typebox';
import type { Item } from '../../../packages/client/client.ts';
import { formatNumber, plural } from '../../domain/amounts.ts';
import { LIMIT, PAGE, pagingOf } from '../inputs.ts';
import { kindsOf, kindTitle } from '../issues.ts';
import { reportStatus } from '../report-text.ts';
import { differencesOfSites } from '../sites.ts';
import { answerOf, inBrackets, moreLine, siteUrl } from '../text.ts';
import { tool } from '../tool.ts';

export const LIST_REPORTS = tool({
  name: 'list_reports',
  title: 'List reports',
  description: 'Lists the reports of the account, most recently checked first.',
  input: Type.Object(
    {
      url: Type.Optional(
        Type.String({ description: 'Only reports whose starting URL contains this.', maxLength: 500 }),
      ),
      status: Type.Optional(Type.Enum(['pending', 'crawling', 'checking', 'finished', 'failed'])),
      limit: LIMIT,
      page: PAGE,
    },
    { additionalProperties: false },
  ),
  readsOnly: true,
  async run(call, input) {
    const { api, signal } = call;
    const query = { ...pagingOf(input), 'filter[url]': input.url, 'filter[status]': input.status };
    const { items, total, page, pages } = await api.readList<'report'>('/reports', { query, signal });
    const differences = await differencesOfSites(call, input.url);
    const lines = items.map((report) => {
      const { id, starting_url: url, finished_at: at, num_pages: found } = report;
      const errors = kindsOf(report).map(
        (kind) => `${kindTitle(kind)} ${formatNumber(report.checks[kind]?.issues.errors ?? 0)}`,
      );
      const status = reportStatus(report);
      const when = at === null ? status : `${status} at ${at} UTC`;
      return `- ${id} ${siteUrl(url)}${inBrackets(differences.get(siteOf(report)))}: ${when}, ${plural(found, 'page')}, errors: ${errors.join(', ')}`;
    });
    const before = total === 0 ? ['No reports found. check_site creates a report.'] : [`${plural(total, 'report')}:`];
    return answerOf([...before, ...lines, ...(page < pages ? moreLine(total, items.length, 'use page') : [])]);
  },
});

function siteOf({ related }: Item<'report'>): string {
  return related.site?.split('/').at(-1) ?? '';
}
