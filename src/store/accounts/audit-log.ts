import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Actor } from '../../domain/audit.ts';
import type { Executor } from '../database.ts';
import { contains, type ListPage, listPage, type PageRequest } from '../listing.ts';
import type { AuditEntry } from './sign-in-tables.ts';

export interface NewAuditEntry {
  /** The account that the action concerns; null if that is not known, or if the action concerns the installation. */
  readonly accountId: string | null;
  /** The account that acted, if it is a different one. */
  readonly actorAccountId?: string | null;
  readonly actor: Actor;
  /** Of the token, the session or the share link. */
  readonly actorId?: string | null;
  /** Of the client. */
  readonly address?: string | null;
  /**
   * A method and a path with placeholders, such as `DELETE /reports/{report_id}`, with a remark if it can have opposite effects;
   * or a command, such as `token revoke`.
   */
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
      actor_account_id: entry.actorAccountId ?? null,
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

/** Which entries are listed. */
export interface AuditFilter {
  /** The account that they concern; null for all accounts and the installation. */
  readonly accountId: string | null;
  /** Part of the action. */
  readonly action?: string | undefined;
  /**
   * Part of the path or, if `accountId` is null, of the id or the email address of the account that an entry concerns or that
   * acted.
   */
  readonly text?: string | undefined;
}

/** Lists entries, newest first. */
export async function listActions(
  db: Executor,
  { accountId, action, text }: AuditFilter,
  page: PageRequest,
): Promise<ListPage<AuditEntry>> {
  let list = db.selectFrom('audit_log');
  if (accountId !== null) list = list.where('account_id', '=', accountId);
  if (action !== undefined) {
    const actions = sql`SELECT value FROM (${eachValueOf('action')}) each WHERE ${contains(sql`value`, action)}`;
    list = list.where(sql<SqlBool>`action = ANY(ARRAY(${actions}))`);
  }
  if (text !== undefined) {
    const ofPath = contains(sql`coalesce(path, '')`, text);
    // All entries of one account concern that account.
    list = list.where(accountId !== null ? ofPath : sql<SqlBool>`(${ofPath} OR ${isOfAccountLike(text)})`);
  }
  const { total, rows } = await listPage(list, page, (entries) => entries.selectAll().orderBy('id', 'desc'));
  return { total, rows: rows.map(withActorAccount) };
}

/** Whether the id or the email address of the account that an entry concerns, or that acted, contains a text. */
function isOfAccountLike(text: string): RawBuilder<SqlBool> {
  const accounts = sql`
    SELECT value FROM (${eachValueOf('account_id')} UNION ${eachValueOf('actor_account_id')}) each LEFT JOIN accounts a ON a.id = value
    WHERE ${contains(sql`value::text`, text)} OR ${contains(sql`coalesce(a.email, '')`, text)}`;
  return sql<SqlBool>`(account_id IN (${accounts}) OR actor_account_id IN (${accounts}))`;
}

/** The first UUID in sort order. */
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** Selects each value of a column once, by one index lookup for each: many entries share few actions and accounts. */
function eachValueOf(name: 'action' | 'account_id' | 'actor_account_id'): RawBuilder<unknown> {
  const column = sql.ref(name);
  const first = sql.lit(name === 'action' ? '' : NIL_UUID);
  return sql`(
    WITH RECURSIVE found AS (
      (SELECT ${column} AS value FROM audit_log WHERE ${column} >= ${first} ORDER BY 1 LIMIT 1)
      UNION ALL
      SELECT (SELECT ${column} FROM audit_log WHERE ${column} > found.value ORDER BY 1 LIMIT 1) FROM found WHERE found.value IS NOT NULL
    )
    SELECT value FROM found WHERE value IS NOT NULL)`;
}

/** Names the account whose token or session acted, even if the entry concerns the same account. */
function withActorAccount(entry: AuditEntry): AuditEntry {
  const { actor, actor_account_id: other, account_id: own } = entry;
  return { ...entry, actor_account_id: other ?? (actor === 'api_token' || actor === 'session' ? own : null) };
}

/** Rows that are read or deleted at a time. */
const batchRows = 1_000;

/**
 * Yields all actions, oldest first.
 * @param accountId limits them to actions that concern this account or that it performed on others; null for all
 */
export async function* allActions(db: Executor, accountId: string | null): AsyncGenerator<AuditEntry> {
  for (let after = 0; ; ) {
    let list = db.selectFrom('audit_log').selectAll().where('id', '>', after);
    if (accountId !== null)
      list = list.where(({ eb, or }) => or([eb('account_id', '=', accountId), eb('actor_account_id', '=', accountId)]));
    const rows = await list.orderBy('id').limit(batchRows).execute();
    yield* rows.map(withActorAccount);
    const last = rows.at(-1);
    if (last === undefined || rows.length < batchRows) return;
    after = last.id;
  }
}

/** Deletes the entries that are older than some days, in short statements, regardless of how many entries there are. */
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
