import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { changeSite, tryLogin } from '../../api/changes/sites.ts';
import type { Item } from '../../api/client.ts';
import { siteQuery } from '../../api/queries/sites.ts';
import { AskButton } from '../../forms/ask-dialog.tsx';
import { importMessage } from '../../forms/steps/import-message.ts';
import { ImportSteps, StepList, TestFields } from '../../forms/steps/step-list.tsx';
import { type ImportedRows, LOGIN_ACTIONS, loginOf, rowsOfLogin, testOf } from '../../forms/steps/step-rows.ts';
import styles from '../../forms/steps/steps.module.css';
import { TriedSteps } from '../../forms/steps/tried-steps.tsx';
import { useForm } from '../../forms/use-form.tsx';
import { useUnsaved } from '../../live/use-unsaved.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorSummary } from '../../parts/error-summary.tsx';
import { Section } from '../../parts/section.tsx';
import { useToast } from '../../parts/toast.tsx';

/** Edits the steps of a site's login, and tries them. */
export function LoginForm({ site }: { readonly site: Item<'site'> }) {
  const queries = useQueryClient();
  const say = useToast();
  const [rows, setRows] = useState(() => rowsOfLogin(site.login));
  const [signedIn, setSignedIn] = useState(() => testOf(site.login?.signed_in));
  // The stored login, in the form in which it is compared with the fields.
  const saved = loginOf(rowsOfLogin(site.login), testOf(site.login?.signed_in));
  const [tried, setTried] = useState<{ readonly steps: string; readonly test: Item<'login_test'> } | null>(null);
  const edited = loginOf(rows, signedIn);
  const steps = JSON.stringify(edited);
  const take = (changed: Item<'site'>): void => {
    queries.setQueryData(siteQuery(site.id).queryKey, changed);
    setRows(rowsOfLogin(changed.login));
    setSignedIn(testOf(changed.login?.signed_in));
    setTried(null);
  };
  const form = useForm(async (fields) => {
    if (fields.get('do') === 'try') setTried({ steps, test: await tryLogin(site.id, edited) });
    else {
      take(await changeSite(site.id, { login: edited }));
      say('Login saved.');
    }
  });
  const remove = async (): Promise<void> => {
    take(await changeSite(site.id, { login: null }));
    say('Login removed.');
  };
  const isUnsaved = steps !== JSON.stringify(saved);
  useUnsaved(isUnsaved);
  const importRows = ([first]: readonly ImportedRows[]): void => {
    say(importMessage(first === undefined ? [] : [first]));
    if (first !== undefined) setRows(first.rows);
  };
  const doing = useRef<HTMLInputElement>(null);
  const submitTo = (what: 'save' | 'try') => (): void => {
    if (doing.current !== null) doing.current.value = what;
  };
  return (
    <Section title="Login form">
      <p>
        If the site has a login form, a browser performs these steps before each report, and again when the session
        ends. Elements are found by CSS selectors. Secrets are stored encrypted and never shown again.
      </p>
      <form onSubmit={form.onSubmit} noValidate autoComplete="off" className={styles.form}>
        <ErrorSummary errors={form.errors} />
        <input type="hidden" name="do" ref={doing} defaultValue="save" />
        {site.needs_credentials ? (
          <p>
            Needs credentials: the stored login cannot be read, because the key of this installation was replaced. Enter
            its steps again. Until then, runs fail.
          </p>
        ) : null}
        <StepList rows={rows} actions={LOGIN_ACTIONS} setRows={setRows} />
        <ImportSteps onRead={importRows} />
        <fieldset className={styles.test}>
          <legend>When signed in, the last page shows (optional)</legend>
          <TestFields test={signedIn} title="Signed in" change={setSignedIn} />
        </fieldset>
        <div className={styles.actions}>
          <Button type="submit" isBusy={form.isBusy} onClick={submitTo('save')}>
            Save login
          </Button>
          <Button type="submit" isBusy={form.isBusy} onClick={submitTo('try')}>
            Try it
          </Button>
          {isUnsaved ? <span className={styles.unsaved}>These steps are not saved yet.</span> : null}
        </div>
      </form>
      {site.login === null ? null : (
        <div>
          <AskButton label="Remove login…" look="danger" title="Remove the login?" action="Remove login" run={remove}>
            <p>
              Deletes its steps and secrets. Reports and schedules of the site then check what signed-out visitors see.
              This cannot be undone.
            </p>
          </AskButton>
        </div>
      )}
      <div role="status">
        {form.isBusy && doing.current?.value === 'try' ? <p>This can take up to four minutes …</p> : null}
        {tried === null || form.isBusy ? null : (
          <TriedSteps test={tried.test} what="login" isOutdated={tried.steps !== steps} />
        )}
      </div>
    </Section>
  );
}
