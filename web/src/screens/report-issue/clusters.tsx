import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { causeOf } from 'sitewarden-client/occurrences';
import type { Item } from '../../api/client.ts';
import { clustersQuery } from '../../api/queries/common-issues.ts';
import { count, plural } from '../../lib/formats.ts';
import { type Kind, OCCURRENCE_WORDS } from '../../lib/kinds.ts';
import { pageNumber } from '../../lib/search.ts';
import { ISSUE } from '../../lib/searches.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { QueryView } from '../../live/query-view.tsx';
import { Button } from '../../parts/button.tsx';
import { Pager } from '../../parts/pager.tsx';
import { DecideDialog, type ToDecide } from '../../report/decide-dialog.tsx';
import { useReport } from '../../report/report-context.tsx';
import { SampleLink } from '../../report/sample-link.tsx';
import { StyleRules } from '../../report/style-rule.tsx';
import { useMayDecide } from '../../report/use-decisions.ts';
import styles from './screen.module.css';

/** The occurrences of an issue type, grouped by markup: a group often has one cause. */
export function Clusters({ kind, issue }: { readonly kind: Kind; readonly issue: string }) {
  const { report } = useReport();
  const { search } = useSearchState(...ISSUE);
  const mayDecide = useMayDecide();
  const [toDecide, setToDecide] = useState<ToDecide | null>(null);
  const clusters = useQuery(
    clustersQuery(
      { report: report.id, kind, issue },
      { 'filter[muted]': search.muted, 'page[number]': pageNumber(search.page) },
    ),
  );
  return (
    <QueryView query={clusters}>
      {({ items, page, pages, total, meta }) => (
        <>
          <ol className={styles.clusters}>
            {items.map((cluster) => (
              <ClusterLine
                key={cluster.id}
                kind={kind}
                cluster={cluster}
                muted={search.muted}
                onDecide={
                  mayDecide
                    ? () => setToDecide({ occurrence: cluster.sample.occurrence, verdict: 'error', scope: 'cause' })
                    : undefined
                }
              />
            ))}
          </ol>
          {meta.unlisted === 0 ? null : (
            <p className="soft small">{plural(meta.unlisted, 'occurrence')} in smaller groups that are not listed.</p>
          )}
          <Pager page={page} pages={pages} total={total} />
          <DecideDialog kind={kind} of={toDecide} onClose={() => setToDecide(null)} />
        </>
      )}
    </QueryView>
  );
}

function ClusterLine({
  kind,
  cluster,
  muted,
  onDecide,
}: {
  readonly kind: Kind;
  readonly cluster: Item<'cluster'>;
  readonly muted: string | undefined;
  /** Absent for readers who may not decide. */
  readonly onDecide: (() => void) | undefined;
}) {
  return (
    <li className={styles.cluster} data-row="" data-occurrence={cluster.sample.occurrence}>
      <span className={styles.times}>{count(cluster.how_many)} ×</span>
      <div className={styles.body}>
        <code className={styles.markup}>{causeOf(cluster)}</code>
        {cluster.selector === null || cluster.cause !== null ? null : (
          <code className={styles.selector}>{cluster.selector}</code>
        )}
        <StyleRules of={cluster} howMany={cluster.how_many} />
        <p className={styles.where}>
          <Link
            to="."
            search={(search: Record<string, unknown>) => ({
              ...search,
              page: undefined,
              view: 'occurrences',
              cluster: cluster.id,
            })}
          >
            {plural(cluster.how_many, OCCURRENCE_WORDS[kind])} on {plural(cluster.num_web_pages, 'page')}
          </Link>
          {onDecide === undefined ? null : (
            <Button look="quiet" onClick={onDecide}>
              Decide…
            </Button>
          )}
          <SampleLink kind={kind} sample={cluster.sample} isOnly={cluster.how_many === 1} muted={muted} />
        </p>
      </div>
    </li>
  );
}
