import { CHANGE_WORDS, OTHER_CHANGES, occurrenceWords } from '../../packages/client/changes.ts';
import type { Client, Item, Query } from '../../packages/client/client.ts';
import type { PageIssueItem } from '../../packages/client/occurrences.ts';
import { CHECK_KINDS, engineOf } from '../checks/registry.ts';
import { plural } from '../domain/amounts.ts';
import type { Impact } from '../domain/check.ts';
import { severityWords } from '../domain/counts.ts';
import type { Verdict } from '../domain/decision.ts';
import { fromSite } from './text.ts';

export type CommonIssue = Item<'common_html_issue'> | Item<'common_a11y_issue'> | Item<'common_link_issue'>;

/** A kind of check, as in the types of the API. */
export type Kind = Item<'fix'>['kind'];
export const KINDS = CHECK_KINDS as readonly Kind[];

/** Part of a list of issues, of the kind in its path. */
interface Issues<Issue> {
  readonly items: readonly Issue[];
  /** Number of items in the whole list. */
  readonly total: number;
}

interface ListOptions {
  readonly query: Query;
  readonly signal: AbortSignal;
}

export async function readCommonIssues(api: Client, path: string, options: ListOptions): Promise<Issues<CommonIssue>> {
  return (await api.readList<CommonIssue['type']>(path, options)) as Issues<unknown> as Issues<CommonIssue>;
}

export async function readPageIssues(api: Client, path: string, options: ListOptions): Promise<Issues<PageIssueItem>> {
  return (await api.readList<PageIssueItem['type']>(path, options)) as Issues<unknown> as Issues<PageIssueItem>;
}

/** Returns the kinds of check of a report that its reader can see. */
export function kindsOf(report: Item<'report'>): readonly Kind[] {
  return KINDS.filter((kind) => report.related[`common_${kind}_issues`] !== undefined);
}

/** Returns the kind of check and the id in `html:4711`. */
export function issueFrom(text: string): { readonly kind: Kind; readonly id: string } {
  const [kind, id = ''] = text.split(':');
  return { kind: KINDS.find((known) => known === kind) ?? 'html', id };
}

/** Returns the path of an issue type in its report. */
export function issuePath(reportId: string, issue: string): string {
  const { kind, id } = issueFrom(issue);
  return `/reports/${reportId}/common_${kind}_issues/${id}`;
}

/** Returns the notation of tools for the issue type at a path of the API, such as `html:4711`; null if there is none. */
export function issueAt(path: string | undefined): string | null {
  const [, kind, id] = /\/common_(\w+)_issues\/(\d+)$/.exec(path ?? '') ?? [];
  return kind === undefined ? null : `${kind}:${id}`;
}

/** Returns the severity and the message of an issue. The message about a link contains its URL, so it comes from the site. */
export function headingOf(issue: {
  readonly issue_type: 'error' | 'warning';
  readonly impact?: Impact | null;
  readonly rule_id?: string | null;
  readonly message?: string;
  readonly help?: string;
  readonly verdict?: Verdict | null;
}): string {
  const { issue_type: type, impact = null, rule_id: rule, verdict } = issue;
  return `${severityWords(type, impact, verdict)}: ${fromSite(issue.message ?? issue.help ?? '')}${rule === null || rule === undefined ? '' : ` (${rule})`}`;
}

/** Returns an issue type in one line. */
export function issueLine(issue: CommonIssue): string {
  const { how_many: howMany, num_web_pages: pages, change, changed_occurrences: occurrences } = issue;
  const where = `${plural(howMany, 'occurrence')} on ${plural(pages, 'page')}`;
  const words = change === 'new' || occurrences === null ? '' : occurrenceWords(occurrences, OTHER_CHANGES);
  const changed = change === null ? [] : [words === '' ? CHANGE_WORDS[change] : `${CHANGE_WORDS[change]} (${words})`];
  const kind = issue.type.replace(/^common_|_issue$/g, '');
  return `- ${[`${kind}:${issue.id} ${headingOf(issue)}`, where, ...changed].join(', ')}`;
}

/** Returns the name of a kind of check for people, such as `Accessibility`. */
export function kindTitle(kind: Kind): string {
  return engineOf(kind).title;
}
