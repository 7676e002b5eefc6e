import Type from 'typebox';
import { type Measure, STANDARD_IDS } from '../../../packages/client/standards.ts';
import { PLANS } from '../../accounts/plans.ts';
import {
  ADDITIVE,
  count,
  DECIMAL_ID,
  flag,
  guestToken,
  LIFE,
  nullable,
  UUID,
  UUID_EXAMPLE,
  UUID_PATTERN,
} from '../../domain/schemas.ts';
import { notFound } from '../../platform/errors.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { chooseMeasure, findAccount } from '../../store/accounts/accounts.ts';
import { findUsedGuestAccount } from '../../store/accounts/guest-accounts.ts';
import { listCreditEntries } from '../../store/credits/credit-entries.ts';
import { creditsLeft, payerOfAccount } from '../../store/credits/credits.ts';
import { CREDIT_REASONS } from '../../store/schema.ts';
import { bodyEndpoint, type Call, endpoint, listed, listOf, one } from '../http/endpoint.ts';
import { readChanges } from '../jsonapi/attributes.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { choiceParameter, chosenOf, PAGING } from '../jsonapi/query.ts';
import { resourceType } from '../jsonapi/resource-type.ts';

const ACCOUNT = resourceType('account', {
  description: 'The owner of reports. Every API token belongs to one.',
  id: UUID,
  attributes: Type.Object({
    name: Type.String({ description: 'The name of the owner. May be empty.', examples: ['Ada'] }),
    email: Type.String({ description: 'The email address.', examples: ['ada@example.com'] }),
    plan: Type.Enum(PLANS, { description: "The plan that applies: for a guest, the host's.", examples: ['pro'] }),
    credits: nullable(
      Type.Integer(),
      "Remaining credits. For a guest, the lower of what is left of this month's limit and of the host's credits. Null means unlimited.",
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
        waiting_reports: count('Maximum number of reports waiting to be crawled, for a host and its guests together.', {
          examples: [1_000],
        }),
        guest_accounts: count("Maximum number of guest accounts, according to the account's own plan.", {
          examples: [10],
        }),
      },
      { description: 'The limits of the plan.' },
    ),
    standard: nullable(
      Type.Enum([...STANDARD_IDS]),
      'The standard for new sites that do not set `standard`, and for new reports and schedules if neither they nor their site sets it. Null: all issues count.',
      { examples: ['wcag22-aa', null], ...ADDITIVE },
    ),
    best_practices: flag('The same for `best_practices`.', { examples: [false], ...ADDITIVE }),
    standard_chosen: flag(
      "Whether `standard` and `best_practices` have been set for the account. Until then, the installation's standard applies.",
      { examples: [true], ...ADDITIVE },
    ),
    operator: flag('Whether it may see and manage the whole installation.', { examples: [false], ...ADDITIVE }),
    guest_account: nullable(
      Type.Object({
        id: guestToken('The id of the guest account.'),
        host: Type.Object(
          { name: Type.String({ description: 'The name of the owner. May be empty.', examples: ['Grace'] }) },
          { description: 'The account whose plan and credits this one uses.' },
        ),
        max_usage: count('Maximum number of credits in a month.', { examples: [500] }),
        current_usage: count('Credits used this month (UTC).', { examples: [120] }),
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

const { standard, best_practices } = ACCOUNT.attributes.properties;
const ACCOUNT_CHANGES = Type.Object(
  { standard: Type.Optional(standard), best_practices: Type.Optional(best_practices) },
  { additionalProperties: false },
);

export const ACCOUNT_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/account',
    summary: 'Get your account',
    description: 'Returns the account of your token, with its plan, limits and remaining credits.',
    additive: true,
    answers: one(ACCOUNT),
    answer: ({ call }) => renderAccount(call, call.viewer.measure),
  }),
  bodyEndpoint({
    method: 'PATCH',
    path: '/account',
    summary: 'Choose the standard of your account',
    description:
      'Sets the default standard of new sites, reports and schedules. Their own setting, or the setting of their site, takes precedence. Existing ones do not change.',
    additive: true,
    answers: one(ACCOUNT),
    body: {
      attributes: ACCOUNT_CHANGES,
      example: { standard: 'wcag22-aa' },
      parse: (attributes) => readChanges(ACCOUNT_CHANGES, attributes),
    },
    async answer({ call, body }) {
      const { accountId, measure } = call.viewer;
      return renderAccount(call, (await chooseMeasure(call.db, accountId, body, measure)) ?? measure);
    },
  }),
];

/** @throws AppError not_found if the account was deleted in the meantime */
async function renderAccount({ db, viewer, links }: Call, measure: Measure): Promise<Resource> {
  const account = await findAccount(db, viewer.accountId);
  if (account === undefined) throw notFound();
  const { id, name, email, standard_chosen, inserted_at, updated_at } = account;
  const guestAccount = await findUsedGuestAccount(db, id);
  return resource(ACCOUNT, {
    id,
    attributes: {
      name,
      email,
      plan: viewer.plan,
      credits: creditsLeft(await payerOfAccount(db, id)),
      limits: { ...viewer.limits, guest_accounts: viewer.guestAccountsMax },
      ...measure,
      standard_chosen,
      operator: viewer.isOperator,
      guest_account: guestAccount,
      inserted_at: utcTime(inserted_at),
      updated_at: utcTime(updated_at),
    },
    related: { guest_account: guestAccount === null ? undefined : links(`/guest_accounts/${guestAccount.id}`) },
    self: links('/account'),
  });
}

const CREDIT_ENTRY = resourceType('credit_entry', {
  description: 'A change of the credit balance.',
  id: DECIMAL_ID,
  attributes: Type.Object({
    amount: Type.Integer({
      description: 'The number of credits: negative if spent, positive if added or refunded.',
      examples: [-2],
    }),
    reason: Type.Enum([...CREDIT_REASONS], {
      description:
        'The reason: checks that ran, raw checks stored, pages rendered, a thousand requests, a refund for checks that never ran, or an adjustment by the operator.',
    }),
    balance: nullable(Type.Integer({ minimum: 0 }), 'The balance afterwards; null if it became unlimited.', {
      examples: [998],
    }),
    report_id: nullable(UUID, 'The report that the entry is for; null if none.'),
    inserted_at: LIFE.inserted_at,
  }),
  relationships: {},
  self: 'never',
});

const QUERY = Type.Object({
  ...PAGING,
  'filter[reason]': choiceParameter(CREDIT_REASONS, {
    description: 'Only entries with one of these reasons',
  }),
  'filter[report_id]': Type.Optional(
    Type.String({ pattern: UUID_PATTERN, description: 'Only entries for this report.', examples: [UUID_EXAMPLE] }),
  ),
});

export const CREDIT_ENTRY_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/credit_entries',
    summary: 'List your credit entries',
    description: "Newest first. Credits that guests spend are in their host's list.",
    additive: true,
    query: QUERY,
    answers: listOf(CREDIT_ENTRY),
    async answer({ call, query, paging }) {
      const reasons = chosenOf(query['filter[reason]'], CREDIT_REASONS);
      const filter = { reasons, reportId: query['filter[report_id]'] };
      return listed(
        await listCreditEntries(call.db, call.viewer.accountId, filter, paging),
        ({ id, amount, reason, balance, report_id, inserted_at }) =>
          resource(CREDIT_ENTRY, {
            id,
            attributes: { amount, reason, balance, report_id, inserted_at: utcTime(inserted_at) },
          }),
      );
    },
  }),
];
