import type { ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorSummary } from '../parts/error-summary.tsx';
import styles from './form.module.css';
import { type ErrorOf, useForm } from './use-form.tsx';

interface FormDialogProps {
  readonly title: string;
  /** The label of the submit button. */
  readonly action: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Sends the fields; throws ApiError with the names of invalid fields. The dialog closes when it resolves. */
  readonly submit: (fields: FormData) => Promise<void>;
  /** The fields. `errorOf` returns the error of a field. */
  readonly children: (errorOf: ErrorOf) => ReactNode;
}

/** A form in a dialog. If the request fails, the dialog stays open, keeps all input and shows the reason. */
export function FormDialog({ title, isOpen, ...form }: FormDialogProps) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={form.onClose}>
      <DialogForm {...form} />
    </Dialog>
  );
}

/** Closing the dialog discards the input, because its content exists only while it is open. */
function DialogForm({ action, onClose, submit, children }: Omit<FormDialogProps, 'title' | 'isOpen'>) {
  const form = useForm(async (fields) => {
    await submit(fields);
    onClose();
  });
  return (
    <form className={`${styles.form} ${styles.inDialog}`} onSubmit={form.onSubmit} noValidate>
      <ErrorSummary errors={form.errors} />
      {children(form.errorOf)}
      <div className={styles.actions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="main" isBusy={form.isBusy}>
          {action}
        </Button>
      </div>
    </form>
  );
}
