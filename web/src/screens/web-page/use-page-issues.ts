import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { PageIssueItem } from 'sitewarden-client/occurrences';
import type { Item } from '../../api/client.ts';
import { commonIssueQuery } from '../../api/queries/common-issues.ts';
import { type PageIssueChoice, type PageIssues, pageIssueQuery, pageIssuesQuery } from '../../api/queries/web-page.ts';
import { KIND_NAMES, KINDS, type Kind } from '../../lib/kinds.ts';
import type { Uncounted } from '../../lib/uncounted.ts';
import { useReport } from '../../report/report-context.tsx';
import { bySeverity, type PageIssue, pageIssueOf } from './page-issues.ts';

/** The issues of a page that have loaded so far. */
export interface PageIssuesState {
  readonly issues: readonly PageIssue[];
  readonly isPending: boolean;
  readonly isFetching: boolean;
  readonly error: Error | null;
  /** Number of issue types that are not listed, because there are too many. */
  readonly unlisted: number;
  retry(): void;
}

/** Loads the issues of all checks of a page. */
export function usePageIssues(
  page: Item<'web_page'>,
  muted: PageIssueChoice,
  selected: string | undefined,
): PageIssuesState {
  const { report } = useReport();
  const kinds = KIND_NAMES.filter((kind) => page[KINDS[kind].check] != null);
  const lists = useQueries({ queries: kinds.map((kind) => pageIssuesQuery(report.id, page.id, kind, muted)) });
  const listed = lists.flatMap(({ data }) => data?.items ?? []);
  const whole = useWholeIssue(report.id, page.id, listed, selected);
  const versions = [...lists.map(({ dataUpdatedAt }) => dataUpdatedAt), whole?.updated_at, whole?.id, muted].join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: versions change exactly when the data does.
  const issues = useMemo(
    () =>
      KIND_NAMES.flatMap((kind) =>
        bySeverity(
          listed
            .map((item) => pageIssueOf(item.id === whole?.id && item.type === whole.type ? whole : item))
            .filter((issue) => issue.kind === kind),
        ),
      ),
    [versions],
  );
  return {
    issues,
    isPending: lists.some(({ isPending }) => isPending),
    isFetching: lists.some(({ isFetching }) => isFetching),
    error: lists.find(({ error, data }) => data === undefined && error !== null)?.error ?? null,
    unlisted: lists.reduce((sum, { data }) => sum + (data === undefined ? 0 : data.total - data.items.length), 0),
    retry: () => {
      for (const list of lists) void list.refetch();
    },
  };
}

/** Loads the selected issue with all its occurrences, if the list omits some. */
function useWholeIssue(
  report: string,
  page: string,
  listed: readonly PageIssueItem[],
  selected: string | undefined,
): PageIssueItem | undefined {
  const { kind, id } = keyParts(selected);
  const item = listed.find((each) => each.id === id && each.type === `${kind}_issue`);
  return useQuery({ ...pageIssueQuery(report, page, kind, id), enabled: item !== undefined && item.omitted > 0 }).data;
}

/** Returns the kind and id in the key of an issue; empty ones if it is malformed. */
export function keyParts(key: string | undefined): { readonly kind: Kind; readonly id: string } {
  const [, kind, id] = /^(html|a11y|link)-(\d{1,18})$/.exec(key ?? '') ?? [];
  return kind === undefined || id === undefined ? { kind: 'html', id: '' } : { kind: kind as Kind, id };
}

/** Returns the fingerprint of the common issue in a link to the page, which identifies its issue on the page. */
export function useCommonFingerprint(key: string | undefined): string | undefined {
  const { report } = useReport();
  const { kind, id } = keyParts(key);
  const common = useQuery({ ...commonIssueQuery(report.id, kind, id, undefined), enabled: id !== '' });
  return common.data?.fingerprint;
}

/** The numbers of issue types of a page that do not count. */
export type UncountedIssues = Readonly<Record<Uncounted, number>>;

export function useUncountedIssues(page: Item<'web_page'>, isEnabled: boolean): UncountedIssues {
  const { report } = useReport();
  const kinds = KIND_NAMES.filter((kind) => page[KINDS[kind].check] != null);
  return {
    true: useIssueTypeCount(page, 'true', isEnabled ? kinds : []),
    not_an_error: useIssueTypeCount(page, 'not_an_error', isEnabled ? kinds : []),
    outside_standard: useIssueTypeCount(
      page,
      'outside_standard',
      // Rules of other checks belong to no standard, so all of them count.
      isEnabled && report.standard !== null ? kinds.filter((kind) => kind === 'a11y') : [],
    ),
  };
}

/** Each decision makes its occurrences a separate issue. */
function typesIn({ items, total }: PageIssues): number {
  return new Set(items.map(({ fingerprint }) => fingerprint)).size + total - items.length;
}

function useIssueTypeCount(page: Item<'web_page'>, muted: PageIssueChoice, kinds: readonly Kind[]): number {
  const { report } = useReport();
  const lists = useQueries({ queries: kinds.map((kind) => pageIssuesQuery(report.id, page.id, kind, muted)) });
  return lists.reduce((sum, { data }) => sum + (data === undefined ? 0 : typesIn(data)), 0);
}
