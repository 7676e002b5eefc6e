import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from 'sitewarden-client/errors';
import { deleteAccount, setDisabled, setOperator } from '../../api/changes/operate.ts';
import type { Item } from '../../api/client.ts';
import { accountQuery } from '../../api/queries/account.ts';
import { operatedAccountsQuery } from '../../api/queries/operate.ts';
import { AskButton } from '../../forms/ask-dialog.tsx';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { ago, count, plural } from '../../lib/formats.ts';
import { pageNumber } from '../../lib/search.ts';
import { size } from '../../lib/sizes.ts';
import { ListTable } from '../../lists/list-table.tsx';
import { SearchFilters, SearchText } from '../../lists/search-filters.tsx';
import { useSearchState } from '../../lists/use-search-state.ts';
import { Button } from '../../parts/button.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { Field } from '../../parts/field.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { useToast } from '../../parts/toast.tsx';
import { OperateHead } from '../../shell/operate-head.tsx';
import { NewAccount } from './new-account.tsx';
import styles from './screen.module.css';

type Account = Item<'operated_account'>;

/** All accounts of the installation, with what they use, and how to create, disable and delete them. */
export function OperateAccountsScreen() {
  const state = useSearchState('/operate/accounts');
  const { search, set } = state;
  const own = useQuery(accountQuery);
  const accounts = useQuery(
    operatedAccountsQuery({
      'filter[text]': search.text,
      sort: search.sort,
      'page[number]': pageNumber(search.page),
      'page[size]': 25,
    }),
  );
  return (
    <>
      <OperateHead />
      <SearchFilters
        state={state}
        names={['text']}
        matches={
          search.text !== undefined && accounts.data !== undefined ? `${count(accounts.data.total)} match` : undefined
        }
      >
        <SearchText state={state} label="Name or email address" name="text" />
      </SearchFilters>
      <div className={styles.new}>
        <NewAccount />
      </div>
      <ListTable
        query={accounts}
        caption="Accounts"
        columns={columnsFor(own.data?.id)}
        empty={<EmptyState title="No accounts match the filter" />}
        sort={search.sort}
        onSort={(sort) => set({ sort })}
      />
    </>
  );
}

/** @param ownId the account of the session, which has no actions here */
function columnsFor(ownId: string | undefined): readonly Column<Account>[] {
  const now = new Date();
  return [
    {
      key: 'email',
      title: 'Account',
      isMain: true,
      sort: 'email',
      cell: ({ email, name }) => (name === '' ? email : `${name} (${email})`),
    },
    {
      key: 'status',
      title: 'Status',
      isNamed: true,
      cell: ({ status, operator }) => (operator ? `${status}, operator` : status),
    },
    {
      key: 'reports',
      title: 'Reports',
      isNumber: true,
      sort: 'num_reports',
      cell: ({ num_reports: reports, num_running_reports: running }) =>
        running === 0 ? count(reports) : `${count(reports)} (${count(running)} running)`,
    },
    { key: 'pages', title: 'Pages', isNumber: true, cell: ({ num_web_pages: pages }) => count(pages) },
    { key: 'size', title: 'Size', isNumber: true, sort: 'bytes', cell: ({ bytes }) => size(bytes) },
    {
      key: 'used',
      title: 'Last used',
      isNumber: true,
      sort: 'last_used_at',
      cell: ({ last_used_at: time }) => (time === null ? 'never' : ago(time, now)),
    },
    {
      key: 'actions',
      title: 'Actions',
      cell: (account) =>
        account.id === ownId ? 'your account' : account.status === 'deleting' ? null : <Actions account={account} />,
    },
  ];
}

function Actions({ account }: { readonly account: Account }) {
  const queries = useQueryClient();
  const say = useToast();
  const { id, email, operator, status } = account;
  const changed = async (sentence: string): Promise<void> => {
    await queries.invalidateQueries({ queryKey: ['operate'] });
    say(sentence);
  };
  const isDisabled = status === 'disabled';
  return (
    <div className={styles.actions}>
      {isDisabled ? (
        <AskButton
          label="Enable…"
          name={`Enable ${email}…`}
          title={`Enable ${email}?`}
          action="Enable"
          run={async () => {
            await setDisabled(id, false);
            await changed(`${email} is enabled.`);
          }}
        >
          <p>Its API tokens and share links work again, and its schedules run.</p>
        </AskButton>
      ) : (
        <AskButton
          label="Disable…"
          name={`Disable ${email}…`}
          title={`Disable ${email}?`}
          action="Disable"
          run={async () => {
            await setDisabled(id, true);
            await changed(`${email} is disabled.`);
          }}
        >
          <p>
            No one can use the account anymore: its sessions end, its API tokens and share links are refused, its
            running reports are stopped and its schedules are paused. Nothing is deleted, and you can enable it again.
          </p>
        </AskButton>
      )}
      <AskButton
        label={operator ? 'Remove operator role…' : 'Make operator…'}
        name={operator ? `Remove operator role from ${email}…` : `Make operator: ${email}…`}
        title={operator ? `Remove the operator role from ${email}?` : `Make ${email} an operator?`}
        action={operator ? 'Remove the role' : 'Make an operator'}
        run={async () => {
          await setOperator(id, !operator);
          await changed(operator ? `${email} is no longer an operator.` : `${email} is an operator.`);
        }}
      >
        <p>
          {operator
            ? 'The account will no longer see these screens.'
            : 'The account will see all accounts, and can disable and delete them.'}
        </p>
      </AskButton>
      <DeleteButton account={account} onDeleted={() => changed(`${email} is deleted.`)} />
    </div>
  );
}

/** Asks for the email address, because an account cannot be restored. */
function DeleteButton({ account, onDeleted }: { readonly account: Account; readonly onDeleted: () => Promise<void> }) {
  const [isOpen, setOpen] = useState(false);
  const { id, email, num_sites: sites, num_reports: reports, bytes } = account;
  return (
    <>
      <Button look="danger" aria-label={`Delete ${email}…`} onClick={() => setOpen(true)}>
        Delete…
      </Button>
      <FormDialog
        title={`Delete ${email}?`}
        action="Delete the account"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={async (fields) => {
          if (String(fields.get('email')).trim() !== email) throw mismatch(email);
          await deleteAccount(id);
          await onDeleted();
        }}
      >
        {(errorOf) => (
          <>
            <p>
              {`This deletes ${plural(sites, 'site')} and ${plural(reports, 'report')} (${size(bytes)}) with everything else that the account owns. This cannot be undone.`}
            </p>
            <Field label="Email address of the account" name="email" hint={`Type ${email}`} error={errorOf('email')}>
              {(control) => <input type="text" autoComplete="off" {...control} />}
            </Field>
          </>
        )}
      </FormDialog>
    </>
  );
}

function mismatch(email: string): ApiError {
  const detail = `The email address is not ${email}.`;
  return new ApiError(422, [{ code: 'invalid', detail, field: 'email', id: null }]);
}
