import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { installationQuery } from '../../api/queries/installation.ts';
import { QueryView } from '../../live/query-view.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { Entry } from '../../shell/entry.tsx';
import { ProviderLink } from '../../shell/provider-link.tsx';
import { useEnter } from '../../shell/session.ts';
import { SignUpForm } from '../../shell/sign-up-form.tsx';

/** Creates an account, if sign-up is open to everyone. */
export function SignUpScreen() {
  const installation = useQuery(installationQuery);
  const enter = useEnter();
  return (
    <Entry title="Create an account">
      <QueryView query={installation}>
        {({ sign_up: signUp }) =>
          signUp === 'open' ? (
            <>
              <ProviderLink returnTo="/" />
              <SignUpForm onSignedIn={(who) => enter(who, '/')} />
            </>
          ) : (
            <EmptyState title="You cannot create an account yourself">
              <p>
                {signUp === 'invite'
                  ? 'You need an invitation: a link from someone with an account here.'
                  : 'Ask the operator of this installation for an account.'}
              </p>
            </EmptyState>
          )
        }
      </QueryView>
      <p>
        Already have an account? <Link to="/sign-in">Sign in</Link>
      </p>
    </Entry>
  );
}
