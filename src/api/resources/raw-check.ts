import Type from 'typebox';
import { ENGINES } from '../../checks/registry.ts';
import { ADDITIVE, count, DECIMAL_ID } from '../../domain/schemas.ts';
import { notFound } from '../../platform/errors.ts';
import { findRawCheck } from '../../store/pages/raw-checks.ts';
import { KIND } from '../attributes/issue-type.ts';
import { WEB_PAGE_PARAMS } from '../attributes/parameters.ts';
import { endpoint, one } from '../http/endpoint.ts';
import { resource } from '../jsonapi/document.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { webPageToRead } from './web-page.ts';

/** See docs/contract/resources.md#raw-check. */
const RAW_CHECK = resourceType('raw_check', {
  description: 'The raw output of an engine for a web page, stored if the report requested it.',
  id: DECIMAL_ID,
  attributes: Type.Object({
    kind: KIND,
    raw: Type.Object(
      {},
      {
        description: `Depending on the kind: ${ENGINES.map(({ aboutRaw }) => aboutRaw).join('; ')}.`,
        additionalProperties: true,
        examples: [{ url: 'https://example.com/', messages: [], language: 'en' }],
      },
    ),
    omitted: count('Number of messages or affected elements omitted from `raw` because it would be too large.', {
      examples: [0],
      ...ADDITIVE,
    }),
  }),
  relationships: {},
});

export const RAW_CHECK_ENDPOINTS = ENGINES.map(({ kind, words }) =>
  endpoint({
    method: 'GET',
    path: `/reports/{report_id}/web_pages/{web_page_id}/raw_${kind}_check`,
    summary: `Get the raw ${words} check of a web page`,
    description: 'Returns 404 if the report did not request it, the check has not run, or credits had run out.',
    pro: true,
    params: WEB_PAGE_PARAMS,
    answers: one(RAW_CHECK),
    subject: webPageToRead,
    async answer({ call, subject }) {
      const found = await findRawCheck(call.db, subject.id, kind);
      if (found === undefined) throw notFound();
      const { id, raw, omitted } = found;
      return resource(RAW_CHECK, { id, attributes: { kind, raw, omitted }, self: call.links(call.path) });
    },
  }),
);
