import Type, { type Static } from 'typebox';
import { ACTORS } from '../../domain/audit.ts';
import { DECIMAL_ID, LIFE, nullable, UUID } from '../../domain/schemas.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { type AuditFilter, listActions } from '../../store/accounts/audit-log.ts';
import type { AuditEntry } from '../../store/accounts/sign-in-tables.ts';
import { textFilter } from '../attributes/parameters.ts';
import { endpoint, listed, listOf } from '../http/endpoint.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { PAGING } from '../jsonapi/query.ts';
import { resourceType } from '../jsonapi/resource-type.ts';

const OF_OPERATORS = 'In the audit log of an account, it is also null if an operator did it.';

export const AUDIT_ENTRY = resourceType('audit_entry', {
  description: 'A change that was made or refused for an account. Entries cannot be changed.',
  id: DECIMAL_ID,
  attributes: Type.Object({
    action: Type.String({
      description:
        'The request, without the ids in its path, or the command that was run on the server. `PATCH /operator/accounts/{account_id}` ends with `: grant operator role` or `: revoke operator role`.',
      examples: ['DELETE /reports/{report_id}'],
    }),
    path: nullable(
      Type.String(),
      'The path of the resource. Secrets are replaced. Null for commands, except for commands that create and revoke API tokens.',
      {
        examples: ['/reports/0198f2a4-6f3c-7cc1-b2a7-0242ac120002'],
      },
    ),
    status: nullable(
      Type.Integer(),
      'The HTTP status of the response, or 401 if a sign-in with OpenID Connect was refused; null for commands, which are only recorded if they succeed.',
      {
        examples: [204],
      },
    ),
    actor: Type.Enum([...ACTORS], { description: 'Who did it.' }),
    actor_id: nullable(
      Type.String(),
      `The id of the API token, the session or the share link; null for others. ${OF_OPERATORS}`,
      {
        examples: ['12'],
      },
    ),
    actor_account_id: nullable(UUID, 'The account of the API token or the session; null for others.'),
    address: nullable(Type.String(), `The IP address of the client; null for commands. ${OF_OPERATORS}`, {
      examples: ['192.0.2.1'],
    }),
    request_id: nullable(
      Type.String(),
      `The id of the request, which is also in the log; null for commands. ${OF_OPERATORS}`,
      { examples: ['5f0e1a7c-2f0b-4f53-9d6c-0a8a3c0f4b1e'] },
    ),
    account_id: nullable(
      UUID,
      'The account that it concerns, such as the account that an operator disables; null if that is not known, or it concerns the installation.',
    ),
    inserted_at: LIFE.inserted_at,
  }),
  relationships: {},
  self: 'never',
});

export const AUDIT_QUERY = Type.Object({
  ...PAGING,
  'filter[action]': textFilter('the action', 'disable'),
  'filter[text]': textFilter(
    'the path or, in the audit log of the installation, of the id or the email address of the account that the entry concerns or that acted',
    'ada@example.com',
  ),
});

export const AUDIT_ENTRY_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/audit_log',
    summary: 'List the audit log of your account',
    description:
      'Returns changes, sign-ins and refused attempts, newest first, including those by operators and by commands on the server.',
    additive: true,
    query: AUDIT_QUERY,
    answers: listOf(AUDIT_ENTRY),
    async answer({ call, query, paging }) {
      const { accountId } = call.viewer;
      const list = await listActions(call.db, { accountId, ...auditFilterOf(query) }, paging);
      return listed(list, (entry) => renderAuditEntry(isOfOperator(entry) ? withoutClient(entry) : entry));
    },
  }),
];

export function auditFilterOf(query: Static<typeof AUDIT_QUERY>): Pick<AuditFilter, 'action' | 'text'> {
  return { action: query['filter[action]'], text: query['filter[text]'] };
}

/** Whether an operator managed another person's account. */
function isOfOperator({ account_id: accountId, actor_account_id: actorAccountId }: AuditEntry): boolean {
  return actorAccountId !== null && actorAccountId !== accountId;
}

/** Users need not know from where operators work. */
function withoutClient(entry: AuditEntry): AuditEntry {
  return { ...entry, actor_id: null, address: null, request_id: null };
}

export function renderAuditEntry(entry: AuditEntry): Resource {
  const { id, action, path, status, actor, actor_id, actor_account_id, address, request_id, account_id, inserted_at } =
    entry;
  return resource(AUDIT_ENTRY, {
    id,
    attributes: {
      ...{ action, path, status, actor, actor_id, actor_account_id, address, request_id, account_id },
      inserted_at: utcTime(inserted_at),
    },
  });
}
