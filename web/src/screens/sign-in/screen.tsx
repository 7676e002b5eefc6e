import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { installationQuery } from '../../api/queries/installation.ts';
import { whoQuery } from '../../api/queries/sessions.ts';
import { Entry } from '../../frame/entry.tsx';
import { ProviderLink } from '../../frame/provider-link.tsx';
import { useEnter, useSignOut } from '../../frame/session.ts';
import { SignInForm } from '../../frame/sign-in-form.tsx';
import { useSearchState } from '../../frame/use-search-state.ts';
import { ownPath } from '../../lib/own-path.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { EmptyState, ErrorNote } from '../../parts/notes.tsx';
import { providerError } from './words.ts';

/** The way in. */
export function SignInScreen() {
  const { search } = useSearchState();
  const { error } = search;
  const target = ownPath(search['to']);
  const enter = useEnter();
  const who = useQuery(whoQuery);
  const installation = useQuery(installationQuery);
  const account = who.data?.account ?? null;
  if (account !== null && error === undefined) return <GoOn path={target} />;
  if (who.isPending || installation.isPending) return <Entry title="Sign in">{null}</Entry>;
  return (
    <Entry title="Sign in">
      {error === undefined ? null : <ErrorNote title="You could not be signed in" detail={providerError(error)} />}
      {account === null ? (
        <>
          <NeedsOwner />
          <ProviderLink returnTo={target} />
          <SignInForm onSignedIn={(entered) => enter(entered, target)} />
          <OtherWays />
        </>
      ) : (
        <SignedInAs email={account.email} />
      )}
    </Entry>
  );
}

/** Leads on somebody who is signed in already. */
function GoOn({ path }: { readonly path: string }) {
  const navigate = useNavigate();
  useEffect(() => void navigate({ href: path, replace: true }), [navigate, path]);
  return null;
}

function NeedsOwner() {
  const installation = useQuery(installationQuery);
  if (installation.data?.needs_owner !== true) return null;
  return (
    <EmptyState title="No one can sign in yet">
      <p>
        Open the link that <code>npm start</code> printed when it started sitewarden. It creates the first account,
        works once, and for an hour. Each start prints a new one, and so does this command:
      </p>
      <pre>npm start -- account link --email admin@localhost</pre>
    </EmptyState>
  );
}

function OtherWays() {
  const signUp = useQuery(installationQuery).data?.sign_up;
  return (
    <>
      {signUp === 'open' ? (
        <p>
          New here? <Link to="/sign-up">Create an account</Link>
        </p>
      ) : null}
      <details>
        <summary>Forgot your password?</summary>
        <p>Ask your administrator for a link that sets a new one. They get it with this command:</p>
        <pre>npm start -- account link --email YOUR_ADDRESS</pre>
      </details>
    </>
  );
}

/** Linking an identity can fail while somebody is signed in. */
function SignedInAs({ email }: { readonly email: string }) {
  const signOut = useSignOut();
  return (
    <>
      <p>You are signed in as {email}.</p>
      <p>
        <Link to="/account" className={buttonClass('main')}>
          Back to your account
        </Link>{' '}
        <Button onClick={() => void signOut()}>Sign out</Button>
      </p>
    </>
  );
}
