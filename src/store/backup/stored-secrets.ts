import { type RawBuilder, sql, type Transaction } from 'kysely';
import {
  channelSecretPurpose,
  channelUrlPurpose,
  hookSigningPurpose,
  loginSecretsPurpose,
  loginSessionPurpose,
} from '../../domain/secret-purposes.ts';
import { AppError } from '../../platform/errors.ts';
import { keptSecretPurpose } from '../../platform/kept-secret.ts';
import { openOrNull, type SecretBox } from '../../platform/secret-box.ts';
import type { Database, Executor } from '../database.ts';
import type { Schema } from '../schema.ts';

interface SealedColumn {
  readonly table: string;
  /** Its encrypted values, each bound to the value of `by` in its row. */
  readonly column: string;
  readonly by: string;
  purposeOf(by: never): string;
}

/** All columns with encrypted values. A test compares them with the database. */
export const SEALED_COLUMNS = [
  { table: 'reports', column: 'site_access', by: 'id', purposeOf: (id: string) => `report ${id}` },
  { table: 'sites', column: 'site_access', by: 'id', purposeOf: (id: string) => `site ${id}` },
  { table: 'schedules', column: 'site_access', by: 'id', purposeOf: (id: string) => `schedule ${id}` },
  { table: 'schedules', column: 'hook_sealed', by: 'hook_hash', purposeOf: keptSecretPurpose },
  { table: 'schedules', column: 'hook_signing_sealed', by: 'id', purposeOf: hookSigningPurpose },
  { table: 'reports', column: 'share_sealed', by: 'share_hash', purposeOf: keptSecretPurpose },
  { table: 'share_links', column: 'secret_sealed', by: 'secret_hash', purposeOf: keptSecretPurpose },
  { table: 'login_sessions', column: 'session_sealed', by: 'report_id', purposeOf: loginSessionPurpose },
  { table: 'login_sessions', column: 'secrets_sealed', by: 'report_id', purposeOf: loginSecretsPurpose },
  { table: 'guest_accounts', column: 'invitation_sealed', by: 'invitation_hash', purposeOf: keptSecretPurpose },
  { table: 'notification_channels', column: 'url_sealed', by: 'id', purposeOf: channelUrlPurpose },
  { table: 'notification_channels', column: 'secret_sealed', by: 'id', purposeOf: channelSecretPurpose },
  { table: 'notification_channels', column: 'former_secret_sealed', by: 'id', purposeOf: channelSecretPurpose },
] as const satisfies readonly SealedColumn[];

/** All encrypted values in the database, in one column. */
const SEALED = sql`(${sql.join(
  SEALED_COLUMNS.map(
    ({ table, column }) =>
      sql`SELECT ${sql.ref(column)} AS sealed FROM ${sql.table(table)} WHERE ${sql.ref(column)} IS NOT NULL`,
  ),
  sql` UNION ALL `,
)}) AS stored`;

/**
 * Checks that this process has the key that the database was encrypted with. A database without a recorded key adopts this key,
 * unless all its encrypted values were encrypted with other keys.
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
    'The credentials in this database are not encrypted with the key of this process. Set SITEWARDEN_SECRET_KEY ' +
      'to the key of the other processes, or copy into the data directory the secret.key that was in use when the credentials were stored. ' +
      'If the key is lost, run the command replace-key: it makes the key of this process the current one, and you must enter stored credentials again.',
  );
}

/** Records this key in place of any other. Values encrypted with another key stay stored, but cannot be decrypted. */
export async function replaceDatabaseKey(db: Executor, { keyId }: Pick<SecretBox, 'keyId'>): Promise<void> {
  await db
    .insertInto('secret_key')
    .values({ key_id: keyId })
    .onConflict((conflict) => conflict.column('is_only').doUpdateSet({ key_id: keyId }))
    .execute();
}

/** Returns whether the database was encrypted with the given key. */
export async function isDatabaseKey(db: Executor, { keyId }: Pick<SecretBox, 'keyId'>): Promise<boolean> {
  return (await recordedKeyId(db))?.equals(keyId) === true;
}

/** Returns the id of the key that the database was encrypted with; undefined if none is recorded. */
export async function recordedKeyId(db: Executor): Promise<Buffer | undefined> {
  return (await db.selectFrom('secret_key').select('key_id').executeTakeFirst())?.key_id;
}

/**
 * @returns the recorded key, which may be the key that a faster process recorded; undefined if the database cannot adopt this key
 */
async function adoptKey(db: Database, keyId: Buffer): Promise<Buffer | undefined> {
  const isOpened: RawBuilder<boolean> = sql`substring(sealed FROM 1 FOR ${keyId.length}) = ${keyId}`;
  await sql`
    INSERT INTO secret_key (key_id)
    SELECT ${keyId} WHERE NOT EXISTS (SELECT FROM ${SEALED}) OR EXISTS (SELECT FROM ${SEALED} WHERE ${isOpened})
    ON CONFLICT DO NOTHING`.execute(db);
  return recordedKeyId(db);
}

export interface RotatedSecrets {
  /** Values that are encrypted with the new key now. */
  readonly rotated: number;
  /** Values that neither key decrypts, which are left as they are. */
  readonly unreadable: number;
}

/**
 * Encrypts everything with a new key, and records it, in one transaction. Values that other processes store with the former key
 * are either re-encrypted, too, or refused by the database (`require_current_key` in the migrations).
 */
export function rotateDatabaseKey(db: Database, from: SecretBox, to: SecretBox): Promise<RotatedSecrets> {
  return db.transaction().execute(async (trx) => {
    const total = { rotated: 0, unreadable: 0 };
    // First, because other transactions that store secrets lock the record.
    await replaceDatabaseKey(trx, to);
    for (const column of SEALED_COLUMNS) {
      const { rotated, unreadable } = await rotateColumn(trx, column, from, to);
      total.rotated += rotated;
      total.unreadable += unreadable;
    }
    return total;
  });
}

/** Rows that are read at a time. */
const batchRows = 500;

async function rotateColumn(
  trx: Transaction<Schema>,
  sealedColumn: SealedColumn,
  from: SecretBox,
  to: SecretBox,
): Promise<RotatedSecrets> {
  const counts = { rotated: 0, unreadable: 0 };
  const [name, sealed, key] = [sql.table(sealedColumn.table), sql.ref(sealedColumn.column), sql.ref(sealedColumn.by)];
  for await (const row of sealedValues(trx, sealedColumn)) {
    const secret = openOrNull(from, row.sealed, row.purpose);
    if (secret === null) {
      counts.unreadable += 1;
      continue;
    }
    await sql`UPDATE ${name} SET ${sealed} = ${to.seal(secret, row.purpose)} WHERE ${key} = ${row.by}`.execute(trx);
    counts.rotated += 1;
  }
  return counts;
}

/** Yields the encrypted values of a column. */
async function* sealedValues(db: Executor, { table, column, by, purposeOf }: SealedColumn) {
  const [sealed, key] = [sql.ref(column), sql.ref(by)];
  for (let after: unknown = null; ; ) {
    const { rows } = await sql<{ by: never; sealed: Buffer }>`
      SELECT ${key} AS by, ${sealed} AS sealed FROM ${sql.table(table)}
      WHERE ${sealed} IS NOT NULL AND ${after === null ? sql`true` : sql`${key} > ${after}`}
      ORDER BY ${key} LIMIT ${batchRows}`.execute(db);
    for (const row of rows) yield { ...row, purpose: purposeOf(row.by) };
    if (rows.length < batchRows) return;
    after = rows.at(-1)?.by;
  }
}

/**
 * Counts the encrypted values of each column, and those that carry the mark of this key but cannot be decrypted. Values with the
 * mark of another key are not damaged: they have to be entered again.
 */
export async function countDamagedSecrets(
  db: Executor,
  box: SecretBox,
): Promise<readonly { readonly column: string; readonly sealed: number; readonly damaged: number }[]> {
  const counts = [];
  for (const sealedColumn of SEALED_COLUMNS) {
    const count = { column: `${sealedColumn.table}.${sealedColumn.column}`, sealed: 0, damaged: 0 };
    for await (const { sealed, purpose } of sealedValues(db, sealedColumn)) {
      count.sealed += 1;
      const isOurs = sealed.subarray(0, box.keyId.length).equals(box.keyId);
      if (isOurs && openOrNull(box, sealed, purpose) === null) count.damaged += 1;
    }
    counts.push(count);
  }
  return counts;
}
