import Type from 'typebox';
import { PLANS } from '../../accounts/plans.ts';
import { findAccount } from '../../store/accounts.ts';
import { creditsLeft, payerOfAccount } from '../../store/credits.ts';
import { endpoint, notFound, ok, one } from '../endpoint.ts';
import { resource, timestamp } from '../jsonapi/document.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { COUNT, nullable, TIMESTAMP, UUID } from '../jsonapi/schemas.ts';
import { NO_PARAMS, NO_QUERY } from '../parameters.ts';

const ACCOUNT = resourceType('account', {
  id: UUID,
  attributes: Type.Object({
    name: Type.String(),
    email: Type.String(),
    plan: Type.Enum(PLANS, { description: "The plan that counts: a guest's is its host's." }),
    credits: nullable(
      Type.Integer({ description: "What is left to spend, for a guest of its host's credits; null is unlimited." }),
    ),
    limits: Type.Object({
      max_pages: COUNT,
      rate_limit: COUNT,
      guest_accounts: COUNT,
    }),
    inserted_at: TIMESTAMP,
    updated_at: TIMESTAMP,
  }),
});

export const ACCOUNT_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/account',
    summary: 'Get the account whose token you use',
    params: NO_PARAMS,
    query: NO_QUERY,
    answers: one(ACCOUNT),
    subject: ({ db, viewer }) => findAccount(db, viewer.accountId),
    async answer({ call: { db, viewer, links }, subject }) {
      if (subject === undefined) throw notFound();
      const { id, name, email, inserted_at, updated_at } = subject;
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
            inserted_at: timestamp(inserted_at),
            updated_at: timestamp(updated_at),
          },
          self: links('/account'),
        }),
      );
    },
  }),
];
