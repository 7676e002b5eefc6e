import { CHECK_KINDS, CHECKS } from 'sitewarden-client/report-attributes';

/** The kinds of checks, with their names in the API, in paths and in texts. */
export type Kind = keyof typeof CHECKS;

interface KindWords {
  /** The segment in paths of the dashboard. */
  readonly path: 'html' | 'accessibility' | 'links';
  readonly title: string;
  /** The list of common issues in the API. */
  readonly commonIssues: 'common_html_issues' | 'common_a11y_issues' | 'common_link_issues';
  /** The list of a page's issues in the API. */
  readonly issues: 'html_issues' | 'a11y_issues' | 'link_issues';
  /** The name of a page's check in the API. */
  readonly check: 'html_check' | 'a11y_check' | 'link_check';
  /** The filter of pages by a common issue. */
  readonly pagesFilter: string;
}

export const KINDS: Readonly<Record<Kind, KindWords>> = {
  html: {
    path: 'html',
    title: CHECKS.html.title,
    commonIssues: 'common_html_issues',
    issues: 'html_issues',
    check: 'html_check',
    pagesFilter: 'filter[common_html_issue_id]',
  },
  a11y: {
    path: 'accessibility',
    title: CHECKS.a11y.title,
    commonIssues: 'common_a11y_issues',
    issues: 'a11y_issues',
    check: 'a11y_check',
    pagesFilter: 'filter[common_a11y_issue_id]',
  },
  link: {
    path: 'links',
    title: CHECKS.link.title,
    commonIssues: 'common_link_issues',
    issues: 'link_issues',
    check: 'link_check',
    pagesFilter: 'filter[common_link_issue_id]',
  },
};

export const KIND_NAMES = CHECK_KINDS;

/** Returns the kinds of check that a report runs. */
export function kindsOf({ checks }: { readonly checks: Readonly<Partial<Record<Kind, object | null>>> }): Kind[] {
  return KIND_NAMES.filter((kind) => checks[kind] != null);
}

/** Returns the errors that all checks of a report found. */
export function errorsIn({
  checks,
}: {
  readonly checks: Readonly<Partial<Record<Kind, { readonly issues: { readonly errors: number } } | null>>>;
}): number {
  return KIND_NAMES.reduce((sum, kind) => sum + (checks[kind]?.issues.errors ?? 0), 0);
}

/** Returns the kind that a path of the dashboard names. */
export function kindOfPath(path: string): Kind | undefined {
  return KIND_NAMES.find((kind) => KINDS[kind].path === path);
}

/** The word for occurrences: axe reports elements, the link check reports links. */
export const OCCURRENCE_WORDS: Readonly<Record<Kind, string>> = { html: 'occurrence', a11y: 'element', link: 'link' };
