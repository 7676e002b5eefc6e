import { createHash } from 'node:crypto';
import { zstdDecompressSync } from 'node:zlib';
import { type RawBuilder, sql } from 'kysely';
import { messageOf } from '../../platform/errors.ts';
import { nextTurn } from '../../platform/slices.ts';
import type { Executor } from '../database.ts';
import { slicesOfOccurrences } from '../issues/packed-occurrences.ts';

/** Everything that is stored compressed or with a digest, and how to read it all again. */

/** Bytes of rows in memory, unless a single row has more. */
const BATCH_BYTES = 16_777_216;
const BATCH_ROWS = 500;
/** Limit for one decompressed value: several times the limits for stored values. */
const UNPACKED_BYTES_MAX = 536_870_912;

interface StoredRow {
  readonly key: string | number | Buffer;
  readonly report_id: string | null;
  readonly content: Buffer;
  /** What to expect of the content: a digest, and a size or a number of occurrences. */
  readonly expected: Buffer | null;
  readonly size: number | null;
}

interface StoredContent {
  readonly name: string;
  /** Selects all rows with the columns of `StoredRow`. @param report null for all reports */
  select(report: string | null): RawBuilder<unknown>;
  /** @throws Error that says what is wrong */
  verify(row: StoredRow): void;
}

const none = sql`NULL::bytea`;

/** The tables with contents. Keys are unique and ordered. */
export const STORED_CONTENTS: readonly StoredContent[] = [
  {
    name: 'document',
    select: (
      report,
    ) => sql`SELECT hash AS key, NULL::uuid AS report_id, body AS content, hash AS expected, size FROM documents
      ${report === null ? sql`` : sql`WHERE hash IN (SELECT document_hash FROM web_pages WHERE report_id = ${report})`}`,
    verify({ content, expected, size }) {
      const body = unpacked(content);
      if (body.length !== size) throw new Error(`has ${body.length} bytes instead of ${size}`);
      requireDigest(body, expected);
    },
  },
  {
    name: 'issue',
    select: (
      report,
    ) => sql`SELECT id AS key, report_id, occurrences AS content, ${none} AS expected, how_many AS size FROM issues
      ${report === null ? sql`` : sql`WHERE report_id = ${report}`}`,
    verify({ content, size }) {
      let count = 0;
      for (const slice of slicesOfOccurrences(content)) count += slice.length;
      if (count === 0 || count > (size ?? 0)) throw new Error(`has ${count} occurrences instead of ${size}`);
    },
  },
  {
    name: 'raw check',
    select: (
      report,
    ) => sql`SELECT r.id AS key, p.report_id, r.raw AS content, ${none} AS expected, NULL::integer AS size
      FROM raw_checks r JOIN web_pages p ON p.id = r.web_page_id ${ofPages(report)}`,
    verify: ({ content }) => void JSON.parse(unpacked(content).toString('utf8')),
  },
  {
    name: 'collected output of page',
    select: (
      report,
    ) => sql`SELECT c.web_page_id || ' ' || c.kind AS key, c.report_id, c.collected AS content, ${none} AS expected,
      NULL::integer AS size FROM checks c WHERE c.collected IS NOT NULL ${report === null ? sql`` : sql`AND c.report_id = ${report}`}`,
    verify: ({ content }) => void unpacked(content),
  },
  {
    name: 'screenshot',
    select: (
      report,
    ) => sql`SELECT hash AS key, NULL::uuid AS report_id, image AS content, hash AS expected, NULL::integer AS size
      FROM screenshot_images ${
        report === null
          ? sql``
          : sql`WHERE hash IN (SELECT s.image_hash FROM web_pages p JOIN screenshots s ON s.web_page_id = p.id WHERE p.report_id = ${report})`
      }`,
    verify: requireImage,
  },
  {
    name: 'thumbnail of site',
    select: (
      report,
    ) => sql`SELECT t.site_id AS key, p.report_id, t.image AS content, t.hash AS expected, NULL::integer AS size
      FROM site_thumbnails t JOIN web_pages p ON p.id = t.web_page_id ${ofPages(report)}`,
    verify: requireImage,
  },
];

function ofPages(report: string | null): RawBuilder<unknown> {
  return report === null ? sql`` : sql`WHERE p.report_id = ${report}`;
}

function unpacked(content: Buffer): Buffer {
  return zstdDecompressSync(content, { maxOutputLength: UNPACKED_BYTES_MAX });
}

function requireDigest(bytes: Buffer, expected: Buffer | null): void {
  if (expected === null || !createHash('sha256').update(bytes).digest().equals(expected)) {
    throw new Error('does not have the digest that is stored with it');
  }
}

function requireImage({ content, expected }: StoredRow): void {
  if (content.toString('latin1', 0, 4) !== 'RIFF' || content.toString('latin1', 8, 12) !== 'WEBP') {
    throw new Error('is not a WebP image');
  }
  requireDigest(content, expected);
}

export interface DamagedContent {
  readonly what: string;
  readonly reportId: string | null;
}

/**
 * Reads all contents of a table in batches, each from its own snapshot: contents don't change after they are stored.
 * @returns the number of contents read; `onDamage` receives the damaged ones
 */
export async function readContents(
  db: Executor,
  { name, select, verify }: StoredContent,
  { reportId, onDamage }: { readonly reportId: string | null; readonly onDamage: (damaged: DamagedContent) => void },
): Promise<number> {
  let read = 0;
  for (let after: StoredRow['key'] | null = null; ; ) {
    const { rows } = await sql<StoredRow>`
      SELECT key, report_id, content, expected, size FROM (
        SELECT *, sum(octet_length(content)) OVER (ORDER BY key) - octet_length(content) AS before FROM (
          SELECT * FROM (${select(reportId)}) stored ${after === null ? sql`` : sql`WHERE key > ${after}`}
          ORDER BY key LIMIT ${BATCH_ROWS}) batch) listed
      WHERE before < ${BATCH_BYTES} ORDER BY key`.execute(db);
    for (const row of rows) {
      const fault = faultOf(() => verify(row));
      if (fault !== null) onDamage({ what: `${name} ${textOf(row.key)}: ${fault}`, reportId: row.report_id });
    }
    await nextTurn();
    read += rows.length;
    after = rows.at(-1)?.key ?? null;
    if (after === null) return read;
  }
}

function faultOf(verify: () => void): string | null {
  try {
    verify();
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function textOf(key: StoredRow['key']): string {
  return Buffer.isBuffer(key) ? key.toString('hex') : String(key);
}
