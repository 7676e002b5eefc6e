import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createApiToken } from '../../api/changes/api-tokens.ts';
import { API } from '../../api/client.ts';
import formStyles from '../../frame/form.module.css';
import { useForm } from '../../frame/use-form.ts';
import { EXPIRIES, timeAfter } from '../../lib/expiries.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ErrorSummary } from '../../parts/error-summary.tsx';
import { Field } from '../../parts/field.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { Section } from '../../parts/section.tsx';

/** Creates a token and shows it, once. */
export function NewToken() {
  const queries = useQueryClient();
  const [created, setCreated] = useState<{ readonly id: string; readonly token: string } | null>(null);
  const form = useForm(async (fields) => {
    const text = (name: string): string => String(fields.get(name));
    setCreated(
      await createApiToken({
        name: text('name'),
        scope: text('scope') === 'read' ? 'read' : 'write',
        expires_at: timeAfter(text('expires_at'), new Date()),
      }),
    );
    await queries.invalidateQueries({ queryKey: ['api_tokens'] });
  });
  return (
    <Section title="New token">
      {created === null ? null : <Created key={created.id} token={created.token} />}
      <form key={created?.id} className={formStyles.form} onSubmit={form.onSubmit} noValidate>
        <ErrorSummary errors={form.errors} />
        <Field label="Name" name="name" hint="What will use it, such as “nightly build”." error={form.errorOf('name')}>
          {(control) => <input type="text" autoComplete="off" {...control} />}
        </Field>
        <Field label="Allows" name="scope" error={form.errorOf('scope')}>
          {(control) => (
            <select {...control}>
              <option value="write">reading and changes</option>
              <option value="read">reading only</option>
            </select>
          )}
        </Field>
        <Field label="Expires" name="expires_at" error={form.errorOf('expires_at')}>
          {(control) => (
            <select {...control} defaultValue="90">
              {EXPIRIES.map(([days, words]) => (
                <option key={days} value={days}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
        <div className={formStyles.actions}>
          <Button type="submit" look="main" isBusy={form.isBusy}>
            Create token
          </Button>
        </div>
      </form>
    </Section>
  );
}

function Created({ token }: { readonly token: string }) {
  const command = `curl -H "Authorization: Bearer ${token}" ${location.origin}${API}/reports`;
  return (
    <SecretOnce title="Your new token" secret={token}>
      <p>Try it:</p>
      <pre>{command}</pre>
      <CopyButton text={command} title="Copy command" />
    </SecretOnce>
  );
}
