import { sql } from 'kysely';
import type { StoredDocument } from '../../domain/fetched-page.ts';
import type { Executor } from '../database.ts';

/** Stores documents unless they are already stored. Locks them against removal until the transaction ends. */
export async function insertDocuments(db: Executor, documents: readonly StoredDocument[]): Promise<void> {
  const unique = [...new Map(documents.map((document) => [document.hash.toString('hex'), document])).values()];
  if (unique.length === 0) return;
  await db
    .insertInto('documents')
    .values(unique.sort((a, b) => a.hash.compare(b.hash)))
    .onConflict((conflict) => conflict.column('hash').doUpdateSet({ inserted_at: sql`now()` }))
    .execute();
}

/** The document of a web page. */
export interface PageDocument {
  /** Compressed. */
  readonly body: Buffer;
  /** Bytes before compression. */
  readonly size: number;
  /** The `Content-Type` as sent; empty if there was none. */
  readonly contentType: string;
  readonly fetchedAt: Date;
}

/** Returns the document of a web page; undefined if it has none. */
export function findDocument(db: Executor, webPageId: number): Promise<PageDocument | undefined> {
  return db
    .selectFrom('web_pages as page')
    .innerJoin('documents', 'documents.hash', 'page.document_hash')
    .select(({ fn, val }) => [
      'documents.body',
      'documents.size',
      fn.coalesce('page.content_type', val('')).as('contentType'),
      sql<Date>`page.fetched_at`.as('fetchedAt'),
    ])
    .where('page.id', '=', webPageId)
    .executeTakeFirst();
}

/** Returns a document by its hash; undefined if it has been removed. */
export function storedDocument(db: Executor, hash: Buffer): Promise<StoredDocument | undefined> {
  return db.selectFrom('documents').select(['hash', 'body', 'size']).where('hash', '=', hash).executeTakeFirst();
}

/**
 * Locks documents until the transaction ends, so that no other transaction stores or removes them.
 * @returns the hashes that exist
 */
export async function lockDocuments(db: Executor, hashes: readonly Buffer[]): Promise<Buffer[]> {
  const { rows } = await sql<{ hash: Buffer }>`
    SELECT hash FROM documents WHERE hash = ANY(${hashes}) ORDER BY hash FOR UPDATE`.execute(db);
  return rows.map((row) => row.hash);
}

/** Removes the documents that no page refers to. */
export async function removeUnreferencedDocuments(db: Executor, hashes: readonly Buffer[]): Promise<void> {
  if (hashes.length === 0) return;
  // Locked first, so that a page that refers to one of them has either committed or waits for this transaction.
  const locked = await lockDocuments(db, hashes);
  await sql`DELETE FROM documents d WHERE hash = ANY(${locked})
    AND NOT EXISTS (SELECT FROM web_pages p WHERE p.document_hash = d.hash)`.execute(db);
}
