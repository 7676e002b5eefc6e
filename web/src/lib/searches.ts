import { CHANGE_WORDS } from 'sitewarden-client/changes';
import {
  ATTENTION_CHOICES,
  CREDIT_REASONS,
  DELIVERY_STATUSES,
  IMPACTS,
  PAGE_CHANGES,
  REPORT_STATUSES,
  SHOWN_OUTCOMES,
  TAG_MODES,
} from 'sitewarden-client/values';
import { MARK_NAMES } from './mark-names.ts';
import { PATHS } from './paths.ts';
import {
  type Fields,
  isDay,
  isId,
  isNumber,
  isState,
  isText,
  isWord,
  oneOf,
  read,
  type SearchWith,
  someOf,
} from './search.ts';
import { UNCOUNTED_NAMES } from './uncounted.ts';

export type Path = (typeof PATHS)[number];

const isMuted = oneOf('false', ...UNCOUNTED_NAMES, 'all');
const change = someOf(...Object.keys(CHANGE_WORDS));
const tags_mode = oneOf(...TAG_MODES);

const list = { sort: isWord, page: isNumber, size: isNumber };
const pages = {
  ...{ url: isText, html: isState, a11y: isState, link: isState },
  ...{
    recheck: someOf('fixed', 'still', 'new'),
    muted: isMuted,
    issue: isWord,
    seen: isWord,
  },
  ...list,
};
const page = {
  ...{ issue: isText, occurrence: isText, view: isWord, muted: isMuted, list: isText, at: isNumber },
  ...{ common: isWord, cluster: isId },
  type: someOf('error', 'warning', ...IMPACTS, 'review'),
};
const filters = {
  ...{ text: isText, tags: isText, tags_mode, change, muted: isMuted },
  type: someOf('error', 'warning', 'review'),
  impact: someOf(...IMPACTS),
  verdict: someOf('none', 'error', 'later'),
};
const issues = { ...filters, ...list };
const issue = {
  ...filters,
  ...{ sort: isWord, view: isWord, cluster: isId, url: isText, occurrences: isWord, page: isNumber, at: isNumber },
};
const status = someOf(...REPORT_STATUSES);
/** Where a period of a site begins. */
const isBeginning = (text: string): text is string => text === 'first' || text === 'previous' || isDay(text);

/** The valid search names and values of each screen. */
export const SEARCH = {
  '/sign-in': { to: isText, error: isText },
  '/sign-up': {},
  '/welcome/$secret': {},
  '/invitations/$secret': {},
  '/': {
    ...{ text: isText, tags: isText, archived: oneOf('true', 'all'), by: isId, sort: isWord, page: isNumber },
    ...{ need: oneOf(...ATTENTION_CHOICES), group: oneOf('tag') },
  },
  '/reports': { url: isText, tags: isText, tags_mode, status, by: isId, schedule: isId, site: isId, ...list },
  '/reports/new': { site: isId, from: isId, url: isText },
  '/schedules': { text: isText, tags: isText, active: oneOf('true', 'false'), ...list },
  '/schedules/new': { site: isId, from: isId, every: isWord },
  '/schedules/$schedule': {},
  '/sites/new': {},
  '/sites/$site': { show: oneOf('errors', 'severe', 'passing'), marks: someOf(...MARK_NAMES) },
  '/sites/$site/settings': {},
  '/sites/$site/fixed': { since: isBeginning, until: isDay },
  '/sites/$site/decisions': { page: isNumber },
  '/fixed': { tag: isText, since: isBeginning, until: isDay },
  '/sharing': { site: isId, tag: isText, page: isNumber },
  '/stats': {
    ...{ from: isDay, to: isDay, by: isId, show: isWord },
    ...{ group: oneOf('site', 'domain', 'tag'), interval: oneOf('day', 'week', 'month') },
  },
  '/mutings': { page: isNumber },
  '/account': {},
  '/account/retention': {},
  '/account/tokens': { page: isNumber },
  '/account/credits': {
    ...{ report: isId, page: isNumber },
    reason: someOf(...CREDIT_REASONS),
  },
  '/account/notifications': { page: isNumber },
  '/account/notifications/new': {},
  '/account/notifications/$channel': { status: someOf(...DELIVERY_STATUSES), page: isNumber },
  '/operate': { page: isNumber },
  '/operate/accounts': { text: isText, sort: isWord, page: isNumber },
  '/operate/audit': { action: isText, text: isText, page: isNumber },
  '/devices': { name: isText },
  '/guests': { page: isNumber },
  '/reports/$report': { where: isText },
  '/reports/$report/changes': { with: isId, at: someOf('now'), change, page: isNumber, pages: someOf(...PAGE_CHANGES) },
  '/reports/$report/urls': { view: isWord, url: isText, outcome: someOf(...SHOWN_OUTCOMES), ...list },
  '/reports/$report/mutings': { page: isNumber },
  '/reports/$report/review': { show: oneOf('errors', 'later') },
  '/reports/$report/pages': pages,
  '/reports/$report/pages/$page': page,
  '/reports/$report/html': issues,
  '/reports/$report/html/$issue': issue,
  '/reports/$report/accessibility': issues,
  '/reports/$report/accessibility/$issue': issue,
  '/reports/$report/links': issues,
  '/reports/$report/links/$issue': issue,
  '/share/$secret': {},
  '/share/$secret/pages': pages,
  '/share/$secret/pages/$page': page,
  '/share/$secret/html': issues,
  '/share/$secret/html/$issue': issue,
  '/share/$secret/accessibility': issues,
  '/share/$secret/accessibility/$issue': issue,
  '/share/$secret/links': issues,
  '/share/$secret/links/$issue': issue,
  '/latest/$secret': { page: isNumber, since: isBeginning },
  '/latest/$secret/$site': { since: isBeginning },
  '/latest/$secret/$site/$report': {},
  '/latest/$secret/$site/$report/pages': pages,
  '/latest/$secret/$site/$report/pages/$page': page,
  '/latest/$secret/$site/$report/html': issues,
  '/latest/$secret/$site/$report/html/$issue': issue,
  '/latest/$secret/$site/$report/accessibility': issues,
  '/latest/$secret/$site/$report/accessibility/$issue': issue,
  '/latest/$secret/$site/$report/links': issues,
  '/latest/$secret/$site/$report/links/$issue': issue,
} as const satisfies Readonly<Record<Path, Fields>>;

/** The state of a screen in its URL. Absent names have their defaults. */
export type SearchOn<On extends Path> = SearchWith<(typeof SEARCH)[On]>;

/** Returns the search of a screen without invalid values. */
export function searchOn<const On extends Path>(path: On, search: Readonly<Record<string, unknown>>): SearchOn<On> {
  return read(SEARCH[path], search);
}

/** The parameters of a path: `report` and `page` of `/reports/$report/pages/$page`. */
export type ParamsOf<On extends string> = On extends `${string}$${infer Name}/${infer Rest}`
  ? { readonly [Each in Name]: string } & ParamsOf<Rest>
  : On extends `${string}$${infer Name}`
    ? { readonly [Each in Name]: string }
    : unknown;

type Below<Base extends string> = Extract<Path, `${Base}${string}`>;

/** The paths of all screens of a report. */
export const REPORT = PATHS.filter((path): path is Below<'/reports/$report'> => path.startsWith('/reports/$report'));
export const SHARED = PATHS.filter((path): path is Below<'/share/$secret'> => path.startsWith('/share/$secret'));

/** The paths of the screens of a report that a share link of its site opens. */
export const LATEST_REPORT = PATHS.filter((path): path is Below<'/latest/$secret/$site/$report'> =>
  path.startsWith('/latest/$secret/$site/$report'),
);

/** The paths of screens that both the owner and readers with a share link can open. */
export const PAGES = ['/reports/$report/pages', '/share/$secret/pages', '/latest/$secret/$site/$report/pages'] as const;
export const PAGE = [
  '/reports/$report/pages/$page',
  '/share/$secret/pages/$page',
  '/latest/$secret/$site/$report/pages/$page',
] as const;
export const ISSUES = [
  ...(['/reports/$report/html', '/reports/$report/accessibility', '/reports/$report/links'] as const),
  ...(['/share/$secret/html', '/share/$secret/accessibility', '/share/$secret/links'] as const),
  '/latest/$secret/$site/$report/html',
  '/latest/$secret/$site/$report/accessibility',
  '/latest/$secret/$site/$report/links',
] as const;
export const ISSUE = [
  '/reports/$report/html/$issue',
  '/reports/$report/accessibility/$issue',
  '/reports/$report/links/$issue',
  '/share/$secret/html/$issue',
  '/share/$secret/accessibility/$issue',
  '/share/$secret/links/$issue',
  '/latest/$secret/$site/$report/html/$issue',
  '/latest/$secret/$site/$report/accessibility/$issue',
  '/latest/$secret/$site/$report/links/$issue',
] as const;
