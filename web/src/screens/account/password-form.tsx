import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Who } from '../../api/auth-client.ts';
import { setPassword } from '../../api/changes/sessions.ts';
import { sessionsQuery, whoQuery } from '../../api/queries/sessions.ts';
import { NewPasswordField } from '../../forms/account-fields.tsx';
import formStyles from '../../forms/form.module.css';
import { Form } from '../../forms/form.tsx';
import { useForm } from '../../forms/use-form.tsx';
import { Field } from '../../parts/field.tsx';
import { PasswordInput } from '../../parts/password-input.tsx';
import { Section } from '../../parts/section.tsx';
import { providerPath } from '../../shell/provider-link.tsx';

/** Sets or changes the password. */
export function PasswordForm({ account }: { readonly account: NonNullable<Who['account']> }) {
  const [changes, setChanges] = useState(0);
  return (
    <Section title="Password">
      {/* A new form after each change, so that no password stays in its fields. */}
      <Fields key={changes} account={account} onChanged={() => setChanges(changes + 1)} />
      <p role="status" className={formStyles.done}>
        {changes > 0 ? 'Password changed. All other browsers are signed out. API tokens remain valid.' : null}
      </p>
    </Section>
  );
}

function Fields({
  account,
  onChanged,
}: {
  readonly account: NonNullable<Who['account']>;
  readonly onChanged: () => void;
}) {
  const queries = useQueryClient();
  const form = useForm(async (fields) => {
    const current = account.has_password ? String(fields.get('current_password')) : null;
    queries.setQueryData(whoQuery.queryKey, await setPassword(current, String(fields.get('new_password'))));
    onChanged();
    await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  });
  return (
    <Form form={form} look="plain" action={account.has_password ? 'Change password' : 'Set password'}>
      {account.has_password ? (
        <Field label="Current password" name="current_password" error={form.errorOf('current_password')}>
          {(control) => <PasswordInput autoComplete="current-password" {...control} />}
        </Field>
      ) : (
        <p>You have no password. Set one to sign in without {account.oidc ? 'the provider' : 'a link'}.</p>
      )}
      {account.has_password || !account.oidc || form.errors.length === 0 ? null : (
        <p>
          <a href={providerPath('/account')}>Sign in with the provider again</a>
        </p>
      )}
      <NewPasswordField form={form} label="New password" name="new_password" />
    </Form>
  );
}
