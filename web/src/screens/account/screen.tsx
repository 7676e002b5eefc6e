import { useQuery } from '@tanstack/react-query';
import { accountQuery } from '../../api/queries/account.ts';
import { installationQuery } from '../../api/queries/installation.ts';
import { whoQuery } from '../../api/queries/sessions.ts';
import { AccountHead } from '../../frame/account-head.tsx';
import { QueryView } from '../../frame/query-view.tsx';
import { Section } from '../../parts/section.tsx';
import { BrowserChoices } from './browser-choices.tsx';
import { PasswordForm } from './password-form.tsx';
import { Profile } from './profile.tsx';
import { ProviderState } from './provider-state.tsx';
import { Sessions } from './sessions.tsx';

/** Who somebody is here, how they sign in, and what they chose for this browser. */
export function AccountScreen() {
  const account = useQuery(accountQuery);
  const who = useQuery(whoQuery);
  const installation = useQuery(installationQuery);
  return (
    <>
      <AccountHead />
      <QueryView query={account}>
        {(data) => (
          <QueryView query={who}>
            {({ account: own }) => (
              <QueryView query={installation}>
                {({ oidc }) => (
                  <>
                    <Profile account={data} own={own} />
                    {own === null ? null : <PasswordForm account={own} />}
                    {own === null || oidc === null ? null : <ProviderState provider={oidc} account={own} />}
                    <BrowserChoices />
                    <Section title="Signed-in browsers">
                      <Sessions />
                    </Section>
                  </>
                )}
              </QueryView>
            )}
          </QueryView>
        )}
      </QueryView>
    </>
  );
}
