import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeGuestAccount, endGuestAccount } from '../../api/changes/guest-accounts.ts';
import type { Item } from '../../api/client.ts';
import { AskButton } from '../../forms/ask-dialog.tsx';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { count, dateTime, plural } from '../../lib/formats.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Field } from '../../parts/field.tsx';
import styles from './screen.module.css';

/** The field of the limit. Accounts with unlimited credits have seen no prices. */
export const LIMIT = {
  label: 'Monthly credit limit',
  hint: 'One credit pays for one check of one page. Rendering a page to find links or storing its raw results also costs one.',
};

/** A guest, or an invitation that has not been accepted. */
export function GuestCard({
  guest: guestAccount,
  countsCredits,
}: {
  readonly guest: Item<'guest_account'>;
  /** Whether the account has limited credits. */
  readonly countsCredits: boolean;
}) {
  const queries = useQueryClient();
  const [isLimitOpen, setLimitOpen] = useState(false);
  const { id, guest, accepted_at: acceptedAt, inserted_at: insertedAt } = guestAccount;
  const name = guest === null ? 'Invitation' : guest.name === '' ? guest.email : guest.name;
  return (
    <li className={styles.guest}>
      <div>
        <h2>{name}</h2>
        <p className="soft small">
          {guest === null || acceptedAt === null
            ? `created ${dateTime(insertedAt)}, not accepted yet`
            : `${guest.email}, since ${dateTime(acceptedAt)}`}
        </p>
      </div>
      {guest === null ? <Link guestAccount={guestAccount} /> : null}
      <Usage guestAccount={guestAccount} />
      <div className={styles.actions}>
        <Button onClick={() => setLimitOpen(true)}>Change limit…</Button>
        <AskButton
          label={guest === null ? 'Withdraw…' : 'Remove…'}
          title={guest === null ? 'Withdraw this invitation?' : `Stop sharing with ${name}?`}
          action={guest === null ? 'Withdraw' : 'Stop sharing'}
          run={async () => {
            await endGuestAccount(id);
            await queries.invalidateQueries({ queryKey: ['guest_accounts'] });
          }}
        >
          <p>
            {guest === null
              ? 'Its link stops working.'
              : `${name} keeps the account and all reports, but no longer ${countsCredits ? 'uses your credits' : 'checks sites under your account'}. You can no longer see the reports, and your mutings no longer apply to them.`}
          </p>
        </AskButton>
      </div>
      <LimitDialog guestAccount={guestAccount} name={name} isOpen={isLimitOpen} onClose={() => setLimitOpen(false)} />
    </li>
  );
}

function Link({ guestAccount: { invitation_url: url } }: { readonly guestAccount: Item<'guest_account'> }) {
  if (url === null || url === undefined) {
    return (
      <p>
        The link can no longer be shown: it was encrypted with another key. Withdraw the invitation and create a new
        one.
      </p>
    );
  }
  return (
    <>
      <p>Send this link to your guest. It works once.</p>
      <pre>{url}</pre>
      <div>
        <CopyButton text={url} title="Copy link" />
      </div>
    </>
  );
}

function Usage({
  guestAccount: { current_usage: used, max_usage: max },
}: {
  readonly guestAccount: Item<'guest_account'>;
}) {
  return (
    <div className={styles.usage}>
      <progress aria-label="Credits used this month" value={Math.min(used, max)} max={max} />
      <p className="soft small">
        {count(used)} of {plural(max, 'credit')} used this month
      </p>
    </div>
  );
}

/** Changes a guest's monthly limit, and how much of it is used this month. */
function LimitDialog({
  guestAccount,
  name,
  isOpen,
  onClose,
}: {
  readonly guestAccount: Item<'guest_account'>;
  readonly name: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  const { id, max_usage: max, current_usage: used } = guestAccount;
  const queries = useQueryClient();
  const save = async (fields: FormData): Promise<void> => {
    const number = (field: string): number => Number(fields.get(field));
    await changeGuestAccount(id, { max_usage: number('max_usage'), current_usage: number('current_usage') });
    await queries.invalidateQueries({ queryKey: ['guest_accounts'] });
  };
  return (
    <FormDialog title={`Limit for ${name}`} action="Save" isOpen={isOpen} onClose={onClose} submit={save}>
      {(errorOf) => (
        <>
          <Field {...LIMIT} name="max_usage" error={errorOf('max_usage')}>
            {(control) => <input type="number" min={1} step={1} defaultValue={max} {...control} />}
          </Field>
          <Field
            label="Used this month"
            name="current_usage"
            hint="Set it to 0 to reset the usage. It resets automatically on the first of each month."
            error={errorOf('current_usage')}
          >
            {(control) => <input type="number" min={0} step={1} defaultValue={used} {...control} />}
          </Field>
        </>
      )}
    </FormDialog>
  );
}
