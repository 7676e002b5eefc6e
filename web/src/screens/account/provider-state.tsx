import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Who } from '../../api/auth-client.ts';
import { linkProvider, unlinkProvider } from '../../api/changes/sessions.ts';
import { whoQuery } from '../../api/queries/sessions.ts';
import { OwnPasswordField } from '../../frame/account-fields.tsx';
import { AskDialog } from '../../frame/ask-dialog.tsx';
import formStyles from '../../frame/form.module.css';
import { useForm } from '../../frame/use-form.tsx';
import { Button } from '../../parts/button.tsx';
import { ErrorSummary } from '../../parts/error-summary.tsx';
import { Section } from '../../parts/section.tsx';

interface ProviderProps {
  readonly provider: { readonly name: string };
  readonly account: NonNullable<Who['account']>;
}

/** Whether the identity provider signs in to this account, and the ways to let it and to end that. */
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
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <p>
        Linked: you can sign in with {name}.{' '}
        {account.has_password ? null : 'To unlink it, set a password first: it is your only way to sign in.'}
      </p>
      {account.has_password ? (
        <p>
          <Button onClick={() => setAsked(true)}>Unlink…</Button>
        </p>
      ) : null}
      <AskDialog
        title={`Unlink your ${name} account?`}
        action="Unlink"
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        run={async () => {
          await unlinkProvider();
          await queries.invalidateQueries({ queryKey: whoQuery.queryKey });
        }}
      >
        <p>From then on you sign in with your password only. Browsers that are signed in stay signed in.</p>
      </AskDialog>
    </>
  );
}

function LinkForm({ provider: { name }, account }: ProviderProps) {
  const form = useForm(async (fields) => {
    const password = account.has_password ? String(fields.get('current_password')) : null;
    location.assign((await linkProvider(password, '/account')).url);
  });
  return (
    <form className={formStyles.form} onSubmit={form.onSubmit} noValidate>
      <p>Once linked, you can sign in with {name} instead of your password.</p>
      <ErrorSummary errors={form.errors} />
      {account.has_password ? <OwnPasswordField form={form} /> : null}
      <div className={formStyles.actions}>
        <Button type="submit" isBusy={form.isBusy}>
          Link your {name} account
        </Button>
      </div>
    </form>
  );
}
