import { useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { chooseStandard } from '../api/changes/account.ts';
import type { Item } from '../api/client.ts';
import { accountQuery } from '../api/queries/account.ts';
import { Button } from '../parts/button.tsx';
import { ErrorSummary } from '../parts/error-summary.tsx';
import formStyles from './form.module.css';
import { measureIn, StandardFields } from './standard-fields.tsx';
import { useForm } from './use-form.tsx';

/** Asks which standard the account has to meet. */
export function StandardForm({
  account,
  label,
  savesAtOnce = false,
  onSaved,
}: {
  readonly account: Item<'account'>;
  readonly label: string;
  /** Whether each change is saved without the button. */
  readonly savesAtOnce?: boolean;
  readonly onSaved?: () => void;
}) {
  const queries = useQueryClient();
  const form = useForm(async (fields) => {
    const changed = await chooseStandard(measureIn(fields));
    onSaved?.();
    queries.setQueryData(accountQuery.queryKey, changed);
  });
  const saveChange = (event: FormEvent<HTMLFormElement>): void => event.currentTarget.requestSubmit();
  return (
    <form
      className={formStyles.form}
      onSubmit={form.onSubmit}
      onChange={savesAtOnce ? saveChange : undefined}
      noValidate
    >
      <ErrorSummary errors={form.errors} />
      <StandardFields initial={account} errorOf={form.errorOf} label={label} />
      <p>
        <Button type="submit" isBusy={form.isBusy}>
          Save standard
        </Button>
      </p>
    </form>
  );
}
