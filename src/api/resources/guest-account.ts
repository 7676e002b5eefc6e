import Type from 'typebox';
import { readableGuestAccount, writableGuestAccount } from '../../accounts/access.ts';
import { acceptInvitation, createGuestAccount, endSharing } from '../../accounts/guest-accounts.ts';
import { listGuestAccounts, type SharedAccount, updateGuestAccount } from '../../store/guest-accounts.ts';
import { readAttributes, readChanges } from '../attributes.ts';
import {
  bodyEndpoint,
  type Call,
  created,
  endpoint,
  listed,
  listOf,
  NO_CONTENT,
  NOTHING,
  newOne,
  ok,
  one,
} from '../endpoint.ts';
import { type Resource, resource, timestamp } from '../jsonapi/document.ts';
import { pagingOf } from '../jsonapi/query.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { GUEST_TOKEN, nullable, TIMESTAMP } from '../jsonapi/schemas.ts';
import { guestUsageMaxCredits } from '../limits.ts';
import { GUEST_ACCOUNT_PARAMS, NO_PARAMS, NO_QUERY, PAGING_QUERY } from '../parameters.ts';

const MAX_USAGE = Type.Integer({ minimum: 1, maximum: guestUsageMaxCredits, description: 'Credits a month.' });
/** Section 2.10 of the contract. */
const GUEST_ACCOUNT = resourceType('guest_account', {
  id: GUEST_TOKEN,
  attributes: Type.Object({
    invitation_url: nullable(Type.String({ description: 'To be shared; null once the invitation was accepted.' })),
    max_usage: MAX_USAGE,
    current_usage: Type.Integer({ minimum: 0, description: 'Credits used this month.' }),
    guest: nullable(Type.Object({ name: Type.String(), email: Type.String() })),
    inserted_at: TIMESTAMP,
    updated_at: TIMESTAMP,
    accepted_at: nullable(TIMESTAMP),
  }),
});

const NEW = Type.Object({ max_usage: MAX_USAGE }, { additionalProperties: false });
const CHANGES = Type.Object(
  {
    max_usage: Type.Optional(MAX_USAGE),
    current_usage: Type.Optional(
      Type.Integer({ minimum: 0, maximum: guestUsageMaxCredits, description: 'Credits used this month.' }),
    ),
  },
  { additionalProperties: false },
);

const INVITATION_PARAMS = Type.Object({
  secret: Type.String({ pattern: '^[\\w-]+$', description: 'The last part of the invitation URL.' }),
});

export const GUEST_ACCOUNT_ENDPOINTS = [
  bodyEndpoint({
    method: 'POST',
    path: '/guest_accounts',
    summary: 'Offer a share in your plan and credits',
    pro: true,
    params: NO_PARAMS,
    query: NO_QUERY,
    answers: newOne(GUEST_ACCOUNT),
    body: {
      type: 'guest_account',
      isNew: true,
      attributes: NEW,
      example: { max_usage: 500 },
      parse: (attributes) => readAttributes(NEW, attributes),
    },
    subject: async () => null,
    async answer({ call, body }) {
      const id = await createGuestAccount(call.db, call.viewer, body.max_usage);
      return created(renderGuestAccount(await readableGuestAccount(call.db, call.viewer, id), call));
    },
  }),
  endpoint({
    method: 'GET',
    path: '/guest_accounts',
    summary: 'List the guest accounts that you host',
    pro: true,
    params: NO_PARAMS,
    query: PAGING_QUERY,
    answers: listOf(GUEST_ACCOUNT),
    subject: async () => null,
    async answer({ call, query }) {
      const paging = pagingOf(query);
      const page = await listGuestAccounts(call.db, call.viewer.accountId, paging);
      return listed(call, paging, page, (account) => renderGuestAccount(account, call));
    },
  }),
  endpoint({
    method: 'GET',
    path: '/guest_accounts/{guest_account_id}',
    summary: 'Get a guest account that you host or use',
    pro: true,
    params: GUEST_ACCOUNT_PARAMS,
    query: NO_QUERY,
    answers: one(GUEST_ACCOUNT),
    subject: guestAccountToRead,
    answer: async ({ call, subject }) => ok(renderGuestAccount(subject, call)),
  }),
  bodyEndpoint({
    method: 'PATCH',
    path: '/guest_accounts/{guest_account_id}',
    summary: 'Change how many credits a guest may use or has used',
    pro: true,
    params: GUEST_ACCOUNT_PARAMS,
    query: NO_QUERY,
    answers: one(GUEST_ACCOUNT),
    errors: ['forbidden'],
    body: {
      type: 'guest_account',
      isNew: false,
      attributes: CHANGES,
      example: { max_usage: 1_000, current_usage: 0 },
      parse: (attributes) => readChanges(CHANGES, attributes),
    },
    subject: (call, params) => writableGuestAccount(call.db, call.viewer, params.guest_account_id),
    async answer({ call, subject, body }) {
      const changes = { maxUsage: body.max_usage, currentUsage: body.current_usage };
      await updateGuestAccount(call.db, subject.id, changes);
      return ok(renderGuestAccount(await readableGuestAccount(call.db, call.viewer, subject.id), call));
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/guest_accounts/{guest_account_id}',
    summary: "End the sharing, as its host or its guest; the guest's reports stay the guest's",
    pro: true,
    params: GUEST_ACCOUNT_PARAMS,
    query: NO_QUERY,
    answers: NOTHING,
    subject: guestAccountToRead,
    async answer({ call, subject }) {
      await endSharing(call.db, subject);
      return NO_CONTENT;
    },
  }),
  endpoint({
    method: 'POST',
    path: '/invitations/{secret}/accept',
    summary: 'Accept an invitation: work under the plan and credits of who made it',
    params: INVITATION_PARAMS,
    query: NO_QUERY,
    answers: one(GUEST_ACCOUNT),
    errors: ['conflict'],
    subject: async () => null,
    async answer({ call, params }) {
      const id = await acceptInvitation(call.db, call.viewer, params.secret);
      return ok(renderGuestAccount(await readableGuestAccount(call.db, call.viewer, id), call));
    },
  }),
];

function guestAccountToRead(call: Call, params: { readonly guest_account_id: string }): Promise<SharedAccount> {
  return readableGuestAccount(call.db, call.viewer, params.guest_account_id);
}

function renderGuestAccount(account: SharedAccount, { baseUrl, links }: Call): Resource {
  const isAvailable = account.guest === null;
  return resource(GUEST_ACCOUNT, {
    id: account.id,
    attributes: {
      invitation_url: isAvailable ? `${baseUrl}/invitations/${account.invitation_secret}` : null,
      max_usage: account.max_usage,
      current_usage: account.current_usage,
      guest: account.guest,
      inserted_at: timestamp(account.inserted_at),
      updated_at: timestamp(account.updated_at),
      accepted_at: timestamp(account.accepted_at),
    },
    self: links(`/guest_accounts/${account.id}`),
  });
}
