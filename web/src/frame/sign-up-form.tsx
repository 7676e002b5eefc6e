import type { Who } from '../api/auth-client.ts';
import { signUp } from '../api/changes/sessions.ts';
import { Button } from '../parts/button.tsx';
import { ErrorSummary } from '../parts/error-summary.tsx';
import { AccountFields } from './account-fields.tsx';
import styles from './form.module.css';
import { useForm } from './use-form.tsx';

/** Creates an account, which accepts an invitation at once if there is one. */
export function SignUpForm({
  invitation,
  onSignedIn,
}: {
  /** The secret of the invitation. */
  readonly invitation?: string;
  readonly onSignedIn: (who: Who) => void;
}) {
  const form = useForm(async (fields) => {
    const text = (name: string): string => String(fields.get(name));
    onSignedIn(await signUp({ name: text('name'), email: text('email'), password: text('password') }, invitation));
  });
  return (
    <form className={styles.form} onSubmit={form.onSubmit} noValidate>
      <ErrorSummary errors={form.errors} />
      <AccountFields form={form} />
      <div className={styles.actions}>
        <Button type="submit" look="main" isBusy={form.isBusy}>
          {invitation === undefined ? 'Create account' : 'Create account and accept'}
        </Button>
      </div>
    </form>
  );
}
