import type { Who } from '../api/auth-client.ts';
import { signUp } from '../api/changes/sessions.ts';
import { AccountFields } from '../forms/account-fields.tsx';
import { Form } from '../forms/form.tsx';
import { useForm } from '../forms/use-form.tsx';

/** Creates an account, which accepts an invitation at once if one is given. */
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
    <Form form={form} action={invitation === undefined ? 'Create account' : 'Create account and accept'}>
      <AccountFields form={form} />
    </Form>
  );
}
