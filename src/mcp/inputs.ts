import Type from 'typebox';
import { CHECK_KINDS } from '../checks/registry.ts';
import { itemsDefault, itemsMax, waitDefaultSeconds, waitMaxSeconds } from './limits.ts';

/** Inputs that several tools take. */

/** An id becomes part of a path of the API, in which `../` would lead to other resources. */
const UUID = { examples: ['01a2098f-8fa9-7e52-917d-31845f4df0e3'], pattern: '^[\\w-]{1,100}$' };

export const REPORT_ID = Type.String({
  description: 'Id of the report, from check_site, list_reports or list_sites.',
  ...UUID,
});

export const RECHECK_ID = Type.Optional(
  Type.String({ description: 'Instead of issue and page_urls: the id of a re-check that is still running.', ...UUID }),
);

export const ISSUE = Type.String({
  description: 'The issue as shown by list_issues.',
  examples: ['html:4711'],
  pattern: `^(${CHECK_KINDS.join('|')}):\\d{1,15}$`,
});

export const LIMIT = Type.Optional(
  Type.Integer({ minimum: 1, maximum: itemsMax, description: `Number of items; ${itemsDefault} by default.` }),
);

export const PAGE = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Page of the list, from 1.' }),
);

export const WAIT = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: waitMaxSeconds,
    description: `Seconds to wait; ${waitDefaultSeconds} by default. If it takes longer, the result says how to continue.`,
  }),
);

/** Returns the parameters of a page of a list. */
export function pagingOf({ limit = itemsDefault, page = 1 }: { readonly limit?: number; readonly page?: number }) {
  return { 'page[size]': limit, 'page[number]': page };
}
