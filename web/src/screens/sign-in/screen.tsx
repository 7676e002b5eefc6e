import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { LIMITS } from 'sitewarden-client/values';
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

/** Signs in, or explains how to create the first account. */
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
      {error === undefined ? null : <ErrorNote title="Signing in failed" detail={providerError(error)} />}
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

/** Redirects users who are already signed in. */
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
        Open the link that sitewarden printed when it started. It creates the first account, works once, and expires
        after an hour. Each start prints a new link, and so does this command:
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
        <p>Ask the operator of this installation for a link to set a new one. This command prints it:</p>
        <LinkCommand email="YOUR_ADDRESS" />
      </details>
    </>
  );
}

/** Linking an identity can fail while the user is signed in. */
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

/** Why signing in with the identity provider failed, by the error code in the URL. */
const PROVIDER_ERRORS: Readonly<Record<string, string>> = {
  oidc_refused: 'You canceled, or the provider refused to sign you in. Try again, or sign in with a password.',
  oidc_failed:
    'The provider sent an invalid response. Try again in a moment. If it happens again, the operator of this installation can find the reason in the log.',
  oidc_expired: `Signing in took longer than ${LIMITS.providerSignInMinutes} minutes, or was completed in a different browser. Try again.`,
  oidc_no_account:
    'No account has your email address, and you cannot create one yourself. Ask the operator of this installation for an account.',
  oidc_has_password:
    'An account with your email address already has a password. Sign in with the password, then link the provider under “Account”.',
  oidc_disabled: 'The operator of this installation has disabled your account.',
  oidc_taken: 'This identity already belongs to another account, so it was not linked to yours.',
  invitation_taken:
    'The invitation was accepted by someone else, or withdrawn. Ask the person who sent it for a new one.',
};

/** Returns the message for an error code. */
function providerError(code: string): string {
  return PROVIDER_ERRORS[code] ?? 'Signing in with the provider failed. Try again.';
}
