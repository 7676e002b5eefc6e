import { LIMITS } from 'sitewarden-client/values';
import { Field } from '../parts/field.tsx';
import { PasswordInput } from '../parts/password-input.tsx';
import type { FormState } from './use-form.tsx';

/** The fields of a new account. */
export function AccountFields({
  form,
  name = '',
  email = '',
}: {
  readonly form: FormState;
  readonly name?: string;
  readonly email?: string;
}) {
  return (
    <>
      <NameField form={form} value={name} />
      <Field label="Email address" name="email" error={form.errorOf('email')}>
        {(control) => <input type="email" autoComplete="username" defaultValue={email} {...control} />}
      </Field>
      <NewPasswordField form={form} label="Password" name="password" />
    </>
  );
}

/** The display name of an account. */
export function NameField({ form, value }: { readonly form: FormState; readonly value: string }) {
  return (
    <Field
      label="Name"
      name="name"
      hint="Others see it, for example on reports that you share."
      error={form.errorOf('name')}
    >
      {(control) => <input type="text" autoComplete="name" defaultValue={value} {...control} />}
    </Field>
  );
}

/** The current password, which is required before changing how the account signs in. */
export function OwnPasswordField({ form }: { readonly form: FormState }) {
  return (
    <Field
      label="Your password"
      name="current_password"
      hint="Confirms that it’s you."
      error={form.errorOf('current_password')}
    >
      {(control) => <PasswordInput autoComplete="current-password" {...control} />}
    </Field>
  );
}

/** A new password. */
export function NewPasswordField({
  form,
  label,
  name,
}: {
  readonly form: FormState;
  readonly label: string;
  readonly name: string;
}) {
  return (
    <Field
      label={label}
      name={name}
      hint={`At least ${LIMITS.passwordMinCharacters} characters.`}
      error={form.errorOf(name)}
    >
      {(control) => <PasswordInput autoComplete="new-password" {...control} />}
    </Field>
  );
}
