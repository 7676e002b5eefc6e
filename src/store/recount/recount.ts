import { setTimeout as delay } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { SecretBox } from '../../platform/secret-box.ts';
import { countDamagedSecrets } from '../backup/stored-secrets.ts';
import { type Database, type Executor, inSnapshot } from '../database.ts';
import {
  brokenReferences,
  INSTALLATION_RULES,
  type InstallationRule,
  installationRecounts,
  REFERENCES,
} from './installation-rules.ts';
import { type Recount, reportRecounts } from './report-recounts.ts';
import { reportRules } from './report-rules.ts';
import { readContents, STORED_CONTENTS } from './stored-contents.ts';
import { readStuckWork } from './stuck-work.ts';

/** What can be wrong in a database: a stored sum, an owner, a stored content, a state, or work that nothing continues. */
export const AREAS = ['sums', 'orphans', 'contents', 'states', 'stuck'] as const;
export type Area = (typeof AREAS)[number];

/** Something that is wrong. */
export interface Finding {
  readonly area: Area;
  /** Null if it belongs to no single report. */
  readonly report_id: string | null;
  readonly what: string;
  /** The numbers that are stored, and the recounted numbers; null for anything but sums. */
  readonly stored: readonly number[] | null;
  readonly counted: readonly number[] | null;
}

export interface RecountOptions {
  /** Only this report; null for the whole installation. */
  readonly reportId: string | null;
  /** Without a key, secrets are not read. */
  readonly box: SecretBox | null;
  /** Selects the ids of living workers. */
  readonly living: RawBuilder<unknown>;
  readonly scheduleTimeMs: number;
  readonly signal: AbortSignal;
  readonly onFinding: (finding: Finding) => void;
  /** Called before each part, with the number of completed units and the total. */
  readonly onProgress?: (part: string, done: number, total: number) => void;
  /** Milliseconds until stuck work is examined again. Default: 15,000, enough for another process to continue it. */
  readonly lookAgainMs?: number;
}

/** How much was examined. */
export interface Recounted {
  readonly reports: number;
  readonly contents: number;
}

/** More findings of one statement are left out. */
const FINDINGS_OF_STATEMENT_MAX = 1_000;
const LOOK_AGAIN_MS = 15_000;

/**
 * Recounts all stored sums, and looks for orphans, damaged contents, impossible states and stuck work. Exact even while processes
 * work: each report is read from one snapshot, and so is each rule about a whole table. Changes nothing.
 * @throws Error of the database, such as a statement that takes too long
 */
export async function recount(db: Database, options: RecountOptions): Promise<Recounted> {
  const { reportId, onProgress = () => undefined } = options;
  const suspected = await readStuck(db, options);
  const suspectedAt = Date.now();
  const reports = await recountReports(db, options);
  if (reportId === null) await recountInstallation(db, options);
  let contents = 0;
  for (const [at, content] of STORED_CONTENTS.entries()) {
    if (options.signal.aborted) break;
    onProgress(`Reading: ${content.name}`, at, STORED_CONTENTS.length);
    const onDamage = ({ what, reportId: report_id }: { what: string; reportId: string | null }) =>
      options.onFinding({ ...finding('contents', what), report_id });
    contents += await readContents(db, content, { reportId, onDamage });
  }
  if (reportId === null) contents += await readSecrets(db, options);
  await confirmStuck(db, suspected, suspectedAt, options);
  return { reports, contents };
}

function finding(area: Area, what: string): Finding {
  return { area, report_id: null, what, stored: null, counted: null };
}

/** The report's id in the statement, which is prepared because planning takes many times longer than running it. */
const REPORT = sql.raw('$1');

interface CountedRow {
  readonly area: Area;
  readonly what: string;
  readonly kept: readonly number[] | null;
  readonly found: readonly number[] | null;
}

/** Builds the query for the sums of a report that are wrong, and the rules that it breaks. */
export function wrongInReport(report: RawBuilder<unknown>): RawBuilder<CountedRow> {
  const rules = reportRules(report).map(
    ({ area, select }) => sql`SELECT ${sql.lit(area)} AS area, what, NULL::bigint[] AS kept, NULL::bigint[] AS found
      FROM (${select}) broken (what)`,
  );
  return sql<CountedRow>`
    SELECT 'sums' AS area, what, kept, found FROM (${unionOf(reportRecounts(report))}) counted WHERE kept IS DISTINCT FROM found
    UNION ALL ${sql.join(rules, sql` UNION ALL `)}`;
}

function unionOf(recounts: readonly Recount[]): RawBuilder<unknown> {
  return sql.join(
    recounts.map(({ select }) => sql`SELECT what, kept, found FROM (${select}) counted`),
    sql` UNION ALL `,
  );
}

/** Reports whose ids are read at a time. */
const REPORT_IDS = 1_000;

async function recountReports(db: Database, options: RecountOptions): Promise<number> {
  const total = options.reportId === null ? await countReports(db) : 1;
  let done = 0;
  // Only one connection has the prepared statement.
  await db.connection().execute(async (connection) => {
    await sql`PREPARE wrong_in_report (uuid) AS ${wrongInReport(REPORT)}`.execute(connection);
    await sql`SET plan_cache_mode = force_generic_plan`.execute(connection);
    try {
      for await (const id of reportIds(connection, options.reportId)) {
        if (options.signal.aborted) break;
        options.onProgress?.('Recounting reports', done, total);
        for (const { area, what, kept, found } of await wrongRows(connection, id)) {
          options.onFinding({ area, report_id: id, what, stored: kept, counted: found });
        }
        done += 1;
      }
    } finally {
      await sql`DEALLOCATE wrong_in_report`.execute(connection);
      await sql`RESET plan_cache_mode`.execute(connection);
    }
  });
  return done;
}

/** Yields the ids of all reports, or only the given one. */
async function* reportIds(db: Executor, only: string | null): AsyncGenerator<string> {
  if (only !== null) yield only;
  let ids = only === null ? await nextReports(db, null) : [];
  while (ids.length > 0) {
    yield* ids;
    ids = await nextReports(db, ids.at(-1) ?? null);
  }
}

function wrongRows(db: Database, reportId: string): Promise<readonly CountedRow[]> {
  return inSnapshot(db, async (trx) => {
    const { rows } = await sql<CountedRow>`EXECUTE wrong_in_report (${sql.lit(reportId)})`.execute(trx);
    return rows.slice(0, FINDINGS_OF_STATEMENT_MAX).map((row) => ({
      ...row,
      kept: row.kept?.map(Number) ?? null,
      found: row.found?.map(Number) ?? null,
    }));
  });
}

/** Returns whether such a report exists, even if it is being deleted. @param id any text */
export async function isStoredReport(db: Executor, id: string): Promise<boolean> {
  return (await sql`SELECT FROM reports WHERE id::text = ${id.toLowerCase()}`.execute(db)).rows.length > 0;
}

async function countReports(db: Executor): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*) FROM reports`.execute(db);
  return rows[0]?.count ?? 0;
}

async function nextReports(db: Executor, after: string | null): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`SELECT id FROM reports ${after === null ? sql`` : sql`WHERE id > ${after}`}
    ORDER BY id LIMIT ${REPORT_IDS}`.execute(db);
  return rows.map(({ id }) => id);
}

async function recountInstallation(db: Database, { signal, onFinding, onProgress }: RecountOptions): Promise<void> {
  const sums = sql<CountedRow>`SELECT 'sums' AS area, what, kept, found
    FROM (${unionOf(installationRecounts())}) counted WHERE kept IS DISTINCT FROM found LIMIT ${FINDINGS_OF_STATEMENT_MAX}`;
  const { rows: wrong } = await sums.execute(db);
  for (const { area, what, kept, found } of wrong) {
    onFinding({ ...finding(area, what), stored: kept?.map(Number) ?? null, counted: found?.map(Number) ?? null });
  }
  for (const [at, rule] of INSTALLATION_RULES.entries()) {
    if (signal.aborted) return;
    onProgress?.('Looking for orphans', at, INSTALLATION_RULES.length);
    for (const broken of await brokenRows(db, rule)) onFinding(broken);
  }
  const { rows: references } = await REFERENCES.execute(db);
  for (const [at, reference] of references.entries()) {
    if (signal.aborted) return;
    onProgress?.('Looking for rows without an owner', at, references.length);
    const { rows } = await brokenReferences(reference).execute(db);
    const count = rows[0]?.count ?? 0;
    const { table, columns, to } = reference;
    if (count > 0) onFinding(finding('orphans', `${count} rows of ${table}: no ${to} for ${columns.join(', ')}`));
  }
}

async function brokenRows(db: Executor, { area, select }: InstallationRule): Promise<Finding[]> {
  const { rows } = await sql<Pick<Finding, 'what' | 'report_id'>>`
    SELECT what, report_id FROM (${select}) broken (what, report_id) LIMIT ${FINDINGS_OF_STATEMENT_MAX}`.execute(db);
  return rows.map(({ what, report_id }) => ({ ...finding(area, what), report_id }));
}

async function readSecrets(db: Database, { box, onFinding }: RecountOptions): Promise<number> {
  if (box === null) return 0;
  let read = 0;
  for (const { column, sealed, damaged } of await countDamagedSecrets(db, box)) {
    read += sealed;
    if (damaged > 0)
      onFinding(finding('contents', `${damaged} secrets in ${column} cannot be decrypted: enter them again`));
  }
  return read;
}

function readStuck(db: Executor, { living, scheduleTimeMs }: RecountOptions) {
  return readStuckWork(db, living, scheduleTimeMs);
}

/** Work that is found stuck twice is stuck: in between, a process may take it. */
async function confirmStuck(
  db: Database,
  suspected: Awaited<ReturnType<typeof readStuck>>,
  suspectedAt: number,
  options: RecountOptions,
): Promise<void> {
  const { reportId, lookAgainMs = LOOK_AGAIN_MS, signal, onFinding, onProgress } = options;
  if (suspected.size === 0 || signal.aborted) return;
  onProgress?.('Looking at late work again', 0, 1);
  const left = suspectedAt + lookAgainMs - Date.now();
  if (left > 0) await delay(left, undefined, { signal }).catch(() => undefined);
  const still = await readStuck(db, options);
  for (const [key, { what, report_id }] of suspected) {
    if (still.has(key) && (reportId === null || reportId === report_id))
      onFinding({ ...finding('stuck', what), report_id });
  }
}
