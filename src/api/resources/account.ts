import Type from 'typebox';
import { PLANS } from '../../accounts/plans.ts';
import { count, guestToken, LIFE, nullable, UUID } from '../../domain/schemas.ts';
import { findAccount } from '../../store/accounts.ts';
import { creditsLeft, payerOfAccount } from '../../store/credits.ts';
import { findUsedGuestAccount } from '../../store/guest-accounts.ts';
import { endpoint, notFound, ok, one } from '../http/endpoint.ts';
import { resource, timestamp } from '../jsonapi/document.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { NO_PARAMS, NO_QUERY } from './parameters.ts';

const ACCOUNT = resourceType('account', {
  description: 'Who owns reports: whose token is used.',
  id: UUID,
  attributes: Type.Object({
    name: Type.String({ description: 'What its owner is called; may be empty.', examples: ['Ada'] }),
    email: Type.String({ description: 'E-mail address.', examples: ['ada@example.com'] }),
    plan: Type.Enum(PLANS, { description: "The plan that counts: a guest's is its host's.", examples: ['pro'] }),
    credits: nullable(
      Type.Integer(),
      "What is left to spend, for a guest of its month and of its host's credits. Null is unlimited.",
      { examples: [380] },
    ),
    limits: Type.Object(
      {
        max_pages: count('Web pages that a report may include.', { examples: [10_000] }),
        rate_limit: count('Requests per second that a report may send to a site.', { examples: [100] }),
        running_reports: count("Reports that are crawled at a time, a host's together with its guests'.", {
          examples: [50],
        }),
        waiting_reports: count("Reports that may wait to be crawled, a host's together with its guests'.", {
          examples: [1_000],
        }),
        guest_accounts: count('Guest accounts that may exist at a time, of its own plan.', { examples: [10] }),
      },
      { description: 'What the plan allows at most.' },
    ),
    guest_account: nullable(
      Type.Object({
        id: guestToken('Its id.'),
        host: Type.Object(
          { name: Type.String({ description: 'What its owner is called; may be empty.', examples: ['Grace'] }) },
          { description: 'The account under whose plan and credits this one works.' },
        ),
        max_usage: count('Credits that may be used in a month.', { examples: [500] }),
        current_usage: count('Credits that have been used this month, in UTC.', { examples: [120] }),
      }),
      'The guest account under which this account works; null where it works on its own.',
    ),
    ...LIFE,
  }),
  relationships: {
    guest_account: {
      description: 'The guest account under which this account works. Absent where it works on its own.',
      path: '/guest_accounts/{guest_account_id}',
    },
  },
});

export const ACCOUNT_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/account',
    summary: 'Get your account',
    description: 'The one whose token you use: its plan, what it allows, and what is left to spend.',
    additive: true,
    params: NO_PARAMS,
    query: NO_QUERY,
    answers: one(ACCOUNT),
    subject: ({ db, viewer }) => findAccount(db, viewer.accountId),
    async answer({ call: { db, viewer, links }, subject }) {
      if (subject === undefined) throw notFound();
      const { id, name, email, inserted_at, updated_at } = subject;
      const guestAccount = await findUsedGuestAccount(db, id);
      const credits = creditsLeft(await payerOfAccount(db, id));
      const limits = { ...viewer.limits, guest_accounts: viewer.guestAccountsMax };
      return ok(
        resource(ACCOUNT, {
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
        }),
      );
    },
  }),
];
