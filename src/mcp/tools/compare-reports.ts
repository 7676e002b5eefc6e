import Type from 'typebox';
import {
  CHANGES,
  changeWords,
  comparedOf,
  DECISION_EFFECTS,
  decidedSentence,
  decisionWords,
  OTHER_CHANGES,
  occurrenceWords,
} from '../../../packages/client/changes.ts';
import type { Item } from '../../../packages/client/client.ts';
import { settingChangeWords } from '../../../packages/client/setting-changes.ts';
import { plural } from '../../domain/amounts.ts';
import { CHANGE_NAMES, UNVERIFIED_CAUSES, type UnverifiedCause } from '../../domain/change.ts';
import { LIMIT, PAGE, pagingOf, REPORT_ID } from '../inputs.ts';
import { headingOf, issueAt } from '../issues.ts';
import { answerOf, moreLine, siteUrl } from '../text.ts';
import { tool } from '../tool.ts';

/** Causes of changes other than the site. */
const CAUSES = {
  engine: 'because the engine versions differ',
  settings: 'because of other settings',
  measurement: 'although the document is the same: results may vary',
  muting: 'because it is muted in one report',
} as const;

const UNVERIFIED: Readonly<Record<UnverifiedCause, string>> = {
  page_gone: 'because the page now returns 404 or 410',
  not_checked: 'because the page could not be checked',
  page_missing: 'because only one report has the page',
  too_many_occurrences: 'because there are too many occurrences to compare',
};

export const COMPARE_REPORTS = tool({
  name: 'compare_reports',
  title: 'Compare two reports',
  description:
    'Shows which issues are new, back, fixed or unchanged since an earlier report. Also compares two sites, such as staging and production: pages of other origins are matched by path.',
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
      return 'There is no previous report of this site, or the comparison is not ready yet. Pass the id of an earlier report in `with`, or try again in a few seconds.';
    }
    const words = changeWords(meta.other_site);
    return answerOf([
      `Compared with ${meta.with}${meta.other_site ? ', a report of another site' : ''}, pages matched by ${meta.matched_by}.`,
      `Occurrences: ${occurrenceWords(meta.changes, CHANGES, words) || 'none in either report'}. ${decidedSentence(meta.decided, meta.other_site)}`.trimEnd(),
      ...(meta.is_current ? [] : ['The comparison is being recomputed; try again in a few seconds.']),
      ...(meta.settings.length === 0
        ? []
        : [`Settings that differ: ${meta.settings.map(settingChangeWords).join('; ')}.`]),
      ...items.map((change) => changeLine(change, meta.other_site === true)),
      ...(page < numPages ? moreLine(total, items.length, 'use page') : []),
    ]);
  },
});

/** Returns the change of an issue type: `- more html:12 error: message, 4 → 6 on 2 pages (2 new)`. */
function changeLine(change: Item<'issue_change'>, isOtherSite: boolean): string {
  const { occurrences, sample, causes, decided } = change;
  const changed = changeWords(isOtherSite);
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
  const byDecision = DECISION_EFFECTS.flatMap((effect) =>
    decided[effect] > 0 ? `${decided[effect].toLocaleString('en')} ${decisionWords(isOtherSite)[effect]}` : [],
  );
  const words = [occurrenceWords(occurrences, VERIFIED, changed), unverifiedWords(change, changed)]
    .filter((part) => part !== '')
    .join(', ');
  const counts = [words, ...reasons, ...byDecision].filter((part) => part !== '').join('; ');
  const line = `- ${changed[change.change]} ${issue === null ? '' : `${issue} `}${headingOf(change)}, ${extent}`;
  const at = sample === null ? '' : `, for example ${siteUrl(sample.url)}${sample.line ? ` line ${sample.line}` : ''}`;
  return `${line}${counts === '' ? '' : ` (${counts})`}${at}`;
}

const VERIFIED = OTHER_CHANGES.filter((change) => change !== 'unverified');

/** Returns how many occurrences are not verified, with the reasons: `3 not verified: 2 because …, 1 because …`. */
function unverifiedWords(
  { occurrences, causes }: Item<'issue_change'>,
  changed: ReturnType<typeof changeWords>,
): string {
  const words = occurrenceWords(occurrences, ['unverified'], changed);
  const found = UNVERIFIED_CAUSES.filter((cause) => causes[cause] > 0);
  const [first] = found;
  if (words === '' || first === undefined) return words;
  if (causes[first] === occurrences.unverified) return `${words} ${UNVERIFIED[first]}`;
  return `${words}: ${found.map((cause) => `${causes[cause].toLocaleString('en')} ${UNVERIFIED[cause]}`).join(', ')}`;
}

const CAUSE_NAMES = Object.keys(CAUSES) as (keyof typeof CAUSES)[];
