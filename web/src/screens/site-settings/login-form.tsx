import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { changeSite, tryLogin } from '../../api/changes/sites.ts';
import type { Item } from '../../api/client.ts';
import { siteQuery } from '../../api/queries/sites.ts';
import { AskButton } from '../../forms/ask-dialog.tsx';
import { useForm } from '../../forms/use-form.tsx';
import { Button } from '../../parts/button.tsx';
import { ErrorSummary } from '../../parts/error-summary.tsx';
import { Section } from '../../parts/section.tsx';
import { useToast } from '../../parts/toast.tsx';
import styles from './login-form.module.css';
import { ACTIONS, loginOf, newRow, type Row, rowsOf, SOURCES, type Test, testOf } from './login-steps.ts';

const ACTION_TITLES = {
  open: 'Open the URL',
  fill: 'Fill the field',
  click: 'Click the element',
  press: 'Press the key',
  select: 'Select in the list',
  wait_for: 'Wait for',
  expect: 'Expect',
} as const;
const SOURCE_TITLES = { value: 'the text', secret: 'the secret', totp: 'a one-time password (TOTP key)' } as const;

/** Edits the steps of a site's login, and tries them. */
export function LoginForm({ site }: { readonly site: Item<'site'> }) {
  const queries = useQueryClient();
  const say = useToast();
  const [rows, setRows] = useState(() => rowsOf(site.login));
  const [signedIn, setSignedIn] = useState(() => testOf(site.login?.signed_in));
  const [tried, setTried] = useState<Item<'login_test'> | null>(null);
  const take = (changed: Item<'site'>): void => {
    queries.setQueryData(siteQuery(site.id).queryKey, changed);
    setRows(rowsOf(changed.login));
    setSignedIn(testOf(changed.login?.signed_in));
  };
  const form = useForm(async (fields) => {
    const login = loginOf(rows, signedIn);
    if (fields.get('do') === 'try') setTried(await tryLogin(site.id, login));
    else {
      take(await changeSite(site.id, { login }));
      say('Login saved.');
    }
  });
  const remove = async (): Promise<void> => {
    take(await changeSite(site.id, { login: null }));
    setTried(null);
    say('Login removed.');
  };
  const change = (id: number, part: Partial<Row>): void =>
    setRows(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
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
        <ol className={styles.steps}>
          {rows.map((row, index) => (
            <li key={row.id}>
              <StepFields row={row} number={index + 1} change={(part) => change(row.id, part)} />
              <Button look="quiet" onClick={() => setRows(rows.filter(({ id }) => id !== row.id))}>
                Remove<span className="visually-hidden"> step {index + 1}</span>
              </Button>
            </li>
          ))}
        </ol>
        <div>
          <Button onClick={() => setRows([...rows, newRow()])}>Add a step</Button>
        </div>
        <fieldset className={styles.test}>
          <legend>Signed in, the last page shows (optional)</legend>
          <TestFields test={signedIn} title="Signed in" change={setSignedIn} />
        </fieldset>
        <div className={styles.actions}>
          <Button type="submit" isBusy={form.isBusy} onClick={submitTo('save')}>
            Save login
          </Button>
          <Button type="submit" isBusy={form.isBusy} onClick={submitTo('try')}>
            Try it
          </Button>
        </div>
      </form>
      {site.login === null ? null : (
        <div>
          <AskButton label="Remove login…" look="danger" title="Remove the login?" action="Remove login" run={remove}>
            <p>
              Deletes its steps and secrets. Reports and schedules of the site then check what visitors see who are not
              signed in. This cannot be undone.
            </p>
          </AskButton>
        </div>
      )}
      <div role="status">
        {form.isBusy && doing.current?.value === 'try' ? <p>This can take up to four minutes …</p> : null}
        {tried === null || form.isBusy ? null : <Tried test={tried} />}
      </div>
    </Section>
  );
}

function StepFields({
  row,
  number,
  change,
}: {
  readonly row: Row;
  readonly number: number;
  readonly change: (part: Partial<Row>) => void;
}) {
  const { action, target, test } = row;
  const label = (what: string): string => `Step ${number}: ${what}`;
  const hasTest = action === 'wait_for' || action === 'expect';
  const what = action === 'open' ? 'URL' : action === 'press' ? 'key' : 'selector';
  return (
    <>
      <select
        aria-label={label('action')}
        value={action}
        onChange={({ target: { value: name } }) =>
          change({ action: ACTIONS.find((known) => known === name) ?? action, isStored: false })
        }
      >
        {ACTIONS.map((name) => (
          <option key={name} value={name}>
            {ACTION_TITLES[name]}
          </option>
        ))}
      </select>
      {hasTest ? (
        <TestFields test={test} title={`Step ${number}`} change={(changed) => change({ test: changed })} />
      ) : (
        <input
          aria-label={label(what)}
          placeholder={what === 'URL' ? 'https://…' : what === 'key' ? 'Enter' : '#password'}
          spellCheck={false}
          value={target}
          onChange={({ target: { value: text } }) => change({ target: text })}
        />
      )}
      {action === 'fill' ? <SourceField row={row} label={label} change={change} /> : null}
      {action === 'fill' || action === 'select' ? <ValueField row={row} label={label} change={change} /> : null}
    </>
  );
}

interface PartProps {
  readonly row: Row;
  readonly label: (what: string) => string;
  readonly change: (part: Partial<Row>) => void;
}

function SourceField({ row: { source }, label, change }: PartProps) {
  return (
    <select
      aria-label={label('kind of value')}
      value={source}
      onChange={({ target: { value: name } }) =>
        change({ source: SOURCES.find((known) => known === name) ?? source, value: '', isStored: false })
      }
    >
      {SOURCES.map((name) => (
        <option key={name} value={name}>
          with {SOURCE_TITLES[name]}
        </option>
      ))}
    </select>
  );
}

function ValueField({ row: { action, source, value, isStored }, label, change }: PartProps) {
  const isSecret = action === 'fill' && source !== 'value';
  return (
    <input
      aria-label={label(isSecret ? 'secret' : 'value')}
      type={isSecret ? 'password' : 'text'}
      autoComplete="new-password"
      placeholder={isStored ? 'stored; empty keeps it' : undefined}
      value={value}
      onChange={({ target: { value: text } }) => change({ value: text })}
    />
  );
}

const TEST_TITLES = { url: 'URL contains', selector: 'selector', text: 'text' } as const;

function TestFields({
  test,
  title,
  change,
}: {
  readonly test: Test;
  readonly title: string;
  readonly change: (test: Test) => void;
}) {
  return (['url', 'selector', 'text'] as const).map((name) => (
    <input
      key={name}
      aria-label={`${title}: ${TEST_TITLES[name]}`}
      placeholder={TEST_TITLES[name]}
      spellCheck={false}
      value={test[name]}
      onChange={({ target: { value } }) => change({ ...test, [name]: value })}
    />
  ));
}

/** What became of a login that was tried. */
function Tried({ test }: { readonly test: Item<'login_test'> }) {
  return (
    <>
      <p>{test.works ? 'The login works.' : test.error}</p>
      <ol className={styles.screenshots}>
        {test.steps.map(({ action, done, screenshot }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps of one test do not change.
          <li key={`${test.id} ${index}`}>
            {ACTION_TITLES[action]}: {done ? 'done' : index + 1 === test.failed_step ? 'failed' : 'not reached'}
            {screenshot === null ? null : <Screenshot url={screenshot} title={`The page after step ${index + 1}`} />}
          </li>
        ))}
      </ol>
    </>
  );
}

/** Draws an image from a `data:` URL, which the policy of the dashboard does not allow as the source of an image. */
function Screenshot({ url, title }: { readonly url: string; readonly title: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const bytes = Uint8Array.from(atob(url.slice(url.indexOf(',') + 1)), (character) => character.charCodeAt(0));
    void createImageBitmap(new Blob([bytes], { type: 'image/webp' })).then((image) => {
      if (canvas.current === null) return;
      Object.assign(canvas.current, { width: image.width, height: image.height });
      canvas.current.getContext('2d')?.drawImage(image, 0, 0);
    });
  }, [url]);
  return <canvas ref={canvas} role="img" aria-label={title} className={styles.screenshot} />;
}
