import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import type { Screenshot } from '../../domain/screenshot.ts';
import type { Executor } from '../database.ts';
import type { ReportTransaction } from '../reports/report-transaction.ts';

/** The screenshot that a check has taken of a page; null for none. */
export interface TakenScreenshot {
  readonly webPageId: number;
  readonly screenshot: Screenshot | null;
}

/** The stored data of a screenshot, without its image. */
export interface StoredScreenshot extends Omit<Screenshot, 'image'> {
  /** SHA-256 of the image. */
  readonly hash: Buffer;
}

/**
 * Stores the screenshots of checks of one kind, replaces earlier screenshots of the same pages, and removes images that no page
 * has anymore. Locks images, so credits must be taken afterwards.
 */
export async function replaceScreenshots(
  { trx }: ReportTransaction,
  kind: CheckKind,
  results: readonly TakenScreenshot[],
): Promise<void> {
  const former = await removeReferences(
    trx,
    results.map(({ webPageId }) => webPageId),
    kind,
  );
  const taken = results.flatMap(({ webPageId, screenshot }) =>
    screenshot === null ? [] : [{ webPageId, screenshot }],
  );
  if (former.length === 0 && taken.length === 0) return;
  await storeImages(
    trx,
    taken.map(({ screenshot }) => screenshot),
    former,
  );
  await insertScreenshots(trx, kind, taken);
  await removeUnreferencedImages(trx, former);
}

/** The kind of screenshots that are taken at marks of journeys, and not by checks. */
export const MARK = 'mark';

/**
 * Stores and locks images. They are locked before documents.
 * @param others the hashes of other images to lock
 */
export async function storeImages(
  db: Executor,
  screenshots: readonly Screenshot[],
  others: readonly Buffer[] = [],
): Promise<void> {
  if (screenshots.length + others.length === 0) return;
  const taken = screenshots.map((screenshot) => ({ screenshot, hash: hashOf(screenshot) }));
  const stored = new Set((await lockImages(db, [...others, ...taken.map(({ hash }) => hash)])).map(keyOf));
  const missing = new Map(taken.filter(({ hash }) => !stored.has(keyOf(hash))).map((each) => [keyOf(each.hash), each]));
  // In the order of the hashes, in which all images are locked. One by one, because each may take a megabyte.
  for (const { hash, screenshot } of [...missing.values()].sort((a, b) => a.hash.compare(b.hash))) {
    await insertImage(db, hash, screenshot);
  }
}

/** Adds screenshots to pages that have none of this kind. Their images must have been stored before. */
export async function insertScreenshots(
  db: Executor,
  kind: CheckKind,
  taken: readonly { readonly webPageId: number; readonly screenshot: Screenshot }[],
): Promise<void> {
  if (taken.length === 0) return;
  const rows = taken.map(({ webPageId, screenshot }) => {
    const { scale, clipped, takenAt } = screenshot;
    return { web_page_id: webPageId, kind, image_hash: hashOf(screenshot), scale, clipped, taken_at: takenAt };
  });
  await db.insertInto('screenshots').values(rows).execute();
}

/** Removes all screenshots of pages, which are about to be deleted. */
export async function removeScreenshots(db: Executor, webPageIds: readonly number[]): Promise<void> {
  const former = await removeReferences(db, webPageIds);
  if (former.length === 0) return;
  await lockImages(db, former);
  await removeUnreferencedImages(db, former);
}

/** Returns the stored data of the screenshot of a page; undefined if there is none. */
export async function findScreenshot(db: Executor, webPageId: number): Promise<StoredScreenshot | undefined> {
  return (
    db
      .selectFrom('screenshots as s')
      .innerJoin('screenshot_images as i', 'i.hash', 's.image_hash')
      .select(['i.hash', 'i.width', 'i.height', 's.scale', 's.clipped', 's.taken_at as takenAt'])
      .where('s.web_page_id', '=', webPageId)
      // At present one kind of check takes screenshots, and marks of journeys have their own.
      .orderBy('s.kind')
      .limit(1)
      .executeTakeFirst()
  );
}

/** The screenshot image of a page that still exists, and who may see it. */
export interface ShownScreenshot {
  readonly hash: Buffer;
  /** Whether its report is shared. */
  readonly shared: boolean;
  /** The site of its report. */
  readonly siteId: string;
  /** Whether its report signs in to the site. */
  readonly signsIn: boolean;
}

/** Returns the screenshot of a page, unless its report was deleted. */
export async function findShownScreenshot(db: Executor, webPageId: number): Promise<ShownScreenshot | undefined> {
  return db
    .selectFrom('screenshots as s')
    .innerJoin('web_pages as p', 'p.id', 's.web_page_id')
    .innerJoin('reports as r', 'r.id', 'p.report_id')
    .select([
      's.image_hash as hash',
      'r.shared',
      'r.site_id as siteId',
      sql<boolean>`r.site_access IS NOT NULL`.as('signsIn'),
    ])
    .where('s.web_page_id', '=', webPageId)
    .where('r.deleted_at', 'is', null)
    .orderBy('s.kind')
    .limit(1)
    .executeTakeFirst();
}

/** Returns the image of a screenshot; undefined if nothing refers to it anymore. */
export async function findImage(db: Executor, hash: Buffer): Promise<Buffer | undefined> {
  const row = await db.selectFrom('screenshot_images').select('image').where('hash', '=', hash).executeTakeFirst();
  return row?.image;
}

/** Removes the references of pages to their images. Returns the hashes of the images. */
async function removeReferences(db: Executor, webPageIds: readonly number[], kind?: CheckKind): Promise<Buffer[]> {
  const ofKind = kind === undefined ? sql`` : sql`AND kind = ${kind}`;
  const { rows } = await sql<{ image_hash: Buffer }>`
    DELETE FROM screenshots WHERE web_page_id = ANY(${webPageIds}) ${ofKind} RETURNING image_hash`.execute(db);
  return rows.map((row) => row.image_hash);
}

/**
 * Locks images until the transaction ends, so that no other transaction removes them.
 * @returns the hashes that exist
 */
async function lockImages(db: Executor, hashes: readonly Buffer[]): Promise<Buffer[]> {
  const { rows } = await sql<{ hash: Buffer }>`
    SELECT hash FROM screenshot_images WHERE hash = ANY(${hashes}) ORDER BY hash FOR UPDATE`.execute(db);
  return rows.map((row) => row.hash);
}

async function insertImage(db: Executor, hash: Buffer, { image, width, height }: Screenshot): Promise<void> {
  await db
    .insertInto('screenshot_images')
    .values({ hash, image: Buffer.from(image.buffer, image.byteOffset, image.byteLength), width, height })
    // Another transaction may have inserted it in the meantime. An update locks it, so that it is not removed.
    .onConflict((conflict) => conflict.column('hash').doUpdateSet({ inserted_at: sql`now()` }))
    .execute();
}

/** Removes the locked images that no page has. */
async function removeUnreferencedImages(db: Executor, hashes: readonly Buffer[]): Promise<void> {
  if (hashes.length === 0) return;
  await sql`DELETE FROM screenshot_images i WHERE hash = ANY(${hashes})
    AND NOT EXISTS (SELECT FROM screenshots s WHERE s.image_hash = i.hash)`.execute(db);
}

function hashOf({ image }: Screenshot): Buffer {
  return createHash('sha256').update(image).digest();
}

function keyOf(hash: Buffer): string {
  return hash.toString('hex');
}
