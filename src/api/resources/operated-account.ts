import Type, { type Static } from 'typebox';
import {
  createAccountWithLink,
  deleteAccount,
  disableAccount,
  enableAccount,
  setOperator,
} from '../../accounts/manage-accounts.ts';
import { operatedAttributes } from '../../accounts/operated-attributes.ts';
import { PLANS } from '../../accounts/plans.ts';
import { signInLinkUrl } from '../../accounts/sign-in-links.ts';
import { count, flag, LIFE, nullable, TIMESTAMP, UUID, webAddress } from '../../domain/schemas.ts';
import { notFound } from '../../platform/errors.ts';
import {
  ACCOUNT_SORT_KEYS,
  findOperatedAccount,
  listOperatedAccounts,
  type OperatedAccount,
} from '../../store/operate.ts';
import { newEmail, ownerName } from '../attributes/new-account.ts';
import { textFilter } from '../attributes/parameters.ts';
import { bodyEndpoint, type Call, endpoint, listed, listOf, NOTHING, newOne, one } from '../http/endpoint.ts';
import { readAttributes, readChanges } from '../jsonapi/attributes.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { PAGING, parseSort, sortParameter } from '../jsonapi/query.ts';
import { resourceType } from '../jsonapi/resource-type.ts';

/** Accounts, for operators. */

const OPERATOR = flag('Whether it may see and manage the whole installation.');

const NAME = { description: 'The name of the owner. May be empty.', examples: ['Ada'] };
const EMAIL = { description: 'The email address.', examples: ['ada@example.com'] };

const PARTS = {
  description: 'An account of the installation, for operators.',
  id: UUID,
  attributes: Type.Object({
    name: Type.String(NAME),
    email: Type.String(EMAIL),
    plan: Type.Enum(PLANS, { description: 'Its own plan.', examples: ['pro'] }),
    credits: nullable(Type.Integer(), 'Its own credits; null means unlimited.', { examples: [380] }),
    operator: OPERATOR,
    status: Type.Enum(['active', 'disabled', 'deleting'], {
      description: '`deleting` until everything that it owned is removed.',
    }),
    disabled_at: nullable(TIMESTAMP, 'When it was disabled or deleted; null while it is active.'),
    num_sites: count('Number of its sites.', { examples: [12] }),
    num_reports: count('Number of its reports.', { examples: [140] }),
    num_running_reports: count('Number of its reports that have not ended.', { examples: [1] }),
    num_web_pages: count('Number of web pages in its reports.', { examples: [14_000] }),
    bytes: count(
      'The space that its reports take up in the database, without indexes. Reports are measured soon after they end; running reports do not count.',
      { examples: [48_000_000] },
    ),
    last_used_at: nullable(
      TIMESTAMP,
      'When it was last used in a browser or with an API token, to the minute, according to its sessions, its tokens and the audit log; null if never.',
    ),
    ...LIFE,
  }),
  relationships: {},
};
const OPERATED_ACCOUNT = resourceType('operated_account', PARTS);

/** An account in the response that creates it, the only one with the link. */
const NEW_OPERATED_ACCOUNT = resourceType('operated_account', {
  ...PARTS,
  schema: 'new_operated_account',
  attributes: Type.Object({
    ...PARTS.attributes.properties,
    sign_in_url: webAddress(
      'A link to set the first password and sign in. It works once, within an hour. Only included in the response to the request that created the account.',
    ),
  }),
});

const NEW = Type.Object(
  {
    email: newEmail(EMAIL),
    name: Type.Optional(ownerName({ ...NAME, default: '' })),
  },
  { additionalProperties: false },
);

const PARAMS = Type.Object({ account_id: Type.String({ ...UUID, description: 'The id of the account.' }) });
const CHANGES = Type.Object({ operator: Type.Optional(OPERATOR) }, { additionalProperties: false });
const LIST_QUERY = Type.Object({
  ...PAGING,
  'filter[text]': textFilter('the name or the email address', 'ada'),
  sort: sortParameter(ACCOUNT_SORT_KEYS, {
    example: 'bytes-desc',
    description: 'Only the first sort key is used. Without `sort`, the oldest account is first.',
  }),
});

const about = { additive: true, operator: true, params: PARAMS, subject } as const;

export const OPERATED_ACCOUNT_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/operator/accounts',
    summary: 'List all accounts',
    description: 'Returns the accounts of the installation with their usage.',
    additive: true,
    operator: true,
    query: LIST_QUERY,
    answers: listOf(OPERATED_ACCOUNT),
    async answer({ call, query, paging }) {
      const [order = { key: 'inserted_at', direction: 'asc' }] = parseSort(query.sort, ACCOUNT_SORT_KEYS);
      const list = await listOperatedAccounts(call.db, { text: query['filter[text]'], order }, paging);
      return listed(list, (account) => render(account, call));
    },
  }),
  bodyEndpoint({
    method: 'POST',
    path: '/operator/accounts',
    summary: 'Create an account',
    description:
      'Creates an account with unlimited credits on the `enterprise` plan, and a link for its owner to set a password. The link is only shown in this response.',
    additive: true,
    operator: true,
    answers: newOne(NEW_OPERATED_ACCOUNT),
    errors: ['conflict'],
    body: {
      attributes: NEW,
      example: { email: 'ada@example.com', name: 'Ada' },
      parse: parseNew,
    },
    async answer({ call, body }) {
      const { id, secret } = await createAccountWithLink(call.db, body);
      const parts = renderedAccount(await anyAccount(call, { account_id: id }), call);
      const attributes = { ...parts.attributes, sign_in_url: signInLinkUrl(call.baseUrl, secret) };
      return resource(NEW_OPERATED_ACCOUNT, { ...parts, attributes });
    },
  }),
  endpoint({
    ...about,
    method: 'GET',
    path: '/operator/accounts/{account_id}',
    summary: 'Get any account',
    description: 'Returns an account with its usage, even while it is being deleted.',
    answers: one(OPERATED_ACCOUNT),
    subject: anyAccount,
    answer: async ({ call, subject: account }) => render(account, call),
  }),
  bodyEndpoint({
    ...about,
    method: 'PATCH',
    path: '/operator/accounts/{account_id}',
    summary: 'Make an account an operator',
    description: 'Changes whether the account is an operator. The last operator cannot be removed.',
    answers: one(OPERATED_ACCOUNT),
    body: {
      attributes: CHANGES,
      example: { operator: true },
      parse: (attributes) => readChanges(CHANGES, attributes),
    },
    async answer({ call, subject: account, body }) {
      const { operator = account.operator } = body;
      // The same request makes opposite changes, so the action alone is not enough.
      if (body.operator !== undefined) call.remark(operator ? 'grant operator role' : 'revoke operator role');
      return render({ ...account, ...(await setOperator(call.db, account.id, operator)) }, call);
    },
  }),
  endpoint({
    ...about,
    method: 'POST',
    path: '/operator/accounts/{account_id}/disable',
    summary: 'Disable an account',
    description:
      'No one can sign in to the account, and its API tokens, deploy hooks and share links are refused. Its sessions and event streams end, its running reports are stopped, its schedules and notifications are paused, and its guests use their own plans. The last operator cannot be disabled.',
    answers: one(OPERATED_ACCOUNT),
    errors: ['conflict'],
    async answer({ call, subject: account }) {
      return render({ ...account, ...(await disableAccount(call.db, account.id)) }, call);
    },
  }),
  endpoint({
    ...about,
    method: 'POST',
    path: '/operator/accounts/{account_id}/enable',
    summary: 'Enable a disabled account',
    description: 'Its tokens and links work again, and its schedules run. Stopped reports do not resume.',
    answers: one(OPERATED_ACCOUNT),
    async answer({ call, subject: account }) {
      return render({ ...account, ...(await enableAccount(call.db, account.id)) }, call);
    },
  }),
  endpoint({
    ...about,
    method: 'DELETE',
    path: '/operator/accounts/{account_id}',
    summary: 'Delete an account',
    description:
      'Deletes the account with everything that it owns, which cannot be undone. No one can use it after this request; its data is removed in the background. Its guests keep their reports. The last operator cannot be deleted.',
    answers: NOTHING,
    errors: ['conflict'],
    answer: ({ call, subject: account }) => deleteAccount(call.db, account.id),
  }),
];

/** @throws RequestError invalid */
function parseNew(attributes: Readonly<Record<string, unknown>>): Static<typeof NEW> {
  const { email, name } = readAttributes(NEW, attributes);
  return { email, ...(name !== undefined && { name: name.trim() }) };
}

/** @throws AppError not_found */
async function anyAccount({ db }: Pick<Call, 'db'>, params: { readonly account_id: string }): Promise<OperatedAccount> {
  const account = await findOperatedAccount(db, params.account_id);
  if (account === undefined) throw notFound('account');
  return account;
}

/** An account that can be changed. @throws AppError not_found, even while it is still being deleted */
async function subject(...of: Parameters<typeof anyAccount>): Promise<OperatedAccount> {
  const account = await anyAccount(...of);
  if (account.deleting_since !== null) throw notFound('account');
  return account;
}

function render(account: OperatedAccount, call: Call): Resource {
  return resource(OPERATED_ACCOUNT, renderedAccount(account, call));
}

function renderedAccount(account: OperatedAccount, { links }: Call) {
  return {
    id: account.id,
    attributes: operatedAttributes(account),
    self: links(`/operator/accounts/${account.id}`),
  };
}
