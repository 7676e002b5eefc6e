import { type RawBuilder, sql } from 'kysely';
import type { Recount } from './report-recounts.ts';

/** Returns recounts of the sums that belong to no single report, like `reportRecounts`. */
export function installationRecounts(): readonly Recount[] {
  return [
    { name: 'muting_totals', select: mutingTotals },
    { name: 'balances', select: balances },
    { name: 'ledger', select: ledger },
  ];
}

const mutingTotals = sql`
  SELECT 'total of muting ' || coalesce(t.muting_id, r.muting_id) AS what,
    ARRAY[coalesce(t.how_many, 0), coalesce(t.num_reports, 0)]::bigint[] AS kept,
    ARRAY[coalesce(r.how_many, 0), coalesce(r.num_reports, 0)]::bigint[] AS found
  FROM muting_totals t FULL JOIN (
    SELECT muting_id, sum(how_many) AS how_many, count(*) FILTER (WHERE how_many > 0) AS num_reports
    FROM report_mutings GROUP BY 1
  ) r ON r.muting_id = t.muting_id`;

/** The entries of the ledger add up to the balance, or to 0 if it is unlimited, until the account is deleted. */
const balances = sql`
  SELECT 'credits of account ' || a.id AS what, ARRAY[coalesce(a.credits, 0)]::bigint[] AS kept,
    ARRAY[coalesce((SELECT sum(amount) FROM credit_entries e WHERE e.account_id = a.id), 0)]::bigint[] AS found
  FROM accounts a WHERE a.deleting_since IS NULL`;

const ledger = sql`
  SELECT 'balance of entry ' || id || ' of account ' || account_id AS what, ARRAY[coalesce(balance, 0)]::bigint[] AS kept,
    ARRAY[sum(amount) OVER (PARTITION BY account_id ORDER BY id)]::bigint[] AS found
  FROM credit_entries WHERE account_id NOT IN (SELECT id FROM accounts WHERE deleting_since IS NOT NULL)`;

/** A rule about a whole table. Selects the rows that break it, as `what` and `report_id`. */
export interface InstallationRule {
  readonly area: 'orphans' | 'states';
  readonly select: RawBuilder<unknown>;
}

/** Rules that no foreign key enforces: they find rows that nothing needs, whose owner is gone, or that are inconsistent. */
export const INSTALLATION_RULES: readonly InstallationRule[] = [
  ...[
    sql`SELECT 'document ' || encode(hash, 'hex') || ' of no page' AS what, NULL::uuid AS report_id FROM documents d
      WHERE NOT EXISTS (SELECT FROM web_pages p WHERE p.document_hash = d.hash)`,
    sql`SELECT 'image ' || encode(hash, 'hex') || ' of no screenshot', NULL::uuid FROM screenshot_images i
      WHERE NOT EXISTS (SELECT FROM screenshots s WHERE s.image_hash = i.hash)`,
    sql`SELECT 'issue ' || i.id || ' of no report', i.report_id FROM issues i
      WHERE NOT EXISTS (SELECT FROM reports r WHERE r.id = i.report_id)`,
    sql`SELECT 'site ' || s.id || ' without reports, schedules and owner', NULL::uuid FROM sites s
      WHERE (s.deleted_at IS NOT NULL OR NOT s.is_kept) AND NOT EXISTS (SELECT FROM reports r WHERE r.site_id = s.id)
        AND NOT EXISTS (SELECT FROM schedules c WHERE c.site_id = s.id) AND NOT EXISTS (SELECT FROM decisions d WHERE d.site_id = s.id)`,
    sql`SELECT 'thumbnail of site ' || t.site_id || ' has another report than its page', t.report_id FROM site_thumbnails t
      JOIN web_pages p ON p.id = t.web_page_id WHERE p.report_id <> t.report_id`,
    sql`SELECT 'delivery ' || d.id || ' of a digest that does not exist', NULL::uuid FROM notification_deliveries d
      WHERE d.digest_id IS NOT NULL AND NOT EXISTS (SELECT FROM notification_deliveries g WHERE g.id = d.digest_id)`,
  ].map((select) => ({ area: 'orphans', select }) as const),
  {
    area: 'states',
    select: sql`SELECT 'first sighting ' || encode(fingerprint, 'hex') || ' of site ' || site_id || ' ends before it begins' AS what,
      NULL::uuid AS report_id FROM first_sightings WHERE last_seen_at < seen_at`,
  },
];

/** A foreign key. */
interface Reference {
  readonly table: string;
  readonly columns: readonly string[];
  readonly to: string;
  readonly toColumns: readonly string[];
}

/** Selects all foreign keys of the schema. */
export const REFERENCES = sql<Reference>`
  SELECT c.conrelid::regclass::text AS table, c.confrelid::regclass::text AS to,
    ARRAY(SELECT attname::text FROM unnest(c.conkey) WITH ORDINALITY k (n, at) JOIN pg_attribute ON attrelid = c.conrelid AND attnum = n ORDER BY at) AS columns,
    ARRAY(SELECT attname::text FROM unnest(c.confkey) WITH ORDINALITY k (n, at) JOIN pg_attribute ON attrelid = c.confrelid AND attnum = n ORDER BY at) AS "toColumns"
  FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
  WHERE c.contype = 'f' AND t.relnamespace = current_schema()::regnamespace ORDER BY c.conrelid::regclass::text, c.conname`;

/** Builds a query that counts rows whose owner is gone, such as after a disk error or a restore by other means. */
export function brokenReferences({ table, columns, to, toColumns }: Reference): RawBuilder<{ readonly count: number }> {
  const isSame = columns.map((column, at) => sql`o.${sql.ref(toColumns[at] ?? column)} = t.${sql.ref(column)}`);
  const isSet = columns.map((column) => sql`t.${sql.ref(column)} IS NOT NULL`);
  return sql<{ readonly count: number }>`SELECT count(*) AS count FROM ${sql.table(table)} t
    WHERE ${sql.join(isSet, sql` AND `)} AND NOT EXISTS (
      SELECT FROM ${sql.table(to)} o WHERE ${sql.join(isSame, sql` AND `)})`;
}
