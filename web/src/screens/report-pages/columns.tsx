import { Link } from '@tanstack/react-router';
import { bannerWords, whoWords } from 'sitewarden-client/seen-as';
import type { Item } from '../../api/client.ts';
import { pathOf, plural } from '../../lib/formats.ts';
import { KINDS, type Kind, kindsOf } from '../../lib/kinds.ts';
import { rowsBefore } from '../../lib/search.ts';
import type { PAGES, SearchOn } from '../../lib/searches.ts';
import { listedPage } from '../../lists/list-queries.ts';
import type { Column } from '../../parts/data-table.tsx';
import { SeverityCount, SeverityLabel } from '../../parts/severity.tsx';
import styles from './screen.module.css';

type WebPage = Item<'web_page'>;

export const PAGES_SIZE = 25;

/**
 * The columns of the list of pages, with one for each check of the report. Pages open with the filters, to find their neighbors.
 */
export function pageColumns(
  report: Item<'report'>,
  base: string,
  search: SearchOn<(typeof PAGES)[number]>,
): readonly Column<WebPage>[] {
  const { page: _, size: __, ...filters } = search;
  const before = rowsBefore(search, PAGES_SIZE);
  return [
    {
      key: 'url',
      title: 'Page',
      sort: 'url',
      isMain: true,
      cell: (page, index) => (
        <>
          <Link {...listedPage({ base, page: page.id, filters, at: before + index + 1 })}>{pathOf(page.url)}</Link>
          {page.title === null ? null : <span className={styles.title}>{page.title}</span>}
          <Differences page={page} />
        </>
      ),
    },
    {
      key: 'status',
      title: 'Status',
      isNumber: true,
      sort: 'http_status',
      cell: ({ http_status: status }) => status ?? 'none',
    },
    ...kindsOf(report).map((kind) => ({
      key: kind,
      title: KINDS[kind].title,
      sort: `${kind}_errors`,
      isNumber: true,
      cell: (page: WebPage) => <CheckResult page={page} kind={kind} />,
    })),
    ...(report.signs_in ? [{ key: 'who', title: 'Checked as', isExtra: true, cell: whoWords }] : []),
    {
      key: 'from',
      title: 'Found on',
      isExtra: true,
      cell: ({ linked_from: from, journey }) =>
        from === null ? (journey === null ? 'starting URL' : 'journey') : pathOf(from),
    },
  ];
}

/** What was done with a page, but not necessarily with other pages of its report. */
function Differences({ page }: { readonly page: WebPage }) {
  const { opened_states: opened, consent } = page.a11y_check ?? {};
  const words = [...(opened ? [`${plural(opened, 'state')} opened`] : []), ...bannerWords({ consent })];
  return words.length === 0 ? null : <span className={styles.title}>{words.join(', ')}</span>;
}

function CheckResult({ page, kind }: { readonly page: WebPage; readonly kind: Kind }) {
  const check = page[KINDS[kind].check];
  if (check == null) return null;
  if (check.status === 'pending') return <SeverityLabel of="pending" />;
  if (check.status === 'failed') {
    return (
      <span className={styles.failed}>
        <SeverityLabel of="failed" />
        {check.error === null ? null : <span className={styles.reason}> {check.error}</span>}
      </span>
    );
  }
  if (check.errors + check.warnings === 0) return <SeverityLabel of="passed" />;
  return (
    <span className={styles.counts}>
      {check.errors === 0 ? <SeverityLabel of="passed" words={false} /> : null}
      <SeverityCount of="error" count={check.errors} />
      {check.warnings === 0 ? null : (
        <SeverityCount of={kind === 'a11y' ? 'review' : 'warning'} count={check.warnings} />
      )}
    </span>
  );
}
