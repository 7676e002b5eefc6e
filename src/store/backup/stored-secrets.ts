import { type RawBuilder, sql } from 'kysely';
import { AppError } from '../../platform/errors.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Database } from '../database.ts';

/** All encrypted values in the database, in one column. */
const SEALED = sql`(
  SELECT site_access AS sealed FROM reports WHERE site_access IS NOT NULL
  UNION ALL SELECT site_access FROM sites WHERE site_access IS NOT NULL
  UNION ALL SELECT site_access FROM schedules WHERE site_access IS NOT NULL
  UNION ALL SELECT hook_sealed FROM schedules WHERE hook_sealed IS NOT NULL
  UNION ALL SELECT hook_signing_sealed FROM schedules WHERE hook_signing_sealed IS NOT NULL
  UNION ALL SELECT share_sealed FROM reports WHERE share_sealed IS NOT NULL
  UNION ALL SELECT secret_sealed FROM share_links
  UNION ALL SELECT session_sealed FROM login_sessions WHERE session_sealed IS NOT NULL
  UNION ALL SELECT invitation_sealed FROM guest_accounts WHERE invitation_sealed IS NOT NULL
  UNION ALL SELECT url_sealed FROM notification_channels WHERE url_sealed IS NOT NULL
  UNION ALL SELECT secret_sealed FROM notification_channels WHERE secret_sealed IS NOT NULL
) AS stored`;

/**
 * Checks that this process has the key that the database was encrypted with. A database without a recorded key adopts this key,
 * unless all its encrypted values have other keys.
 * @param adopts false to leave a database without a recorded key unchanged
 * @throws AppError secret_key_mismatch
 */
export async function verifyDatabaseKey(
  db: Database,
  { keyId }: Pick<SecretBox, 'keyId'>,
  adopts = true,
): Promise<void> {
  const recorded = (await recordedKeyId(db)) ?? (adopts ? await adoptKey(db, keyId) : keyId);
  if (recorded?.equals(keyId) === true) return;
  throw new AppError(
    'secret_key_mismatch',
    'The credentials in this database are encrypted with a different key from the key of this process. Set SITEWARDEN_SECRET_KEY ' +
      'to the key of the other processes, or restore secret.key in the data directory from a backup. If the key is lost, ' +
      'run the command replace-key: the new key is taken, and stored credentials have to be entered again.',
  );
}

/** Records this key in place of any other. Values encrypted with another key stay stored, but cannot be decrypted. */
export async function replaceDatabaseKey(db: Database, { keyId }: Pick<SecretBox, 'keyId'>): Promise<void> {
  await db
    .insertInto('secret_key')
    .values({ key_id: keyId })
    .onConflict((conflict) => conflict.column('is_only').doUpdateSet({ key_id: keyId }))
    .execute();
}

async function recordedKeyId(db: Database): Promise<Buffer | undefined> {
  return (await db.selectFrom('secret_key').select('key_id').executeTakeFirst())?.key_id;
}

/** @returns the recorded key, which may be the key of a faster process; undefined if the database cannot adopt this key */
async function adoptKey(db: Database, keyId: Buffer): Promise<Buffer | undefined> {
  const isOpened: RawBuilder<boolean> = sql`substring(sealed FROM 1 FOR ${keyId.length}) = ${keyId}`;
  await sql`
    INSERT INTO secret_key (key_id)
    SELECT ${keyId} WHERE NOT EXISTS (SELECT FROM ${SEALED}) OR EXISTS (SELECT FROM ${SEALED} WHERE ${isOpened})
    ON CONFLICT DO NOTHING`.execute(db);
  return recordedKeyId(db);
}
