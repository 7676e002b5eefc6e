import type { Who } from '../api/auth-client.ts';
import { signIn } from '../api/changes/sessions.ts';
import { Form } from '../forms/form.tsx';
import { useForm } from '../forms/use-form.tsx';
import { Field } from '../parts/field.tsx';
import { PasswordInput } from '../parts/password-input.tsx';

/** Signs in with a password. */
export function SignInForm({
  email = '',
  onSignedIn,
}: {
  /** The address of the previous session. */
  readonly email?: string;
  readonly onSignedIn: (who: Who) => void;
}) {
  const form = useForm(async (fields) => {
    onSignedIn(await signIn(String(fields.get('email')), String(fields.get('password'))));
  });
  return (
    <Form form={form} action="Sign in">
      <Field label="Email address" name="email" error={form.errorOf('email')}>
        {(control) => <input type="email" autoComplete="username" defaultValue={email} {...control} />}
      </Field>
      <Field label="Password" name="password" error={form.errorOf('password')}>
        {(control) => <PasswordInput autoComplete="current-password" {...control} />}
      </Field>
    </Form>
  );
}
