import type { ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import { ErrorSummary } from '../parts/error-summary.tsx';
import styles from './form.module.css';
import type { FormState } from './use-form.tsx';

/** A form with a submit button, and a summary of errors above its fields. */
export function Form({
  form,
  action,
  look = 'main',
  intro,
  beside,
  children,
}: {
  readonly form: FormState;
  /** The label of the submit button. */
  readonly action: ReactNode;
  readonly look?: 'main' | 'plain';
  /** Content above the errors. */
  readonly intro?: ReactNode;
  /** Content next to the submit button. */
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
