import Type from 'typebox';
import { CHECK_KINDS } from '../../domain/check.ts';
import { findRawCheck } from '../../store/raw-checks.ts';
import { endpoint, notFound, ok, one } from '../endpoint.ts';
import { resource } from '../jsonapi/document.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { COUNT, DECIMAL_ID } from '../jsonapi/schemas.ts';
import { NO_QUERY, WEB_PAGE_PARAMS } from '../parameters.ts';
import { webPageToRead } from './web-page.ts';

/** Section 2.11 of the contract: a checker's own output for a page, where the report asked for it to be kept. */
const RAW_CHECK = resourceType('raw_check', {
  id: DECIMAL_ID,
  attributes: Type.Object({
    kind: Type.Enum([...CHECK_KINDS]),
    raw: Type.Object({}, { description: 'The output of the HTML validator or of axe, as it is.' }),
    omitted: {
      ...COUNT,
      description: 'Messages or affected elements left out of `raw` because the whole would have been too large.',
    },
  }),
});

export const RAW_CHECK_ENDPOINTS = CHECK_KINDS.map((kind) =>
  endpoint({
    method: 'GET',
    path: `/reports/{report_id}/web_pages/{web_page_id}/raw_${kind}_check`,
    summary: `Get the unprocessed output of the ${kind} check of a web page`,
    pro: true,
    params: WEB_PAGE_PARAMS,
    query: NO_QUERY,
    answers: one(RAW_CHECK),
    subject: webPageToRead,
    async answer({ call, subject }) {
      const found = await findRawCheck(call.db, subject.id, kind);
      if (found === undefined) throw notFound();
      const { id, raw, omitted } = found;
      return ok(resource(RAW_CHECK, { id, attributes: { kind, raw, omitted }, self: call.links(call.path) }));
    },
  }),
);
