import Type from 'typebox';
import { PLANS } from '../../accounts/plans.ts';
import { count, guestToken, LIFE, nullable, UUID } from '../../domain/schemas.ts';
import { findAccount } from '../../store/accounts.ts';
import { creditsLeft, payerOfAccount } from '../../store/credits.ts';
import { findUsedGuestAccount } from '../../store/guest-accounts.ts';
import { endpoint, notFound, one } from '../http/endpoint.ts';
import { resource, timestamp } from '../jsonapi/document.ts';
import { resourceType } from '../jsonapi/resource-type.ts';

const ACCOUNT = resourceType('account', {
  description: 'The owner of reports. Every API token belongs to one.',
  id: UUID,
  attributes: Type.Object({
    name: Type.String({ description: 'The name of the owner; may be empty.', examples: ['Ada'] }),
    email: Type.String({ description: 'E-mail address.', examples: ['ada@example.com'] }),
    plan: Type.Enum(PLANS, { description: "The plan that applies: for a guest, the host's.", examples: ['pro'] }),
    credits: nullable(
      Type.Integer(),
      "Credits left; for a guest, those left of this month's limit and of the host's credits. Null means unlimited.",
      { examples: [380] },
    ),
    limits: Type.Object(
      {
        max_pages: count('Maximum number of web pages of a report.', { examples: [10_000] }),
        rate_limit: count('Maximum number of requests per second to a site.', { examples: [100] }),
        running_reports: count(
          'Maximum number of reports that are crawled at the same time, by a host and its guests together.',
          {
            examples: [50],
          },
        ),
        waiting_reports: count(
          'Maximum number of reports that wait to be crawled, for a host and its guests together.',
          {
            examples: [1_000],
          },
        ),
        guest_accounts: count('Maximum number of guest accounts, from its own plan.', { examples: [10] }),
      },
      { description: 'The limits of the plan.' },
    ),
    guest_account: nullable(
      Type.Object({
        id: guestToken('Its id.'),
        host: Type.Object(
          { name: Type.String({ description: 'The name of the owner; may be empty.', examples: ['Grace'] }) },
          { description: 'The account whose plan and credits this one uses.' },
        ),
        max_usage: count('Maximum number of credits in a month.', { examples: [500] }),
        current_usage: count('Credits used this month, in UTC.', { examples: [120] }),
      }),
      'The guest account that this account uses; null if it is not a guest.',
    ),
    ...LIFE,
  }),
  relationships: {
    guest_account: {
      description: 'The guest account that this account uses. Absent if it is not a guest.',
      path: '/guest_accounts/{guest_account_id}',
    },
  },
});

export const ACCOUNT_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/account',
    summary: 'Get your account',
    description: 'The account of your token, with its plan, limits and remaining credits.',
    additive: true,
    answers: one(ACCOUNT),
    subject: ({ db, viewer }) => findAccount(db, viewer.accountId),
    async answer({ call: { db, viewer, links }, subject }) {
      if (subject === undefined) throw notFound();
      const { id, name, email, inserted_at, updated_at } = subject;
      const guestAccount = await findUsedGuestAccount(db, id);
      const credits = creditsLeft(await payerOfAccount(db, id));
      const limits = { ...viewer.limits, guest_accounts: viewer.guestAccountsMax };
      return resource(ACCOUNT, {
        id,
        attributes: {
          name,
          email,
          plan: viewer.plan,
          credits,
          limits,
          guest_account: guestAccount,
          inserted_at: timestamp(inserted_at),
          updated_at: timestamp(updated_at),
        },
        related: { guest_account: guestAccount === null ? undefined : links(`/guest_accounts/${guestAccount.id}`) },
        self: links('/account'),
      });
    },
  }),
];
