import Type from 'typebox';
import type { Item } from '../../../packages/client/client.ts';
import { plural } from '../../domain/amounts.ts';
import { CHANGE_NAMES, CHANGE_WORDS, comparedOf, OTHER_CHANGES, occurrenceWords } from '../../domain/change.ts';
import { LIMIT, PAGE, pagingOf, REPORT_ID } from '../inputs.ts';
import { headingOf, issueAt } from '../issues.ts';
import { answerOf, moreLine, siteUrl } from '../text.ts';
import { tool } from '../tool.ts';

/** Why occurrences changed other than by the site. */
const CAUSES = {
  engine: 'because of another version of the checker',
  settings: 'because of other settings',
  measurement: 'although the document is the same: results may vary',
  page_gone: 'not verified because their page now returns 404 or 410',
  not_checked: 'not verified because their page could not be checked',
  page_missing: 'not verified because this report does not have their page',
  too_many_occurrences: 'not verified because there are too many occurrences to compare',
} as const;

export const COMPARE_REPORTS = tool({
  name: 'compare_reports',
  title: 'Compare two reports',
  description:
    'Shows what is new, back, fixed or as before since an earlier report of the same site, or of another origin such as staging: then pages are matched by path.',
  input: Type.Object(
    {
      report_id: REPORT_ID,
      with: Type.Optional(
        Type.String({
          description: 'Id of the earlier report; the previous report of the site by default.',
          maxLength: 100,
        }),
      ),
      change: Type.Optional(
        Type.Enum([...CHANGE_NAMES], {
          description: 'Only issues with one of these changes; new, regressed and fixed by default.',
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
      return 'There is no previous report of this site, or the comparison is not ready yet. Pass a report in with, or try again in a few seconds.';
    }
    return answerOf([
      `Compared with ${meta.with}, pages matched by ${meta.matched_by}.`,
      `Occurrences: ${occurrenceWords(meta.changes) || 'none then, none now'}.`,
      ...(meta.is_current ? [] : ['The comparison is being recomputed; try again in a few seconds.']),
      ...items.map(changeLine),
      ...(page < numPages ? moreLine(total, items.length, 'use page') : []),
    ]);
  },
});

/** Returns what became of an issue type: `- more html:12 error: message, 4 → 6 on 2 pages (2 new)`. */
function changeLine(change: Item<'issue_change'>): string {
  const { occurrences, sample, causes } = change;
  const issue = change.how_many === 0 ? null : issueAt(change.related.common_issue);
  const { before, now } = comparedOf(occurrences);
  const pages =
    change.how_many === 0
      ? `${plural(change.num_web_pages_before, 'page')} before`
      : plural(change.num_web_pages, 'page');
  const numbers = before + now === 0 ? [] : [`${before.toLocaleString('en')} → ${now.toLocaleString('en')}`];
  const extent = [...numbers, `on ${pages}`].join(' ');
  const reasons = CAUSE_NAMES.flatMap((cause) =>
    causes[cause] > 0 ? `${causes[cause].toLocaleString('en')} ${CAUSES[cause]}` : [],
  );
  const counts = [occurrenceWords(occurrences, OTHER_CHANGES), ...reasons].filter((words) => words !== '').join('; ');
  const line = `- ${CHANGE_WORDS[change.change]} ${issue === null ? '' : `${issue} `}${headingOf(change)}, ${extent}`;
  const at = sample === null ? '' : `, for example ${siteUrl(sample.url)}${sample.line ? ` line ${sample.line}` : ''}`;
  return `${line}${counts === '' ? '' : ` (${counts})`}${at}`;
}

const CAUSE_NAMES = Object.keys(CAUSES) as (keyof typeof CAUSES)[];
