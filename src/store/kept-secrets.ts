import { sql } from 'kysely';
import { keepSecret } from '../platform/kept-secret.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { Database } from './database.ts';

/** Secrets sealed in one transaction. */
const BATCH_ROWS = 500;

/** Where earlier versions kept secrets in the clear. */
const PLACES = [
  { table: 'guest_accounts', secret: 'invitation_secret', sealed: 'invitation_sealed' },
  { table: 'schedules', secret: 'hook_secret', sealed: 'hook_sealed' },
] as const;

/** Seals the secrets of invitations and deploy hooks that are still in the clear, and clears them. */
export async function sealClearSecrets(db: Database, box: SecretBox): Promise<void> {
  for (const place of PLACES) while ((await sealBatch(db, box, place)) === BATCH_ROWS);
}

/** @returns how many were sealed */
function sealBatch(db: Database, box: SecretBox, place: (typeof PLACES)[number]): Promise<number> {
  const [table, secret, sealed] = [sql.table(place.table), sql.ref(place.secret), sql.ref(place.sealed)];
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ id: string; secret: string }>`
      SELECT id, ${secret} AS secret FROM ${table} WHERE ${secret} IS NOT NULL LIMIT ${BATCH_ROWS} FOR NO KEY UPDATE`.execute(
      trx,
    );
    await sql`UPDATE ${table} SET ${secret} = NULL, ${sealed} = u.sealed
      FROM unnest(${rows.map(({ id }) => id)}::text[], ${rows.map((row) => keepSecret(box, row.secret).sealed)}::bytea[])
        AS u (kept_id, sealed)
      WHERE id::text = kept_id`.execute(trx);
    return rows.length;
  });
}
