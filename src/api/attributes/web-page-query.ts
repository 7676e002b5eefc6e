import Type, { type Static } from 'typebox';
import { SEEN_AS } from '../../../packages/client/seen-as.ts';
import type { Viewer } from '../../accounts/access.ts';
import type { EngineDescription } from '../../checks/engine-description.ts';
import { CHECK_KINDS, ENGINES } from '../../checks/registry.ts';
import { CHECK_STATES, type CheckKind } from '../../domain/check.ts';
import { ADDITIVE, PRO } from '../../domain/schemas.ts';
import type { WebPageOrder } from '../../store/pages/web-page-order.ts';
import { RECHECK_OUTCOMES, WEB_PAGE_STATUSES, type WebPageFilter } from '../../store/pages/web-pages.ts';
import { seesChecks } from '../http/pro-features.ts';
import { choiceParameter, chosenOf, PAGING, parseSort, sortParameter } from '../jsonapi/query.ts';
import { decimalId, MUTED_FILTER, textFilter } from './parameters.ts';

/** Filters and order of the list of web pages. */

/** The sort keys by their names in `sort`. */
const SORTS = new Map<string, WebPageOrder['key']>([
  ['url', 'url'],
  ['title', 'title'],
  ...CHECK_KINDS.map((kind) => [`${kind}_errors`, { errorsOf: kind }] as const),
  ['http_status', 'http_status'],
]);
export const WEB_PAGE_SORT_KEYS = [...SORTS.keys()];

export const WEB_PAGE_LIST_QUERY = Type.Object({
  ...PAGING,
  'filter[url]': textFilter('`url` or `reached_url`', '/shop/'),
  'filter[status]': Type.Optional(
    Type.Enum([...WEB_PAGE_STATUSES], { description: 'The status of the pages.', ...ADDITIVE }),
  ),
  'filter[journey]': Type.Optional(
    Type.String({
      description: 'Only the marks of the journey with this name.',
      examples: ['Checkout'],
      ...ADDITIVE,
    }),
  ),
  'filter[seen]': choiceParameter(SEEN_AS, {
    description:
      'Only pages that were checked in one of these ways (signed in to the site or not, at a mark of a journey, with states that were opened, with the consent banner dismissed or kept)',
    ...ADDITIVE,
  }),
  ...Object.fromEntries(ENGINES.map((engine) => [commonIssueFilter(engine.kind), commonIssueFilterSchema(engine)])),
  ...Object.fromEntries(ENGINES.map((engine) => [checkStateFilter(engine.kind), checkStateFilterSchema(engine)])),
  'filter[recheck]': Type.Optional(
    Type.Enum([...RECHECK_OUTCOMES], {
      description: 'Only pages whose last re-check found fixed, remaining, or new occurrences.',
      ...ADDITIVE,
    }),
  ),
  ...MUTED_FILTER,
  sort: sortParameter(WEB_PAGE_SORT_KEYS, {
    description:
      'Pages without a title or status come first. Without a Pro plan, keys of accessibility checks are ignored. ' +
      'By default, pages are in the order in which they were found.',
    example: 'html_errors-desc',
    ...ADDITIVE,
  }),
});

type ListQuery = Static<typeof WEB_PAGE_LIST_QUERY>;

/**
 * Returns the filter of a list.
 * @param kinds the enabled kinds of check
 */
export function webPageFilterOf(query: ListQuery, viewer: Viewer, kinds: readonly CheckKind[]): WebPageFilter {
  const visible = kinds.filter((kind) => seesChecks(viewer, kind));
  return {
    url: query['filter[url]'],
    status: query['filter[status]'],
    journey: query['filter[journey]'],
    seen: query['filter[seen]'] === undefined ? undefined : chosenOf(query['filter[seen]'], SEEN_AS),
    statusOf: visible.length === kinds.length ? undefined : visible,
    recheck: query['filter[recheck]'] && { outcome: query['filter[recheck]'], kinds: visible },
    checkStates: checkStatesIn(query),
    commonIssues: commonIssuesIn(query),
    muted: query['filter[muted]'],
  };
}

function commonIssueFilter(kind: CheckKind): string {
  return `filter[common_${kind}_issue_id]`;
}

function commonIssueFilterSchema({ words, isPro }: EngineDescription) {
  const description = `Only pages with this common ${words} issue.`;
  return Type.Optional(Type.String({ description, examples: ['4711'], ...(isPro && PRO) }));
}

function checkStateFilter(kind: CheckKind): string {
  return `filter[${kind}]`;
}

function checkStateFilterSchema({ words, isPro }: EngineDescription) {
  const description = `Only pages whose ${words} check has one of these results (\`passed\` means no unmuted errors)`;
  return choiceParameter(CHECK_STATES, { description, ...ADDITIVE, ...(isPro && PRO) });
}

function checkStatesIn(query: Readonly<Record<string, unknown>>): NonNullable<WebPageFilter['checkStates']> {
  return CHECK_KINDS.flatMap((kind) => {
    const states = query[checkStateFilter(kind)];
    return typeof states === 'string' ? [{ kind, states: chosenOf(states, CHECK_STATES) }] : [];
  });
}

/** Returns the order of a list. Ignores errors that the viewer cannot see. */
export function webPageOrderOf({ sort }: ListQuery, viewer: Viewer): WebPageOrder[] {
  return parseSort(sort, WEB_PAGE_SORT_KEYS).flatMap(({ key: word, direction }) => {
    const key = SORTS.get(word) ?? 'url';
    return typeof key === 'string' || seesChecks(viewer, key.errorsOf) ? [{ key, direction }] : [];
  });
}

/** Returns the common issues that a query filters by. A malformed id matches nothing. */
function commonIssuesIn(query: Readonly<Record<string, unknown>>): NonNullable<WebPageFilter['commonIssues']> {
  return CHECK_KINDS.flatMap((kind) => {
    const id = query[commonIssueFilter(kind)];
    return typeof id === 'string' ? [{ kind, id: decimalId(id) ?? 0 }] : [];
  });
}
