import Type from 'typebox';
import { listCreditEntries } from '../../store/credit-entries.ts';
import { CREDIT_REASONS } from '../../store/schema.ts';
import { endpoint, listed, listOf } from '../endpoint.ts';
import { resource, timestamp } from '../jsonapi/document.ts';
import { pagingOf } from '../jsonapi/query.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { DECIMAL_ID, nullable, TIMESTAMP, UUID } from '../jsonapi/schemas.ts';
import { NO_PARAMS, PAGING_QUERY } from '../parameters.ts';

const CREDIT_ENTRY = resourceType('credit_entry', {
  id: DECIMAL_ID,
  attributes: Type.Object({
    amount: Type.Integer({ description: 'Credits, below 0 for what was spent.' }),
    reason: Type.Enum([...CREDIT_REASONS]),
    balance: nullable(Type.Integer({ minimum: 0, description: 'After the entry; null when it became unlimited.' })),
    report_id: nullable(UUID),
    inserted_at: TIMESTAMP,
  }),
  self: 'never',
});

export const CREDIT_ENTRY_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/credit_entries',
    summary: 'List the movements of your credits, newest first',
    params: NO_PARAMS,
    query: PAGING_QUERY,
    answers: listOf(CREDIT_ENTRY),
    subject: async () => null,
    async answer({ call, query }) {
      const paging = pagingOf(query);
      const page = await listCreditEntries(call.db, call.viewer.accountId, paging);
      return listed(call, paging, page, ({ id, amount, reason, balance, report_id, inserted_at }) =>
        resource(CREDIT_ENTRY, {
          id,
          attributes: { amount, reason, balance, report_id, inserted_at: timestamp(inserted_at) },
        }),
      );
    },
  }),
];
