import type { ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import { ErrorSummary } from '../parts/error-summary.tsx';
import styles from './form.module.css';
import type { FormState } from './use-form.tsx';

/** A form with a button that sends it, and above its fields what has to be put right. */
export function Form({
  form,
  action,
  look = 'main',
  intro,
  beside,
  children,
}: {
  readonly form: FormState;
  /** What the button says. */
  readonly action: ReactNode;
  readonly look?: 'main' | 'plain';
  /** What stands above the errors. */
  readonly intro?: ReactNode;
  /** What stands beside the button. */
  readonly beside?: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <form className={styles.form} onSubmit={form.onSubmit} noValidate>
      {intro}
      <ErrorSummary errors={form.errors} />
      {children}
      <div className={styles.actions}>
        <Button type="submit" look={look} isBusy={form.isBusy}>
          {action}
        </Button>
        {beside}
      </div>
    </form>
  );
}
