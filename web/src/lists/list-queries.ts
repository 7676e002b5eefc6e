import type { Query } from '../api/client.ts';
import { KIND_NAMES, KINDS, type Kind } from '../lib/kinds.ts';
import { type Search, stringifySearch } from '../lib/search.ts';
import type { ISSUES, PAGES, SearchOn } from '../lib/searches.ts';

/** Lists whose items have neighbors, with their filters and order as in the URL and in the API. */

/** The search names that filter and sort lists of issue types. */
export const COMMON_ISSUE_SEARCH = [
  ...(['text', 'tags', 'tags_mode', 'type', 'impact', 'verdict', 'change', 'muted'] as const),
  'sort',
] as const;

type IssueFilters = Pick<SearchOn<(typeof ISSUES)[number]>, (typeof COMMON_ISSUE_SEARCH)[number]>;

/** Returns the filters and the order of a list of issue types as API parameters. */
export function commonIssueQueryOf(search: IssueFilters, kind: Kind): Query {
  const { text, tags, type, impact, verdict, change, muted, sort } = search;
  const graded = kind === 'a11y' ? impact : undefined;
  return {
    [kind === 'a11y' ? 'filter[help]' : 'filter[message]']: text,
    'filter[tags][list]': tags,
    'filter[tags][mode]': tags === undefined ? undefined : search.tags_mode,
    // “Needs review” is a separate group, regardless of the impact.
    'filter[issue_type]': type ?? (graded === undefined ? undefined : 'error'),
    'filter[impact]': graded,
    'filter[verdict]': verdict,
    'filter[change]': change,
    'filter[muted]': muted,
    // Only accessibility issues can be sorted by impact. By default, issues that need review come after the mildest errors.
    sort: sort === undefined || (kind !== 'a11y' && sort.includes('impact_order')) ? 'severity-desc' : sort,
  };
}

/** The search names that filter lists of web pages. */
export const WEB_PAGE_FILTERS = ['url', ...KIND_NAMES, 'seen', 'recheck', 'muted', 'issue'] as const;

/** Returns the filters and the order of a list of web pages as API parameters. */
export function webPagesQueryOf(search: SearchOn<(typeof PAGES)[number]>): Query {
  const issue = issueIn(search);
  return {
    'filter[url]': search.url,
    ...Object.fromEntries(KIND_NAMES.map((kind) => [`filter[${kind}]`, search[kind]])),
    'filter[seen]': search.seen,
    'filter[recheck]': search.recheck,
    ...(issue !== null && { [KINDS[issue.kind].pagesFilter]: issue.id, 'filter[muted]': search.muted }),
    sort: search.sort,
  };
}

/** Returns the path and the search of a page's screen when it is opened from a list, so that it finds its neighbors there. */
export function listedPage({ base, page, filters, at }: ListedPage) {
  const list = stringifySearch(filters).slice(1);
  return {
    to: `${base}/pages/${page}`,
    search: { list, at: String(at), common: filters['issue'], muted: filters['muted'] },
  };
}

interface ListedPage {
  readonly base: string;
  readonly page: string;
  /** The search that describes the list. */
  readonly filters: Search;
  /** The position of the page in the list, from 1. */
  readonly at: number;
}

/** Returns the issue type that `issue` identifies, as in `html-53`; null if it is absent. */
export function issueIn({ issue }: { readonly issue?: string | undefined }) {
  const [name, id = ''] = issue?.split('-') ?? [];
  const kind = KIND_NAMES.find((each) => each === name);
  return kind === undefined ? null : { kind, id };
}
