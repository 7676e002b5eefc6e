import { useQueryClient } from '@tanstack/react-query';
import { createGuestAccount } from '../../api/changes/guest-accounts.ts';
import { useForm } from '../../frame/use-form.ts';
import { count } from '../../lib/formats.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorSummary } from '../../parts/error-summary.tsx';
import { Field } from '../../parts/field.tsx';
import { useToast } from '../../parts/toast.tsx';
import styles from './screen.module.css';

/** Invites somebody, if the plan has room. */
export function Invite({ used, max }: { readonly used: number; readonly max: number }) {
  const queries = useQueryClient();
  const say = useToast();
  const form = useForm(async (fields) => {
    await createGuestAccount(Number(fields.get('max_usage')));
    await queries.invalidateQueries({ queryKey: ['guest_accounts'] });
    say('The invitation is ready. Copy its link and send it to your guest.');
  });
  if (used >= max) {
    return (
      <p className={styles.invite}>All {count(max)} guests of your plan are taken. End one to invite someone else.</p>
    );
  }
  return (
    <form onSubmit={form.onSubmit} noValidate>
      <ErrorSummary errors={form.errors} />
      <div className={styles.invite}>
        <Field label="Credits per month, at most" name="max_usage" error={form.errorOf('max_usage')}>
          {(control) => <input type="number" min={1} step={1} defaultValue={500} {...control} />}
        </Field>
        <Button type="submit" look="main" isBusy={form.isBusy}>
          Invite a guest
        </Button>
        <span className={styles.soft}>
          {count(used)} of {count(max)} guests
        </span>
      </div>
    </form>
  );
}
