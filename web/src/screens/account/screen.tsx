import { useQuery } from '@tanstack/react-query';
import { accountQuery } from '../../api/queries/account.ts';
import { installationQuery } from '../../api/queries/installation.ts';
import { whoQuery } from '../../api/queries/sessions.ts';
import formStyles from '../../forms/form.module.css';
import { StandardForm } from '../../forms/standard-form.tsx';
import { type Choice, usePreference } from '../../live/preferences.ts';
import { QueryView } from '../../live/query-view.tsx';
import { CheckField, Field } from '../../parts/field.tsx';
import { Section } from '../../parts/section.tsx';
import { AccountHead } from '../../shell/account-head.tsx';
import { PasswordForm } from './password-form.tsx';
import { Profile } from './profile.tsx';
import { ProviderState } from './provider-state.tsx';
import { Sessions } from './sessions.tsx';

/** The profile, the ways to sign in, and the preferences for this browser. */
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
                    <Section title="Standard">
                      <StandardForm account={data} label="Accessibility standard" />
                    </Section>
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

/** The preferences for this browser. They apply at once. */
function BrowserChoices() {
  const [theme, setTheme] = usePreference('theme');
  const [density, setDensity] = usePreference('density');
  const [keys, setKeys] = usePreference('keys');
  return (
    <Section title="This browser">
      <div className={formStyles.form}>
        <Field label="Theme" name="theme">
          {(control) => (
            <select {...control} value={theme} onChange={({ target }) => setTheme(target.value as Choice<'theme'>)}>
              <option value="system">system</option>
              <option value="light">light</option>
              <option value="dark">dark</option>
            </select>
          )}
        </Field>
        <Field label="Table density" name="density">
          {(control) => (
            <select
              {...control}
              value={density}
              onChange={({ target }) => setDensity(target.value as Choice<'density'>)}
            >
              <option value="comfortable">comfortable</option>
              <option value="compact">compact</option>
            </select>
          )}
        </Field>
        <CheckField
          label="Single-key shortcuts"
          name="keys"
          hint="For example, j selects the next row and ? lists all shortcuts. Turn them off if you use voice control or often press keys by accident."
          checked={keys === 'on'}
          onChange={({ target }) => setKeys(target.checked ? 'on' : 'off')}
        />
      </div>
    </Section>
  );
}
