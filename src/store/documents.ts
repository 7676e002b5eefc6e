import { sql } from 'kysely';
import type { StoredDocument } from '../domain/fetched-page.ts';
import type { Executor } from './database.ts';

/** Stores documents that are not there yet. Holds them against a concurrent removal until the transaction ends. */
export async function insertDocuments(db: Executor, documents: readonly StoredDocument[]): Promise<void> {
  const unique = [...new Map(documents.map((document) => [document.hash.toString('hex'), document])).values()];
  if (unique.length === 0) return;
  await db
    .insertInto('documents')
    .values(unique.sort((a, b) => a.hash.compare(b.hash)))
    .onConflict((conflict) => conflict.column('hash').doUpdateSet({ inserted_at: sql`now()` }))
    .execute();
}

/**
 * Locks documents against whoever stores or removes the same ones, until the transaction ends.
 * @returns the hashes of those that are there
 */
export async function lockDocuments(db: Executor, hashes: readonly Buffer[]): Promise<Buffer[]> {
  const { rows } = await sql<{ hash: Buffer }>`
    SELECT hash FROM documents WHERE hash = ANY(${hashes}) ORDER BY hash FOR UPDATE`.execute(db);
  return rows.map((row) => row.hash);
}

/** Removes those of the documents that no page refers to any more. */
export async function removeUnreferencedDocuments(db: Executor, hashes: readonly Buffer[]): Promise<void> {
  if (hashes.length === 0) return;
  // Locked first: a page that comes to refer to one of them meanwhile has committed by the time it is looked for.
  const locked = await lockDocuments(db, hashes);
  await sql`DELETE FROM documents d WHERE hash = ANY(${locked})
    AND NOT EXISTS (SELECT FROM web_pages p WHERE p.document_hash = d.hash)`.execute(db);
}
