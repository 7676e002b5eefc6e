import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Who } from '../../api/auth-client.ts';
import { changeProfile } from '../../api/changes/sessions.ts';
import { accountQuery } from '../../api/queries/account.ts';
import { whoQuery } from '../../api/queries/sessions.ts';
import { NameField, OwnPasswordField } from '../../forms/account-fields.tsx';
import { Form } from '../../forms/form.tsx';
import { useForm } from '../../forms/use-form.tsx';
import { Field } from '../../parts/field.tsx';

/** Changes the name and email address. A new address requires the password. */
export function ProfileForm({ account }: { readonly account: NonNullable<Who['account']> }) {
  const queries = useQueryClient();
  const [email, setEmail] = useState(account.email);
  const [isSaved, setSaved] = useState(false);
  const isNewAddress = email !== account.email;
  const form = useForm(async (fields) => {
    setSaved(false);
    const password = isNewAddress ? String(fields.get('current_password')) : null;
    const who = await changeProfile({ name: String(fields.get('name')), email }, password);
    queries.setQueryData(whoQuery.queryKey, who);
    setEmail(who.account?.email ?? email);
    setSaved(true);
    await queries.invalidateQueries({ queryKey: accountQuery.queryKey });
  });
  const hint = account.has_password ? undefined : 'To change it, set a password first.';
  return (
    <Form form={form} look="plain" action="Save" beside={<span role="status">{isSaved ? 'Saved.' : null}</span>}>
      <NameField form={form} value={account.name} />
      <Field label="Email address" name="email" hint={hint} error={form.errorOf('email')}>
        {(control) => (
          <input
            type="email"
            autoComplete="username"
            value={email}
            readOnly={!account.has_password}
            onChange={({ target }) => setEmail(target.value)}
            {...control}
          />
        )}
      </Field>
      {isNewAddress ? <OwnPasswordField form={form} /> : null}
    </Form>
  );
}
