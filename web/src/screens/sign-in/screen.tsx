import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { installationQuery } from '../../api/queries/installation.ts';
import { whoQuery } from '../../api/queries/sessions.ts';
import { ownPath } from '../../lib/own-path.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { EmptyState, ErrorNote } from '../../parts/notes.tsx';
import { Entry } from '../../shell/entry.tsx';
import { LinkCommand } from '../../shell/link-command.tsx';
import { ProviderLink } from '../../shell/provider-link.tsx';
import { useEnter, useSignOut } from '../../shell/session.ts';
import { SignInForm } from '../../shell/sign-in-form.tsx';

/** The way in. */
export function SignInScreen() {
  const { search } = useSearchState('/sign-in');
  const { error } = search;
  const target = ownPath(search.to);
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
        Open the link that sitewarden printed when it was started. It creates the first account, works once, and for an
        hour. Each start prints a new one, and so does this command:
      </p>
      <LinkCommand email="admin@localhost" />
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
        <LinkCommand email="YOUR_ADDRESS" />
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

/** Why signing in with the identity provider failed, by the code that the service puts into the URL. */
const PROVIDER_ERRORS: Readonly<Record<string, string>> = {
  oidc_refused: 'You cancelled, or the provider refused to sign you in. Try again, or sign in with a password.',
  oidc_failed:
    'The provider did not answer as it should. Try again in a moment. If it happens again, your administrator finds the reason in the log.',
  oidc_expired:
    'Signing in took longer than 10 minutes, or was finished in another browser than the one where it began. Try again.',
  oidc_no_account:
    'There is no account with your email address, and you cannot create one yourself. Ask your administrator for an account.',
  oidc_has_password:
    'There is an account with your email address that has a password. Sign in with it, then link the provider on the screen “Account”.',
  oidc_taken: 'This identity already belongs to another account, so it was not linked to yours.',
  invitation_taken:
    'The invitation was accepted by someone else, or withdrawn. Ask the person who sent it for a new one.',
};

/** Returns what an error code means. */
function providerError(code: string): string {
  return PROVIDER_ERRORS[code] ?? 'Signing in with the provider failed. Try again.';
}
