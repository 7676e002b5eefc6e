import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { REPORT_ATTRIBUTES } from 'sitewarden-client/report-attributes';
import { CREDIT_REASONS } from 'sitewarden-client/values';
import type { Item } from '../../api/client.ts';
import { accountQuery, creditEntriesQuery } from '../../api/queries/account.ts';
import { count, dateTime, plural } from '../../lib/formats.ts';
import { pageNumber } from '../../lib/search.ts';
import { ListTable } from '../../lists/list-table.tsx';
import { SearchChoice, SearchFilters } from '../../lists/search-filters.tsx';
import { useSearchState } from '../../lists/use-search-state.ts';
import { QueryView } from '../../live/query-view.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { AccountHead } from '../../shell/account-head.tsx';
import styles from './screen.module.css';

type Entry = Item<'credit_entry'>;

const REASON_WORDS: Readonly<Record<Entry['reason'], string>> = {
  checks: 'checks that ran',
  raw_checks: 'raw results stored',
  rendered_pages: 'pages rendered',
  api_requests: '1,000 API requests',
  refund: 'refund for checks that never ran',
  granted: 'added by the operator',
  set: 'set by the operator',
};
const REASONS = CREDIT_REASONS.map((reason) => [reason, REASON_WORDS[reason]] as const);

const COLUMNS: readonly Column<Entry>[] = [
  { key: 'time', title: 'When', isMain: true, cell: ({ inserted_at: time }) => dateTime(time) },
  {
    key: 'reason',
    title: 'Reason',
    cell: ({ reason, report_id: report }) => (
      <>
        {REASON_WORDS[reason]}
        {report === null ? null : (
          <>
            {' '}
            (<Link to={`/reports/${report}`}>report</Link>)
          </>
        )}
      </>
    ),
  },
  { key: 'amount', title: 'Credits', isNumber: true, cell: ({ amount }) => signed(amount) },
  {
    key: 'balance',
    title: 'Balance',
    isNumber: true,
    cell: ({ balance }) => (balance === null ? 'unlimited' : count(balance)),
  },
];

/** The ledger of the account's credits. */
export function AccountCreditsScreen() {
  const state = useSearchState('/account/credits');
  const { search } = state;
  const account = useQuery(accountQuery);
  const { reason, report } = search;
  const isFiltered = reason !== undefined || report !== undefined;
  const entries = useQuery(
    creditEntriesQuery({
      'filter[reason]': reason,
      'filter[report_id]': report,
      'page[number]': pageNumber(search.page),
      'page[size]': 25,
    }),
  );
  return (
    <>
      <AccountHead />
      <QueryView query={account} rows={1}>
        {(data) => <Balance account={data} />}
      </QueryView>
      <SearchFilters
        state={state}
        names={['reason', 'report']}
        matches={isFiltered && entries.data !== undefined ? `${count(entries.data.total)} match` : undefined}
      >
        <SearchChoice state={state} label="Reason" name="reason" any="any" choices={REASONS} />
        {report === undefined ? null : <span>one report only</span>}
      </SearchFilters>
      <ListTable
        query={entries}
        caption="Credit history"
        columns={COLUMNS}
        empty={<EmptyState title={isFiltered ? 'No entries match the filters' : 'No credits used yet'} />}
      />
    </>
  );
}

function Balance({ account: { credits, guest_account: guest } }: { readonly account: Item<'account'> }) {
  return (
    <div className={styles.balance}>
      <p>
        <strong className={styles.number}>{credits === null ? 'Unlimited' : count(credits)}</strong>{' '}
        {credits === 1 ? 'credit left' : 'credits left'}
      </p>
      <p>
        {`Checking a page costs ${plural(REPORT_ATTRIBUTES.perform_html_checks.creditsPerPage, 'credit')} per check. `}
        {guest === null
          ? credits === null
            ? ''
            : 'The operator of this installation can add credits.'
          : `${guest.host.name === '' ? 'Your host' : guest.host.name} pays: you have used ${count(guest.current_usage)} of ${plural(guest.max_usage, 'credit')} this month. Your host’s credit history lists them.`}
      </p>
    </div>
  );
}

/** Formats with a true minus sign. */
function signed(amount: number): string {
  return amount < 0 ? `−${count(-amount)}` : `+${count(amount)}`;
}
