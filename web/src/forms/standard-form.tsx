import { useQueryClient } from '@tanstack/react-query';
import { chooseStandard } from '../api/changes/account.ts';
import type { Item } from '../api/client.ts';
import { accountQuery } from '../api/queries/account.ts';
import { Button } from '../parts/button.tsx';
import { ErrorSummary } from '../parts/error-summary.tsx';
import formStyles from './form.module.css';
import { measureIn, StandardFields } from './standard-fields.tsx';
import { useForm } from './use-form.tsx';

/** Asks which standard the account has to meet. */
export function StandardForm({ account, label }: { readonly account: Item<'account'>; readonly label: string }) {
  const queries = useQueryClient();
  const form = useForm(async (fields) => {
    const changed = await chooseStandard(measureIn(fields));
    queries.setQueryData(accountQuery.queryKey, changed);
  });
  return (
    <form className={formStyles.form} onSubmit={form.onSubmit} noValidate>
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
