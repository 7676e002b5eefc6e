import type { PATHS } from './paths.ts';

const list = ['sort', 'page', 'size'] as const;
const pages = ['url', 'html', 'a11y', 'link', 'recheck', 'muted', 'issue', ...list] as const;
const page = ['issue', 'occurrence', 'view', 'type', 'muted', 'common', 'list', 'at'] as const;
const filters = ['text', 'tags', 'tags_mode', 'type', 'impact', 'change', 'muted'] as const;
const issues = [...filters, ...list] as const;
const issue = [...filters, 'sort', 'view', 'cluster', 'url', 'occurrences', 'page', 'at'] as const;

/** What the search of a screen may contain. */
export const SEARCH: Readonly<Partial<Record<(typeof PATHS)[number], readonly string[]>>> = {
  '/sign-in': ['to', 'error'],
  '/': ['url', 'tags', 'by', 'sort', 'page'],
  '/reports': ['url', 'tags', 'tags_mode', 'status', 'by', 'schedule', 'site', ...list],
  '/reports/new': ['from', 'url'],
  '/schedules': ['url', 'tags', 'active', ...list],
  '/schedules/new': ['from', 'every'],
  '/stats': ['from', 'to', 'group', 'interval', 'by', 'show'],
  '/mutings': ['page'],
  '/account/tokens': ['page'],
  '/account/credits': ['reason', 'report', 'page'],
  '/account/notifications': ['page'],
  '/account/notifications/$channel': ['status', 'page'],
  '/devices': ['name'],
  '/guests': ['page'],
  '/reports/$report': ['where'],
  '/reports/$report/changes': ['with', 'change', 'pages', 'page'],
  '/reports/$report/urls': ['view', 'url', 'outcome', ...list],
  '/reports/$report/mutings': ['page'],
  '/reports/$report/pages': pages,
  '/reports/$report/pages/$page': page,
  '/reports/$report/html': issues,
  '/reports/$report/html/$issue': issue,
  '/reports/$report/accessibility': issues,
  '/reports/$report/accessibility/$issue': issue,
  '/reports/$report/links': issues,
  '/reports/$report/links/$issue': issue,
  '/share/$secret/pages': pages,
  '/share/$secret/pages/$page': page,
  '/share/$secret/html': issues,
  '/share/$secret/html/$issue': issue,
  '/share/$secret/accessibility': issues,
  '/share/$secret/accessibility/$issue': issue,
  '/share/$secret/links': issues,
  '/share/$secret/links/$issue': issue,
};
