import { useQueryClient } from '@tanstack/react-query';
import type { Who } from '../../api/auth-client.ts';
import { linkProvider, unlinkProvider } from '../../api/changes/sessions.ts';
import { whoQuery } from '../../api/queries/sessions.ts';
import { OwnPasswordField } from '../../forms/account-fields.tsx';
import { AskButton } from '../../forms/ask-dialog.tsx';
import { Form } from '../../forms/form.tsx';
import { useForm } from '../../forms/use-form.tsx';
import { Section } from '../../parts/section.tsx';

interface ProviderProps {
  readonly provider: { readonly name: string };
  readonly account: NonNullable<Who['account']>;
}

/** Whether the account is linked to the identity provider, with actions to link and unlink it. */
export function ProviderState({ provider, account }: ProviderProps) {
  return (
    <Section title={`Sign-in with ${provider.name}`}>
      {account.oidc ? (
        <Linked provider={provider} account={account} />
      ) : (
        <LinkForm provider={provider} account={account} />
      )}
    </Section>
  );
}

function Linked({ provider: { name }, account }: ProviderProps) {
  const queries = useQueryClient();
  return (
    <>
      <p>
        Linked: you can sign in with {name}.{' '}
        {account.has_password ? null : 'To unlink it, set a password first: it is your only way to sign in.'}
      </p>
      {account.has_password ? (
        <div>
          <AskButton
            label="Unlink…"
            title={`Unlink your ${name} account?`}
            action="Unlink"
            run={async () => {
              await unlinkProvider();
              await queries.invalidateQueries({ queryKey: whoQuery.queryKey });
            }}
          >
            <p>You will sign in with your password only. Signed-in browsers stay signed in.</p>
          </AskButton>
        </div>
      ) : null}
    </>
  );
}

function LinkForm({ provider: { name }, account }: ProviderProps) {
  const form = useForm(async (fields) => {
    const password = account.has_password ? String(fields.get('current_password')) : null;
    location.assign((await linkProvider(password, '/account')).url);
  });
  return (
    <Form
      form={form}
      look="plain"
      action={`Link your ${name} account`}
      intro={<p>Once your accounts are linked, you can sign in with {name} instead of your password.</p>}
    >
      {account.has_password ? <OwnPasswordField form={form} /> : null}
    </Form>
  );
}
