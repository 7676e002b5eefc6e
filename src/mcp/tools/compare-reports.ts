import Type from 'typebox';
import { formatNumber, plural } from '../../domain/amounts.ts';
import { CHANGE_NAMES, CHANGES } from '../../domain/change.ts';
import { LIMIT, PAGE, pagingOf, REPORT_ID } from '../inputs.ts';
import { headingOf, issueAt } from '../issues.ts';
import { answerOf, moreLine, siteUrl } from '../text.ts';
import { tool } from '../tool.ts';

const CAUSES = {
  site: '',
  engine: ', because of other checkers',
  settings: ', because of other settings',
  measurement: ', although the document is the same (results may vary)',
  page_gone: ', because the page answers 404 or 410 now',
  not_checked: ', because the page could not be checked',
  page_missing: ', because the report does not have the page',
  too_many_places: ', because there are too many places to compare',
} as const;

export const COMPARE_REPORTS = tool({
  name: 'compare_reports',
  title: 'Compare two reports',
  description:
    'Shows what is new, fixed, back (regressed) or still there since an earlier report of the same site, or of another origin such as staging, whose pages are then matched by path.',
  input: Type.Object(
    {
      report_id: REPORT_ID,
      with: Type.Optional(
        Type.String({
          description: 'Id of the earlier report; the previous one of the site by default.',
          maxLength: 100,
        }),
      ),
      change: Type.Optional(
        Type.Enum([...CHANGE_NAMES], {
          description: 'Only issues with such occurrences, or with more or fewer; new, regressed and fixed by default.',
        }),
      ),
      limit: LIMIT,
      page: PAGE,
    },
    { additionalProperties: false },
  ),
  readsOnly: true,
  async run({ api, signal }, input) {
    const query = {
      ...pagingOf(input),
      with: input.with,
      'filter[change]': input.change ?? 'new,regressed,fixed',
    };
    const path = `/reports/${input.report_id}/changes`;
    const { items, total, page, pages: numPages, meta } = await api.readList<'issue_change'>(path, { query, signal });
    if (meta.with === null) {
      return 'There is no previous report of this site to compare with, or it is still being compared. Name one in with, or ask again in some seconds.';
    }
    const { new: added, regressed, fixed, persisting, unverified } = meta.changes;
    return answerOf([
      `Compared with ${meta.with}, pages matched by ${meta.matched_by}.`,
      `Occurrences: ${formatNumber(added)} new, ${formatNumber(regressed)} regressed, ${formatNumber(fixed)} fixed, ${formatNumber(persisting)} still there, ${formatNumber(unverified)} unverified.`,
      ...(meta.is_current ? [] : ['The comparison is being computed again; ask again in some seconds.']),
      ...items.map((change) => {
        const { how_many: now, how_many_before: before, num_web_pages: pages, sample, cause, occurrences } = change;
        const changed = CHANGES.filter((name) => name !== 'persisting' && occurrences[name] > 0);
        const issue = change.change === 'fixed' ? null : issueAt(change.related.common_issue);
        const at =
          sample === null ? '' : `, such as ${siteUrl(sample.url)}${sample.line ? ` line ${sample.line}` : ''}`;
        const counts = changed.map((name) => `${formatNumber(occurrences[name])} ${name}`).join(', ');
        const extent = `${formatNumber(before)} → ${formatNumber(now)} on ${plural(pages, 'page')}${counts === '' ? '' : ` (${counts})`}`;
        return `- ${change.change} ${issue === null ? '' : `${issue} `}${headingOf(change)}, ${extent}${at}${CAUSES[cause]}`;
      }),
      ...(page < numPages ? moreLine(total, items.length, 'use page') : []),
    ]);
  },
});
