import type { Query } from '../api/client.ts';
import type { Kind } from '../lib/kinds.ts';
import type { Search } from '../lib/search.ts';

/** The names in the URL by which lists of kinds of issue are filtered and sorted. */
export const COMMON_ISSUE_SEARCH = ['text', 'tags', 'tags_mode', 'type', 'impact', 'change', 'muted', 'sort'] as const;

/** Returns the filters and the order of a list of kinds of issue, as the API spells them. */
export function commonIssueQueryOf(search: Search, kind: Kind): Query {
  const { text, tags, type, impact, change, muted, sort } = search;
  return {
    [kind === 'a11y' ? 'filter[help]' : 'filter[message]']: text,
    'filter[tags][list]': tags,
    'filter[tags][mode]': tags === undefined ? undefined : search['tags_mode'],
    'filter[issue_type]': type,
    'filter[impact]': kind === 'a11y' ? impact : undefined,
    'filter[change]': change,
    'filter[muted]': muted,
    // The impact is an order of accessibility issues only.
    sort: kind === 'a11y' || sort?.includes('impact_order') !== true ? sort : undefined,
  };
}
