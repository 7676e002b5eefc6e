import { sql } from 'kysely';
import { keepSecret } from '../platform/kept-secret.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { Database, Executor } from './database.ts';
import { countSealedOtherwise } from './site-access.ts';

/** Secrets sealed in one transaction. */
const BATCH_ROWS = 500;

/** Where secrets were kept in the clear by versions before. */
const PLACES = [
  { table: 'guest_accounts', secret: 'invitation_secret', sealed: 'invitation_sealed' },
  { table: 'schedules', secret: 'hook_secret', sealed: 'hook_sealed' },
] as const;

/**
 * Seals the secrets of invitations and deploy hooks that are still in the clear, and clears them. Leaves them as they are
 * where anything is sealed with another key: this one may be wrong, and what it seals could not be shown with the right one.
 * @returns whether none is left in the clear
 */
export async function sealClearSecrets(db: Database, box: SecretBox): Promise<boolean> {
  if (!(await hasClearSecrets(db))) return true;
  const sealedOtherwise = (await countSealedOtherwise(db, box.head)) + (await countKeptOtherwise(db, box.head));
  if (sealedOtherwise > 0) return false;
  for (const place of PLACES) while ((await sealBatch(db, box, place)) === BATCH_ROWS);
  return true;
}

/** Invitations and deploy hooks whose sealed secret does not begin as what this installation seals does. */
export async function countKeptOtherwise(db: Executor, head: Buffer): Promise<number> {
  const counts = PLACES.map(async ({ table, sealed }) => {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*) AS count FROM ${sql.table(table)}
      WHERE substring(${sql.ref(sealed)} FROM 1 FOR ${head.length}) <> ${head}`.execute(db);
    return rows[0]?.count ?? 0;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

async function hasClearSecrets(db: Executor): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    SELECT EXISTS (SELECT FROM guest_accounts WHERE invitation_secret IS NOT NULL)
      OR EXISTS (SELECT FROM schedules WHERE hook_secret IS NOT NULL) AS found`.execute(db);
  return rows[0]?.found === true;
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
