import formStyles from '../../frame/form.module.css';
import { type Choice, usePreference } from '../../frame/preferences.ts';
import { CheckField, Field } from '../../parts/field.tsx';
import { Section } from '../../parts/section.tsx';

/** What somebody chooses for this browser. It applies at once. */
export function BrowserChoices() {
  const [theme, setTheme] = usePreference('theme');
  const [density, setDensity] = usePreference('density');
  const [keys, setKeys] = usePreference('keys');
  return (
    <Section title="This browser">
      <div className={formStyles.form}>
        <Field label="Colors" name="theme">
          {(control) => (
            <select {...control} value={theme} onChange={({ target }) => setTheme(target.value as Choice<'theme'>)}>
              <option value="system">as the system</option>
              <option value="light">light</option>
              <option value="dark">dark</option>
            </select>
          )}
        </Field>
        <Field label="Rows of tables" name="density">
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
          label="Single letters are commands"
          name="keys"
          hint="For example j for the next row, ? for the list of keys. Turn this off if you speak to your computer, or hit keys by accident."
          checked={keys === 'on'}
          onChange={({ target }) => setKeys(target.checked ? 'on' : 'off')}
        />
      </div>
    </Section>
  );
}
