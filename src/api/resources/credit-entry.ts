import Type from 'typebox';
import { DECIMAL_ID, LIFE, nullable, UUID, UUID_EXAMPLE, UUID_PATTERN } from '../../domain/schemas.ts';
import { listCreditEntries } from '../../store/credit-entries.ts';
import { CREDIT_REASONS } from '../../store/schema.ts';
import { endpoint, listed, listOf } from '../http/endpoint.ts';
import { resource, timestamp } from '../jsonapi/document.ts';
import { choiceParameter, chosenOf, PAGING } from '../jsonapi/query.ts';
import { resourceType } from '../jsonapi/resource-type.ts';

const CREDIT_ENTRY = resourceType('credit_entry', {
  description: 'A change of the credit balance.',
  id: DECIMAL_ID,
  attributes: Type.Object({
    amount: Type.Integer({
      description: 'The change in credits: negative if spent, positive if added or refunded.',
      examples: [-2],
    }),
    reason: Type.Enum([...CREDIT_REASONS], {
      description:
        'The reason: checks that ran, raw checks that were stored, pages that were rendered, a thousand requests, a refund for checks that never ran, or a change of the balance by the operator.',
    }),
    balance: nullable(Type.Integer({ minimum: 0 }), 'The balance afterwards; null if it became unlimited.', {
      examples: [998],
    }),
    report_id: nullable(UUID, 'The report that it is for; null if none.'),
    inserted_at: LIFE.inserted_at,
  }),
  relationships: {},
  self: 'never',
});

const QUERY = Type.Object({
  ...PAGING,
  'filter[reason]': choiceParameter(CREDIT_REASONS, {
    description: `Only entries with one of these reasons, separated by commas: ${CREDIT_REASONS.map((reason) => `\`${reason}\``).join(', ')}.`,
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
      const reasons = query['filter[reason]'];
      const filter = {
        reasons: reasons === undefined ? undefined : chosenOf(reasons, CREDIT_REASONS),
        reportId: query['filter[report_id]'],
      };
      return listed(
        await listCreditEntries(call.db, call.viewer.accountId, filter, paging),
        ({ id, amount, reason, balance, report_id, inserted_at }) =>
          resource(CREDIT_ENTRY, {
            id,
            attributes: { amount, reason, balance, report_id, inserted_at: timestamp(inserted_at) },
          }),
      );
    },
  }),
];
