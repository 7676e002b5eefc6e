import { sql, type Transaction } from 'kysely';
import type { Schema } from './schema.ts';

/**
 * Adds requests to those of an account that do not make up a whole credit yet.
 * @returns the whole credits that are due now; none when the account is gone
 */
export async function addApiRequests(
  trx: Transaction<Schema>,
  accountId: string,
  requests: number,
  requestsPerCredit: number,
): Promise<number> {
  const { rows } = await sql<{ due: number }>`
    INSERT INTO api_usage AS u (account_id, requests)
    SELECT id, ${requests} % ${requestsPerCredit}::integer FROM accounts WHERE id = ${accountId}
    ON CONFLICT (account_id) DO UPDATE SET requests = (u.requests + ${requests}) % ${requestsPerCredit}::integer
    RETURNING (coalesce(old.requests, 0) + ${requests}) / ${requestsPerCredit}::integer AS due`.execute(trx);
  return rows[0]?.due ?? 0;
}
