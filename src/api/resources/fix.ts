import Type from 'typebox';
import { alsoFixedMax } from '../../../packages/client/causes.ts';
import { effectOfError } from '../../checks/registry.ts';
import { ADDITIVE, count, flag, nullable, texts } from '../../domain/schemas.ts';
import { countCausesLeftOut, type ListedFix, listFixes } from '../../store/issues/fixes.ts';
import { hasCurrentInsights } from '../../store/reports/reports.ts';
import { EFFECT, effectAttributes, KIND, NAMED_ISSUE } from '../attributes/issue-type.ts';
import { PAGING_QUERY, REPORT_PARAMS } from '../attributes/parameters.ts';
import { endpoint, listed, listOf } from '../http/endpoint.ts';
import { kindsSeenBy } from '../http/pro-features.ts';
import { resource } from '../jsonapi/document.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { CAUSE, COLOR_RULES } from './occurrence.ts';
import { reportToRead } from './report.ts';

export const FIX = resourceType('fix', {
  description:
    'One thing to fix: errors that one edit removes, such as the errors of a link in the header of all pages, or of a color in a style rule. A page passes when all its checks have ended without errors.',
  id: Type.String({ examples: ['17'] }),
  attributes: Type.Object({
    ...NAMED_ISSUE,
    tags: texts('The tags of the common issue, such as the standards it violates.', {
      examples: [['cat.text-alternatives', 'wcag2a', 'wcag111']],
    }),
    ...EFFECT,
    markup: Type.String({
      description: 'The markup of the first occurrence, shortened.',
      examples: ['<div id="main">'],
    }),
    markup_differs: flag(
      'Whether other occurrences have different markup, such as another link target, so that `markup` is an example. The first 20 pages with the issue type are compared. False with a `cause`.',
      { examples: [false], ...ADDITIVE },
    ),
    cause: CAUSE,
    ...COLOR_RULES,
    selector: nullable(Type.String(), 'The selector of the first occurrence; null for checks without selectors.', {
      examples: [null, 'header > img'],
    }),
    cluster: Type.String({
      description: 'Identifies occurrences with this markup: the id of a cluster of the common issue.',
      examples: ['0f3a5b8c1d2e4f60'],
    }),
    how_many: count('Occurrences in the report, including pages that cannot pass because another check failed.', {
      examples: [98],
    }),
    errors: count('Errors that it removes. An element with errors of several checks counts once for each check.', {
      examples: [98],
    }),
    num_web_pages: count('Pages with these occurrences.', { examples: [98] }),
    position: count('Its number in the plan, from 1.', { minimum: 1, examples: [3] }),
    passing_before: count('Pages that pass now.', { examples: [61] }),
    passing_after: count('Pages that pass if only this is fixed.', { examples: [80] }),
    passing_before_plan: count('Pages that pass once everything before it in the plan is fixed.', { examples: [70] }),
    passing_after_plan: count('Pages that pass once this and everything before it in the plan is fixed.', {
      examples: [80],
    }),
    also: Type.Array(
      Type.Object({
        kind: KIND,
        common_issue_id: Type.String({ description: 'The common issue.', examples: ['4'] }),
        cluster: Type.String({
          description: 'Identifies its occurrences with this markup.',
          examples: ['0f3a5b8c1d2e4f60'],
        }),
        message: Type.String({
          description: 'Its message.',
          examples: ['An “img” element must have an “alt” attribute'],
        }),
      }),
      {
        description: `Other issues that the same edit fixes, up to ${alsoFixedMax}: what other checks or rules report about the same elements, such as a link without text around an image without text, and messages that differ only in the numbers in ids.`,
      },
    ),
  }),
  relationships: {
    common_issue: {
      description: 'The issue type, with all its occurrences.',
      path: '/reports/{report_id}/common_html_issues/{common_html_issue_id}',
    },
    occurrences: {
      description: 'All its occurrences.',
      path: '/reports/{report_id}/common_html_issues/{common_html_issue_id}/occurrences',
    },
    web_page: { description: 'The first page with this issue.', path: '/reports/{report_id}/web_pages/{web_page_id}' },
  },
  self: 'never',
});

/** The part of a plan that is left out. */
export const FIXES_LEFT_OUT = count(
  'Number of further causes of errors beyond the end of the plan. The lists of common issues include all errors.',
  { examples: [0] },
);

const META = Type.Object({
  left_out: FIXES_LEFT_OUT,
  is_current: flag('Whether the plan reflects the current state of the report; false while it is being computed.'),
});

export const FIX_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/reports/{report_id}/fixes',
    summary: 'List what to fix first',
    description:
      'Returns a plan of up to 1,000 steps, or fewer for reports with more than 20,000 causes; `meta.left_out` counts the remaining causes. Each step is the fix that makes the most additional pages pass. Ties go to the fix on the most pages (errors with the `hindrance` `severe`, such as broken links, count twice), then to the fix that removes the most errors. The plan is computed when the report ends, and again when it changes.',
    additive: true,
    params: REPORT_PARAMS,
    query: PAGING_QUERY,
    answers: { ...listOf(FIX), meta: META },
    subject: reportToRead,
    async answer({ call, subject, paging }) {
      const kinds = kindsSeenBy(call.viewer);
      const page = await listFixes(call.db, subject.id, kinds, paging);
      const report = call.links(`/reports/${subject.id}`);
      const leftOut = await countCausesLeftOut(call.db, subject.id, kinds);
      const shown = (fix: ListedFix) => {
        const { id, report_id: _, common_issue_id: commonId, sample_page_id: pageId, also, ...attributes } = fix;
        const common = `${report}/common_${fix.kind}_issues/${commonId}`;
        const cluster = fix.cluster.toString('hex');
        return resource(FIX, {
          id,
          attributes: {
            ...{ ...attributes, cluster },
            ...effectAttributes(effectOfError(fix)),
            also: also.map((issue) => ({ ...issue, common_issue_id: String(issue.common_issue_id) })),
          },
          related: {
            common_issue: common,
            occurrences: `${common}/occurrences?filter%5Bcluster%5D=${cluster}`,
            web_page: `${report}/web_pages/${pageId}`,
          },
        });
      };
      return listed(page, shown, { left_out: leftOut, is_current: hasCurrentInsights(subject) });
    },
  }),
];
