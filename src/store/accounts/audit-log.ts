import { sql } from 'kysely';
import type { Actor } from '../../domain/audit.ts';
import type { Executor } from '../database.ts';
import { type ListPage, listPage, type PageRequest } from '../listing.ts';
import type { AuditEntry } from './sign-in-tables.ts';

export interface NewAuditEntry {
  /** Whose account it concerns; null if that is not known, or it concerns the installation. */
  readonly accountId: string | null;
  readonly actor: Actor;
  /** Of the token, the session or the share link. */
  readonly actorId?: string | null;
  /** Of the client. */
  readonly address?: string | null;
  /** A method and a path with placeholders, such as `DELETE /reports/{report_id}`, or a command, such as `token revoke`. */
  readonly action: string;
  /** The path of the resource, without secrets. */
  readonly path?: string | null;
  /** The HTTP status of the response; null for commands, which are recorded when they succeed. */
  readonly status?: number | null;
  readonly requestId?: string | null;
}

/** Records an action. */
export async function recordAction(db: Executor, entry: NewAuditEntry): Promise<void> {
  await db
    .insertInto('audit_log')
    .values({
      account_id: entry.accountId,
      actor: entry.actor,
      actor_id: entry.actorId ?? null,
      address: entry.address ?? null,
      action: entry.action,
      path: entry.path ?? null,
      status: entry.status ?? null,
      request_id: entry.requestId ?? null,
    })
    .execute();
}

/** Lists what concerns an account, or everything if null, newest first. */
export function listActions(
  db: Executor,
  accountId: string | null,
  action: string | undefined,
  page: PageRequest,
): Promise<ListPage<AuditEntry>> {
  let list = db.selectFrom('audit_log');
  if (accountId !== null) list = list.where('account_id', '=', accountId);
  if (action !== undefined) list = list.where('action', '=', action);
  return listPage(list, page, (rows) => rows.selectAll().orderBy('id', 'desc'));
}

/** Rows that are read or deleted at a time. */
const batchRows = 1_000;

/** Yields all actions, oldest first. @param accountId of one account; null for all */
export async function* allActions(db: Executor, accountId: string | null): AsyncGenerator<AuditEntry> {
  for (let after = 0; ; ) {
    let list = db.selectFrom('audit_log').selectAll().where('id', '>', after);
    if (accountId !== null) list = list.where('account_id', '=', accountId);
    const rows = await list.orderBy('id').limit(batchRows).execute();
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < batchRows) return;
    after = last.id;
  }
}

/** Deletes the entries that are older than some days, in statements that are short however many there are. */
export async function deleteOldActions(db: Executor, days: number): Promise<void> {
  const isOld = sql<boolean>`inserted_at < now() - make_interval(days => ${days})`;
  for (let deleted = batchRows; deleted === batchRows; ) {
    const { numAffectedRows = 0n } = await sql`
      DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log ORDER BY id LIMIT ${batchRows}) AND ${isOld}`.execute(
      db,
    );
    deleted = Number(numAffectedRows);
  }
}
