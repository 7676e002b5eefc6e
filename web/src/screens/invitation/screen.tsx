import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { isStatus } from '../../api/errors.ts';
import { type Invitation, invitationQuery, whoQuery } from '../../api/queries/sessions.ts';
import { Entry } from '../../frame/entry.tsx';
import { QueryView } from '../../frame/query-view.tsx';
import { plural } from '../../lib/formats.ts';
import { EmptyState } from '../../parts/notes.tsx';
import { AcceptAs } from './accept-as.tsx';
import { EnterAndAccept } from './enter-and-accept.tsx';

/** Where the link of an invitation leads: who invites to what, and how to accept. */
export function InvitationScreen() {
  const { secret = '' } = useParams({ strict: false });
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
        <strong>{plural(invitation.max_usage, 'credit')} a month</strong>. One credit pays for one check of one page.
      </p>
      <p>{host} can read the reports that you create, and change or end this at any time. You can end it, too.</p>
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
      <EmptyState title="This invitation is your own">
        <p>Send its link to the person who will use your plan.</p>
        <Link to="/guests">Your guests</Link>
      </EmptyState>
    );
  }
  if (state === 'accepted') {
    return (
      <EmptyState title="You have accepted this invitation">
        <p>Your account uses the plan of {host}. There is nothing more to do.</p>
        <Link to="/">Go to the overview</Link>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="This invitation has been accepted already">
      <p>
        An invitation can be accepted once. If it was you, <Link to="/sign-in">sign in</Link> with the account that
        accepted it. If not, tell {host}, who can end the sharing and send you a new invitation.
      </p>
    </EmptyState>
  );
}

function WrongLink() {
  return (
    <Entry title="There is no such invitation">
      <p>The link may be incomplete, since mail programs break long ones. Copy all of it from the message.</p>
      <p>If it is complete, the invitation was withdrawn. Ask the person who sent it for a new one.</p>
    </Entry>
  );
}
