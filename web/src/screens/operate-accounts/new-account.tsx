import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createOperatedAccount } from '../../api/changes/operate.ts';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';

/** Creates an account, and shows the link with which its owner sets a password. */
export function NewAccount() {
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [created, setCreated] = useState<{ readonly email: string; readonly sign_in_url: string } | null>(null);
  return (
    <>
      <Button onClick={() => setOpen(true)}>New account…</Button>
      <FormDialog
        title="New account"
        action="Create account"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={async (fields) => {
          const text = (name: string): string => String(fields.get(name));
          setCreated(await createOperatedAccount({ email: text('email'), name: text('name') }));
          await queries.invalidateQueries({ queryKey: ['operate'] });
        }}
      >
        {(errorOf) => (
          <>
            <Field label="Email address" name="email" error={errorOf('email')}>
              {(control) => <input type="email" autoComplete="off" {...control} />}
            </Field>
            <Field label="Name" name="name" hint="May be empty." error={errorOf('name')}>
              {(control) => <input type="text" autoComplete="off" {...control} />}
            </Field>
          </>
        )}
      </FormDialog>
      {/* After the dialog, which returns the focus to the button. */}
      {isOpen || created === null ? null : (
        <SecretOnce key={created.email} title={`Sign-in link for ${created.email}`} secret={created.sign_in_url}>
          <p>Send it to the owner of the account to set a password. It works once, within an hour.</p>
        </SecretOnce>
      )}
    </>
  );
}
