import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isStatus } from 'sitewarden-client/errors';
import type { Who } from '../../api/auth-client.ts';
import { acceptInvitation, signOut } from '../../api/changes/sessions.ts';
import { type Invitation, invitationQuery, whoQuery } from '../../api/queries/sessions.ts';
import { Form } from '../../forms/form.tsx';
import { useForm } from '../../forms/use-form.tsx';
import { plural } from '../../lib/formats.ts';
import { QueryView } from '../../live/query-view.tsx';
import { usePathParams } from '../../live/use-route.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { Entry } from '../../shell/entry.tsx';
import { ProviderLink } from '../../shell/provider-link.tsx';
import { useEnter } from '../../shell/session.ts';
import { SignInForm } from '../../shell/sign-in-form.tsx';
import { SignUpForm } from '../../shell/sign-up-form.tsx';

/** An invitation: who invites, the limit, and how to accept. */
export function InvitationScreen() {
  const { secret } = usePathParams('/invitations/$secret');
  const invitation = useQuery(invitationQuery(secret));
  if (isStatus(invitation.error, 404)) return <WrongLink />;
  return (
    <Entry title="Invitation">
      <QueryView query={invitation} rows={3}>
        {(data) => <Offer secret={secret} invitation={data} />}
      </QueryView>
    </Entry>
  );
}

function Offer({ secret, invitation }: { readonly secret: string; readonly invitation: Invitation }) {
  const who = useQuery(whoQuery);
  const host = invitation.host.name === '' ? 'Someone' : invitation.host.name;
  if (invitation.state !== 'open') return <NotOpen state={invitation.state} host={host} />;
  return (
    <>
      <p>
        <strong>{host}</strong> shares a plan with you: you can spend up to{' '}
        <strong>{plural(invitation.max_usage, 'credit')} per month</strong>. One credit pays for one check of one page.
      </p>
      <p>
        {host} can read the reports that you create, and can change the limit or stop sharing at any time. You can leave
        at any time.
      </p>
      <QueryView query={who} rows={2}>
        {({ account }) =>
          account === null ? (
            <EnterAndAccept secret={secret} maySignUp={invitation.may_sign_up} />
          ) : (
            <AcceptAs secret={secret} account={account} />
          )
        }
      </QueryView>
    </>
  );
}

function NotOpen({ state, host }: { readonly state: 'taken' | 'own' | 'accepted'; readonly host: string }) {
  if (state === 'own') {
    return (
      <EmptyState title="This is your own invitation">
        <p>Send its link to the person who will use your plan.</p>
        <Link to="/guests">Your guests</Link>
      </EmptyState>
    );
  }
  if (state === 'accepted') {
    return (
      <EmptyState title="You have accepted this invitation">
        <p>Your account uses the plan of {host}. There is nothing else to do.</p>
        <Link to="/">Go to the overview</Link>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="This invitation has already been accepted">
      <p>
        An invitation works once. If you accepted it, <Link to="/sign-in">sign in</Link> with the account that accepted
        it. If not, ask {host} to remove that guest and send you a new invitation.
      </p>
    </EmptyState>
  );
}

function WrongLink() {
  return (
    <Entry title="Invitation not found">
      <p>The link may be incomplete, because some email programs break long links. Copy all of it from the message.</p>
      <p>If it is complete, the invitation was withdrawn. Ask the person who sent it for a new one.</p>
    </Entry>
  );
}

/** Signs in to accept an invitation, or creates an account that accepts it at once. */
function EnterAndAccept({ secret, maySignUp }: { readonly secret: string; readonly maySignUp: boolean }) {
  const queries = useQueryClient();
  const enter = useEnter();
  const [isNew, setNew] = useState(maySignUp);
  const signedIn = (who: Who): void => {
    queries.setQueryData(whoQuery.queryKey, who);
    // The account may own the invitation, or have accepted it before.
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
          {isNew ? 'Already have an account? Sign in' : 'New here? Create an account'}
        </Button>
      ) : (
        <p>If you have no account, ask the operator of this installation for one.</p>
      )}
    </>
  );
}

/** Accepts the invitation for the signed-in account, or for another one. */
function AcceptAs({ secret, account }: { readonly secret: string; readonly account: NonNullable<Who['account']> }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const form = useForm(async () => {
    await acceptInvitation(secret);
    await queries.invalidateQueries({ queryKey: ['account'], refetchType: 'all' });
    // The secret was used, so it is removed from the history.
    await navigate({ to: '/', replace: true });
    queries.removeQueries({ queryKey: invitationQuery(secret).queryKey });
  });
  const changeAccount = async (): Promise<void> => {
    await signOut();
    queries.clear();
    await queries.invalidateQueries({ queryKey: whoQuery.queryKey });
  };
  return (
    <>
      <Form
        form={form}
        action={`Accept as ${account.name === '' ? account.email : account.name}`}
        beside={<Button onClick={() => void changeAccount()}>Use another account</Button>}
      />
      <p>You are signed in as {account.email}.</p>
    </>
  );
}
