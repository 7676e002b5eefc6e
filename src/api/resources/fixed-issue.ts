import Type from 'typebox';
import { CHECK_KINDS } from '../../checks/registry.ts';
import { IMPACTS } from '../../domain/check.ts';
import { count, issueType, nullable } from '../../domain/schemas.ts';
import { FIXED_ISSUES_MAX, listFixedIssues } from '../../store/former-issues.ts';
import { endpoint, listed, listOf } from '../http/endpoint.ts';
import { seesChecks } from '../http/pro.ts';
import { resource } from '../jsonapi/document.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { PAGING_QUERY, WEB_PAGE_PARAMS } from './parameters.ts';
import { webPageToRead } from './web-page.ts';

const FIXED_ISSUE = resourceType('fixed_issue', {
  description: 'A kind of issue of which a re-check of a web page found fewer places, or none.',
  id: Type.String({ examples: ['17'] }),
  attributes: Type.Object({
    kind: Type.Enum([...CHECK_KINDS], { description: 'The kind of check.', examples: ['html'] }),
    fingerprint: Type.String({
      description: 'Identifies the kind of issue in all reports.',
      examples: ['0f3a5b8c1d2e4f60718293a4b5c6d7e8'],
    }),
    issue_type: issueType(),
    message: Type.String({
      description: 'The start of the message, or of the help of the rule.',
      examples: ['Duplicate ID “main”.'],
    }),
    rule_id: nullable(Type.String(), 'The id of the rule; null if rules have no ids.', {
      examples: [null, 'image-alt'],
    }),
    impact: nullable(Type.Enum([...IMPACTS]), 'The impact; null for checks that do not grade their issues.', {
      examples: [null, 'critical'],
    }),
    how_many: count('Number of its places that were fixed.', { examples: [2] }),
  }),
  relationships: {
    web_page: { description: 'The web page.', path: '/reports/{report_id}/web_pages/{web_page_id}' },
  },
  self: 'never',
});

const META = Type.Object({
  unlisted: count('Fixed places of kinds of issue that are not in the list.', { examples: [0] }),
});

export const FIXED_ISSUE_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/reports/{report_id}/web_pages/{web_page_id}/fixed_issues',
    summary: 'List what the last re-check of a web page fixed',
    description: `By kind of check, in document order, at most ${FIXED_ISSUES_MAX} kinds of issue of each. Empty if the page was not checked again.`,
    additive: true,
    params: WEB_PAGE_PARAMS,
    query: PAGING_QUERY,
    answers: { ...listOf(FIXED_ISSUE), meta: META },
    subject: webPageToRead,
    async answer({ call, subject, paging }) {
      const kinds = CHECK_KINDS.filter((kind) => seesChecks(call.viewer, kind));
      const page = await listFixedIssues(call.db, subject.id, kinds, paging);
      const fixed = kinds.reduce((sum, kind) => sum + (subject.checks[kind]?.recheck?.fixed ?? 0), 0);
      const webPage = call.links(`/reports/${subject.report_id}/web_pages/${subject.id}`);
      return listed(
        page,
        ({ id, fingerprint, ...attributes }) =>
          resource(FIXED_ISSUE, {
            id,
            attributes: { ...attributes, fingerprint: fingerprint?.toString('hex') ?? '' },
            related: { web_page: webPage },
          }),
        { unlisted: Math.max(0, fixed - page.places) },
      );
    },
  }),
];
