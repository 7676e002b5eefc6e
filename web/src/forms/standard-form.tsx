import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
import { chooseStandard } from '../api/changes/account.ts';
import type { Item } from '../api/client.ts';
import { accountQuery } from '../api/queries/account.ts';
import { Button } from '../parts/button.tsx';
import { ErrorSummary } from '../parts/error-summary.tsx';
import formStyles from './form.module.css';
import { type Measured, measureIn, StandardFields } from './standard-fields.tsx';
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
  const element = useRef<HTMLFormElement>(null);
  const form = useForm(async (fields) => {
    let chosen = measureIn(fields);
    let changed = await chooseStandard(chosen);
    while (savesAtOnce && element.current !== null) {
      const now = measureIn(new FormData(element.current));
      if (isEqual(now, chosen)) break;
      // The choice was changed again while it was being saved.
      chosen = now;
      changed = await chooseStandard(now);
    }
    onSaved?.();
    queries.setQueryData(accountQuery.queryKey, changed);
  });
  const saveChange = (event: FormEvent<HTMLFormElement>): void => event.currentTarget.requestSubmit();
  return (
    <form
      ref={element}
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

function isEqual(one: Measured, other: Measured): boolean {
  return one.standard === other.standard && one.best_practices === other.best_practices;
}
