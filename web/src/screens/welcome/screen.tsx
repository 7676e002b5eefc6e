import { useQuery } from '@tanstack/react-query';
import { isStatus } from 'sitewarden-client/errors';
import { redeemWelcome } from '../../api/changes/sessions.ts';
import { installationQuery } from '../../api/queries/installation.ts';
import { type Welcome, welcomeQuery } from '../../api/queries/sessions.ts';
import { AccountFields, NewPasswordField } from '../../forms/account-fields.tsx';
import { Form } from '../../forms/form.tsx';
import { useForm } from '../../forms/use-form.tsx';
import { plural } from '../../lib/formats.ts';
import { QueryView } from '../../live/query-view.tsx';
import { usePathParams } from '../../live/use-route.ts';
import { EmptyState } from '../../parts/notes.tsx';
import { Entry } from '../../shell/entry.tsx';
import { LinkCommand } from '../../shell/link-command.tsx';
import { useEnter } from '../../shell/session.ts';

/** The screen of a sign-in link: from the first start, or for a forgotten password. */
export function WelcomeScreen() {
  const { secret } = usePathParams('/welcome/$secret');
  const welcome = useQuery(welcomeQuery(secret));
  if (isStatus(welcome.error, 404)) return <DeadLink />;
  const title = welcome.data?.kind === 'password' ? 'Choose a new password' : 'Welcome to sitewarden';
  return (
    <Entry title={title}>
      <QueryView query={welcome} rows={3}>
        {(data) => <WelcomeForm secret={secret} welcome={data} />}
      </QueryView>
    </Entry>
  );
}

function WelcomeForm({ secret, welcome }: { readonly secret: string; readonly welcome: Welcome }) {
  const enter = useEnter();
  const isOwner = welcome.kind === 'owner';
  const form = useForm(async (fields) => {
    const text = (name: string): string => String(fields.get(name));
    const password = text('password');
    const choice = isOwner ? { name: text('name'), email: text('email'), password } : { password };
    enter(await redeemWelcome(secret, choice), '/');
  });
  return (
    <Form
      form={form}
      action={isOwner ? 'Create account' : 'Set password and sign in'}
      intro={<WelcomeWords welcome={welcome} />}
    >
      {isOwner ? (
        <AccountFields form={form} name={welcome.name} email={welcome.email} />
      ) : (
        <>
          {/* For password managers. */}
          <input type="email" autoComplete="username" value={welcome.email} readOnly hidden />
          <NewPasswordField form={form} label="New password" name="password" />
        </>
      )}
    </Form>
  );
}

function WelcomeWords({ welcome: { kind, email, api_tokens: tokens } }: { readonly welcome: Welcome }) {
  if (kind === 'owner') {
    return (
      <p>
        You are the first user.
        {tokens === 0
          ? ''
          : ` ${plural(tokens, 'API token')} already ${tokens === 1 ? 'acts' : 'act'} for this account.`}
      </p>
    );
  }
  return (
    <>
      <p>For {email}. This signs out all browsers that are signed in to this account.</p>
      {tokens === 0 ? null : (
        <p>
          {plural(tokens, 'API token')} of this account {tokens === 1 ? 'remains' : 'remain'} valid, so programs keep
          working. Revoke tokens that you do not recognize under “Account”, “API tokens”.
        </p>
      )}
    </>
  );
}

function DeadLink() {
  const title = 'This link no longer works';
  // Content below the command would shift.
  if (useQuery(installationQuery).isPending) return <Entry title={title}>{null}</Entry>;
  return (
    <Entry title={title}>
      <p>
        A sign-in link works once, within an hour. If it is new, copy all of it: some email programs break long links.
      </p>
      <EmptyState title="Get a new link">
        <p>The operator of this installation can print a link with this command on the machine that runs sitewarden:</p>
        <LinkCommand email="YOUR_ADDRESS" />
        <p>
          If no one has signed in yet, restart the service instead: it prints a link for the first account when it
          starts.
        </p>
      </EmptyState>
      <p>
        <a href="/sign-in">Go to sign-in</a>
      </p>
    </Entry>
  );
}
