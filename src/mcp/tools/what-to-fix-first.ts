import Type from 'typebox';
import { alsoFixedBy, numberedWords } from '../../../packages/client/causes.ts';
import type { Item } from '../../../packages/client/client.ts';
import { styleRuleWords } from '../../../packages/client/occurrences.ts';
import { formatNumber, plural } from '../../domain/amounts.ts';
import { errorsIn } from '../../domain/counts.ts';
import { fixEffectWords } from '../../domain/fix-effect.ts';
import { PAGE, REPORT_ID } from '../inputs.ts';
import { headingOf, issueAt } from '../issues.ts';
import { answerOf, fromSite, moreLine } from '../text.ts';
import { tool } from '../tool.ts';

/** There are few good fixes: the first five have most of the effect. */
const fixesDefault = 5;
const fixesMax = 20;

export const WHAT_TO_FIX_FIRST = tool({
  name: 'what_to_fix_first',
  title: 'What to fix first',
  description:
    'Lists the fixes of a report as a plan: each step is the fix that makes the most additional pages pass. A fix removes one cause, such as a broken link in a shared header.',
  input: Type.Object(
    {
      report_id: REPORT_ID,
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: fixesMax, description: `Number of fixes; ${fixesDefault} by default.` }),
      ),
      page: PAGE,
    },
    { additionalProperties: false },
  ),
  readsOnly: true,
  async run({ api, signal }, { report_id: id, limit = fixesDefault, page = 1 }) {
    const report = await api.read<'report'>(`/reports/${id}`, { signal });
    const { items, total, meta } = await api.readList<'fix'>(`/reports/${id}/fixes`, {
      query: { 'page[size]': limit, 'page[number]': page },
      signal,
    });
    if (total === 0) return nothingToFix(report, meta.is_current);
    const errors = errorsIn(Object.values(report.checks).map((counts) => counts?.issues));
    const checked = report.pages?.checked ?? report.num_pages;
    const all = { pages: checked, errors };
    return answerOf([
      `Passing pages now: ${formatNumber(items[0]?.passing_before ?? 0)} of ${formatNumber(checked)}.`,
      ...items.flatMap((fix) => fixLines(fix, fixEffectWords(fix, all))),
      ...restLines(total - (page - 1) * limit - items.length, page, meta.left_out),
      'explain_issue shows the occurrences of each.',
    ]);
  },
});

/** Returns how many causes follow in the plan, and how many are beyond its end. */
function restLines(following: number, page: number, leftOut: number): string[] {
  return [
    ...moreLine(following, 0, `use page ${page + 1}`),
    ...moreLine(leftOut, 0, 'they are beyond the end of the plan; list_issues lists all errors'),
  ];
}

function fixLines(fix: Item<'fix'>, effect: string): string[] {
  const { position, how_many: occurrences, num_web_pages: pages, markup, cause, selector } = fix;
  const { otherChecks, numbered, others } = alsoFixedBy(fix);
  const rules = styleRuleWords(fix, fromSite, fix.how_many);
  return [
    `${position}. ${issueAt(fix.related.common_issue) ?? fix.kind} ${headingOf({ ...fix, issue_type: 'error' })}`,
    cause === null
      ? `   ${fromSite(markup)}${selector === null ? '' : `, selector ${fromSite(selector)}`}`
      : `   ${fromSite(cause)}, for example for ${fromSite(markup)}`,
    ...(rules === '' ? [] : [`   ${rules}`]),
    `   ${plural(occurrences, 'occurrence')} on ${plural(pages, 'page')}; ${effect}`,
    ...[...otherChecks, ...others].map(
      ({ kind, message }) => `   The same edit fixes the ${kind} issue: ${fromSite(message)}`,
    ),
    ...numbered
      .slice(0, 1)
      .map(({ message }) => `   The same edit fixes ${numberedWords(numbered.length)}, such as ${fromSite(message)}`),
  ];
}

function nothingToFix({ id, status }: Item<'report'>, isCurrent: boolean): string {
  if (status !== 'finished')
    return `The report is ${status}: there is no plan yet. Call get_report with report_id ${id} to wait.`;
  if (!isCurrent) return 'The plan is being computed; try again in a few seconds.';
  return 'No fixes: the report has no errors.';
}
