import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { API } from 'sitewarden-client';
import { createApiToken, revokeApiToken } from '../../api/changes/api-tokens.ts';
import type { Item } from '../../api/client.ts';
import { apiTokensQuery } from '../../api/queries/account.ts';
import { AskButton } from '../../forms/ask-dialog.tsx';
import { Form } from '../../forms/form.tsx';
import { useForm } from '../../forms/use-form.tsx';
import { ago, dateTime, timeOf } from '../../lib/formats.ts';
import { pageNumber } from '../../lib/search.ts';
import { ListTable } from '../../lists/list-table.tsx';
import { useSearchState } from '../../lists/use-search-state.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { Field } from '../../parts/field.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { Options } from '../../parts/options.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { Section } from '../../parts/section.tsx';
import { AccountHead } from '../../shell/account-head.tsx';

/** Lists, creates and revokes API tokens. */
export function AccountTokensScreen() {
  const { search } = useSearchState('/account/tokens');
  const tokens = useQuery(apiTokensQuery({ 'page[number]': pageNumber(search.page), 'page[size]': 25 }));
  const queries = useQueryClient();
  const revoke = async ({ id }: Token): Promise<void> => {
    await revokeApiToken(id);
    await queries.invalidateQueries({ queryKey: ['api_tokens'] });
  };
  return (
    <>
      <AccountHead />
      <NewToken />
      <Section title="Tokens">
        <ListTable
          query={tokens}
          caption="API tokens"
          columns={tokenColumns(revoke)}
          empty={
            <EmptyState title="You have no tokens">
              <p>Programs and the command line need a token to use the API. This browser does not.</p>
            </EmptyState>
          }
        />
      </Section>
    </>
  );
}

type Token = Item<'api_token'>;

/** The columns of the list of tokens. */
function tokenColumns(revoke: (token: Token) => Promise<void>): readonly Column<Token>[] {
  const now = new Date();
  return [
    { key: 'name', title: 'Name', isMain: true, cell: tokenName },
    {
      key: 'scope',
      title: 'Access',
      cell: ({ scope }) => (scope === 'read' ? 'read only' : 'read and write'),
    },
    {
      key: 'used',
      title: 'Last used',
      isNumber: true,
      cell: ({ last_used_at: time }) => (time === null ? 'never' : ago(time, now)),
    },
    { key: 'created', title: 'Created', isNumber: true, cell: ({ inserted_at: time }) => dateTime(time) },
    {
      key: 'expires',
      title: 'Expires',
      isNumber: true,
      cell: ({ expires_at: time }) =>
        time === null ? 'never' : timeOf(time) <= now ? `expired ${dateTime(time)}` : dateTime(time),
    },
    {
      key: 'revoke',
      title: 'Action',
      cell: (token) => (
        <AskButton
          label="Revoke…"
          name={`Revoke ${tokenName(token)}…`}
          title={`Revoke “${tokenName(token)}”?`}
          action="Revoke"
          run={() => revoke(token)}
        >
          <p>Programs that use this token lose access immediately. This cannot be undone.</p>
        </AskButton>
      ),
    },
  ];
}

/** A token without a name is identified by its number. */
function tokenName({ id, name }: Token): string {
  return name === '' ? `Token ${id}` : name;
}

/** Creates a token and shows it once. */
function NewToken() {
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
      <Form key={created?.id} form={form} action="Create token">
        <Field label="Name" name="name" hint="Where it is used, such as “nightly build”." error={form.errorOf('name')}>
          {(control) => <input type="text" autoComplete="off" {...control} />}
        </Field>
        <Field label="Access" name="scope" error={form.errorOf('scope')}>
          {(control) => (
            <select {...control}>
              <option value="write">read and write</option>
              <option value="read">read only</option>
            </select>
          )}
        </Field>
        <Field label="Expires" name="expires_at" error={form.errorOf('expires_at')}>
          {(control) => (
            <select {...control} defaultValue="90">
              <Options of={EXPIRIES} />
            </select>
          )}
        </Field>
      </Form>
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

const dayMs = 86_400_000;

/** The lifetimes to choose from. */
const EXPIRIES = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'a year'],
  ['', 'never'],
] as const;

/** Returns the time a number of days from now in the format of the API, in UTC; null for an empty text. */
function timeAfter(days: string, now: Date): string | null {
  return days === '' ? null : new Date(now.getTime() + Number(days) * dayMs).toISOString().slice(0, 19);
}
