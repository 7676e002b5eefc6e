import Type from 'typebox';
import { CHECK_KINDS } from '../checks/registry.ts';
import { itemsDefault, itemsMax, waitDefaultSeconds, waitMaxSeconds } from './limits.ts';

/** Inputs that several tools take. */

export const REPORT_ID = Type.String({
  description: 'Id of the report, from check_site, list_reports or list_sites.',
  // It becomes part of a path of the API, in which `../` would lead to other resources.
  pattern: '^[\\w-]{1,100}$',
});

export const ISSUE = Type.String({
  description: 'The issue as list_issues writes it, such as html:4711.',
  pattern: `^(${CHECK_KINDS.join('|')}):\\d{1,15}$`,
});

export const LIMIT = Type.Optional(
  Type.Integer({ minimum: 1, maximum: itemsMax, description: `Items of the list; ${itemsDefault} by default.` }),
);

export const PAGE = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Page of the list, from 1.' }),
);

export const WAIT = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: waitMaxSeconds,
    description: `Seconds to wait for the result; ${waitDefaultSeconds} by default. If it takes longer, ask again with get_report.`,
  }),
);

/** Returns the parameters of a page of a list. */
export function pagingOf({ limit = itemsDefault, page = 1 }: { readonly limit?: number; readonly page?: number }) {
  return { 'page[size]': limit, 'page[number]': page };
}
