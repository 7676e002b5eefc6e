import { useQueryClient } from '@tanstack/react-query';
import { changeGuestAccount } from '../../api/changes/guest-accounts.ts';
import type { Item } from '../../api/client.ts';
import formStyles from '../../frame/form.module.css';
import { useForm } from '../../frame/use-form.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorSummary } from '../../parts/error-summary.tsx';
import { Field } from '../../parts/field.tsx';

/** Changes how many credits a guest may use in a month, and has used in this one. */
export function LimitDialog({
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
  const form = useForm(async (fields) => {
    const number = (field: string): number => Number(fields.get(field));
    await changeGuestAccount(id, { max_usage: number('max_usage'), current_usage: number('current_usage') });
    await queries.invalidateQueries({ queryKey: ['guest_accounts'] });
    onClose();
  });
  return (
    <Dialog title={`Limit of ${name}`} isOpen={isOpen} onClose={onClose}>
      <form className={formStyles.form} onSubmit={form.onSubmit} noValidate>
        <ErrorSummary errors={form.errors} />
        <Field label="Credits per month, at most" name="max_usage" error={form.errorOf('max_usage')}>
          {(control) => <input type="number" min={1} step={1} defaultValue={max} {...control} />}
        </Field>
        <Field
          label="Used this month"
          name="current_usage"
          hint="Set it to 0 to let your guest start again. On the first of each month this happens by itself."
          error={form.errorOf('current_usage')}
        >
          {(control) => <input type="number" min={0} step={1} defaultValue={used} {...control} />}
        </Field>
        <div className={formStyles.actions}>
          <Button type="submit" look="main" isBusy={form.isBusy}>
            Save
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}
