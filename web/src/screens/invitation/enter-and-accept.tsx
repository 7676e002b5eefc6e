import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Who } from '../../api/auth-client.ts';
import { invitationQuery, whoQuery } from '../../api/queries/sessions.ts';
import { ProviderLink } from '../../frame/provider-link.tsx';
import { useEnter } from '../../frame/session.ts';
import { SignInForm } from '../../frame/sign-in-form.tsx';
import { SignUpForm } from '../../frame/sign-up-form.tsx';
import { Button } from '../../parts/button.tsx';

/** Lets somebody sign in, who can accept after that, or create an account that accepts at once. */
export function EnterAndAccept({ secret, maySignUp }: { readonly secret: string; readonly maySignUp: boolean }) {
  const queries = useQueryClient();
  const enter = useEnter();
  const [isNew, setNew] = useState(maySignUp);
  const signedIn = (who: Who): void => {
    queries.setQueryData(whoQuery.queryKey, who);
    // The invitation may be that account's own, or accepted by it.
    void queries.invalidateQueries({ queryKey: invitationQuery(secret).queryKey });
  };
  return (
    <>
      <h2>{isNew ? 'Create an account' : 'Sign in to accept'}</h2>
      <ProviderLink returnTo={`/invitations/${secret}`} invitation={secret} />
      {isNew ? (
        <SignUpForm invitation={secret} onSignedIn={(who) => enter(who, '/')} />
      ) : (
        <SignInForm onSignedIn={signedIn} />
      )}
      {maySignUp ? (
        <Button look="quiet" onClick={() => setNew(!isNew)}>
          {isNew ? 'I have an account: sign in' : 'I have no account: create one'}
        </Button>
      ) : (
        <p>If you have no account, ask your administrator for one.</p>
      )}
    </>
  );
}
