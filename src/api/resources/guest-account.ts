import Type from 'typebox';
import { readableGuestAccount, writableGuestAccount } from '../../accounts/access.ts';
import { acceptInvitation, createGuestAccount, endSharing } from '../../accounts/guest-accounts.ts';
import { guestToken, LIFE, nullable, TIMESTAMP } from '../../domain/schemas.ts';
import { openSecret } from '../../platform/kept-secret.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { listGuestAccounts, type SharedAccount, updateGuestAccount } from '../../store/accounts/guest-accounts.ts';
import { guestUsageMaxCredits } from '../attributes/limits.ts';
import { GUEST_ACCOUNT_PARAMS, PAGING_QUERY } from '../attributes/parameters.ts';
import { secretsFor } from '../attributes/secret-attributes.ts';
import { bodyEndpoint, type Call, endpoint, listed, listOf, NOTHING, newOne, one } from '../http/endpoint.ts';
import { readAttributes, readChanges } from '../jsonapi/attributes.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { resourceType } from '../jsonapi/resource-type.ts';

const MAX_USAGE = Type.Integer({
  minimum: 1,
  maximum: guestUsageMaxCredits,
  description: 'Maximum number of credits that the guest can use in a month.',
  examples: [500],
});
const CURRENT_USAGE = Type.Integer({
  minimum: 0,
  maximum: guestUsageMaxCredits,
  description: 'Credits that the guest has used this month. Reset to 0 on the first of each month (UTC).',
  examples: [120],
});

/** See docs/contract/resources.md#guest-account. */
const GUEST_ACCOUNT = resourceType('guest_account', {
  description: 'Lets another account use the plan and credits of its host.',
  id: guestToken('The id, also called the guest token.'),
  attributes: Type.Object({
    invitation_url: Type.Optional(
      nullable(
        Type.String(),
        'The page where the guest accepts the invitation. Null once it is accepted, or if it was encrypted with another key. Absent for read-only tokens.',
        { examples: [null] },
      ),
    ),
    max_usage: MAX_USAGE,
    current_usage: CURRENT_USAGE,
    guest: nullable(
      Type.Object({
        name: Type.String({ description: 'The name of the account.', examples: ['Ada'] }),
        email: Type.String({ description: 'Its email address.', examples: ['ada@example.com'] }),
      }),
      'The account that accepted the invitation; null until then.',
    ),
    ...LIFE,
    accepted_at: nullable(TIMESTAMP, 'When the invitation was accepted; null until then.'),
  }),
  relationships: {},
});

const NEW = Type.Object({ max_usage: MAX_USAGE }, { additionalProperties: false });
const CHANGES = Type.Object(
  {
    max_usage: Type.Optional(MAX_USAGE),
    current_usage: Type.Optional(CURRENT_USAGE),
  },
  { additionalProperties: false },
);

const INVITATION_PARAMS = Type.Object({
  invitation_secret: Type.String({
    pattern: '^[\\w-]+$',
    description: 'The last segment of the `invitation_url` of a guest account, which the host sends to the guest.',
    examples: ['CtCjvqLc0RPl'],
  }),
});

export const GUEST_ACCOUNT_ENDPOINTS = [
  bodyEndpoint({
    method: 'POST',
    path: '/guest_accounts',
    summary: 'Create a guest account',
    description:
      'Invites another account to use your plan and credits. Send the `invitation_url` to the guest. Your plan limits the number of guest accounts.',
    pro: true,
    answers: newOne(GUEST_ACCOUNT),
    body: {
      attributes: NEW,
      example: { max_usage: 500 },
      parse: (attributes) => readAttributes(NEW, attributes),
    },
    async answer({ call, body }) {
      const id = await createGuestAccount(call, call.viewer, body.max_usage);
      return renderGuestAccount(await readableGuestAccount(call.db, call.viewer, id), call);
    },
  }),
  endpoint({
    method: 'GET',
    path: '/guest_accounts',
    summary: 'List guest accounts',
    description: 'Returns the guest accounts that you host, newest first.',
    pro: true,
    query: PAGING_QUERY,
    answers: listOf(GUEST_ACCOUNT),
    async answer({ call, paging }) {
      return listed(await listGuestAccounts(call.db, call.viewer.accountId, paging), (account) =>
        renderGuestAccount(account, call),
      );
    },
  }),
  endpoint({
    method: 'GET',
    path: '/guest_accounts/{guest_account_id}',
    summary: 'Get a guest account',
    description: 'Returns a guest account that you host, or the one that you use.',
    pro: true,
    params: GUEST_ACCOUNT_PARAMS,
    answers: one(GUEST_ACCOUNT),
    subject: guestAccountToRead,
    answer: async ({ call, subject }) => renderGuestAccount(subject, call),
  }),
  bodyEndpoint({
    method: 'PATCH',
    path: '/guest_accounts/{guest_account_id}',
    summary: 'Change a guest account',
    description:
      'Changes how many credits the guest can use per month, or has used this month. Only the host can do this.',
    pro: true,
    params: GUEST_ACCOUNT_PARAMS,
    answers: one(GUEST_ACCOUNT),
    errors: ['forbidden'],
    body: {
      attributes: CHANGES,
      example: { max_usage: 1_000, current_usage: 0 },
      parse: (attributes) => readChanges(CHANGES, attributes),
    },
    subject: (call, params) => writableGuestAccount(call.db, call.viewer, params.guest_account_id),
    async answer({ call, subject, body }) {
      const changes = { maxUsage: body.max_usage, currentUsage: body.current_usage };
      await updateGuestAccount(call.db, subject.id, changes);
      return renderGuestAccount(await readableGuestAccount(call.db, call.viewer, subject.id), call);
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/guest_accounts/{guest_account_id}',
    summary: 'Delete a guest account',
    description: 'Both the host and the guest can do this. The guest keeps their reports.',
    pro: true,
    params: GUEST_ACCOUNT_PARAMS,
    answers: NOTHING,
    subject: guestAccountToRead,
    answer: ({ call, subject }) => endSharing(call.db, subject.host_id, [subject.id]),
  }),
  endpoint({
    method: 'POST',
    path: '/invitations/{invitation_secret}/accept',
    summary: 'Accept an invitation',
    description:
      'Your account then uses the plan and credits of the host. Returns 409 if the invitation has already been accepted or is your own.',
    additive: true,
    params: INVITATION_PARAMS,
    answers: one(GUEST_ACCOUNT),
    errors: ['conflict'],
    // The secret in the path gives access.
    subject: async () => null,
    async answer({ call, params }) {
      const id = await acceptInvitation(call.db, call.viewer, params.invitation_secret);
      return renderGuestAccount(await readableGuestAccount(call.db, call.viewer, id), call);
    },
  }),
];

function guestAccountToRead(call: Call, params: { readonly guest_account_id: string }): Promise<SharedAccount> {
  return readableGuestAccount(call.db, call.viewer, params.guest_account_id);
}

function renderGuestAccount(account: SharedAccount, { baseUrl, links, credentialStore, viewer }: Call): Resource {
  const secret = openSecret(credentialStore.box, account.invitation_hash, account.invitation_sealed);
  return resource(GUEST_ACCOUNT, {
    id: account.id,
    attributes: {
      ...secretsFor(viewer, { invitation_url: secret && `${baseUrl}/invitations/${secret}` }),
      max_usage: account.max_usage,
      current_usage: account.current_usage,
      guest: account.guest,
      inserted_at: utcTime(account.inserted_at),
      updated_at: utcTime(account.updated_at),
      accepted_at: utcTime(account.accepted_at),
    },
    self: links(`/guest_accounts/${account.id}`),
  });
}
