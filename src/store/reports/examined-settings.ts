import { isDeepStrictEqual } from 'node:util';
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { REPORT_COLUMNS } from '../../domain/report-attributes.ts';
import type { ReportColumns, ReportDefinition } from '../../domain/report-definition.ts';
import type { Executor } from '../database.ts';

/** The settings that decide which pages and checks a report has, apart from the starting URL. */
const EXAMINED: readonly string[] = Object.entries(REPORT_COLUMNS).flatMap(([name, { isOfSite }]) =>
  isOfSite && name !== 'starting_url' ? [name] : [],
);

type SettingValue = string | number | boolean | null | string[];

/** By name. `checks` has the kinds of check in alphabetical order; `signs_in` is whether there are site credentials. */
export type ExaminedSettings = Readonly<Record<string, SettingValue>>;

/** Selects the settings of a report that decide which pages and checks it has. @param reportId its id */
export function examinedBy(reportId: Expression<unknown>): RawBuilder<ExaminedSettings> {
  const columns = EXAMINED.map((name) => sql`${sql.lit(name)}, ${sql.ref(`r.${name}`)}`);
  return sql<ExaminedSettings>`(
    SELECT jsonb_build_object(${sql.join(columns)}, 'signs_in', r.site_access IS NOT NULL, 'checks', ARRAY(
      SELECT c.kind FROM report_checks c WHERE c.report_id = r.id ORDER BY c.kind COLLATE "C"))
    FROM reports r WHERE r.id = ${reportId})`;
}

/** Returns the settings of a definition that decide which pages and checks its report has. */
export function examinedWith(definition: ReportDefinition, signsIn: boolean): ExaminedSettings {
  const columns = Object.entries(definition).filter(([name]) => EXAMINED.includes(name));
  return { ...Object.fromEntries(columns), checks: definition.checks.toSorted(), signs_in: signsIn };
}

/**
 * The settings that decide what a page looks like when it is checked. The other settings decide which pages and checks there are.
 */
const PAGE_SETTINGS = [
  'device_id',
  'device_rotated',
  'wait_for',
  'explore_states',
  'block_writes',
  'consent',
  'signs_in',
] as const satisfies readonly (keyof ReportColumns | 'signs_in')[];

/** A setting that differs between two reports. */
export interface SettingChange {
  readonly name: string;
  readonly before: SettingValue;
  readonly now: SettingValue;
}

/** Returns the settings that differ between a report and an earlier one, in a fixed order. */
export async function settingChanges(db: Executor, reportId: string, withId: string): Promise<SettingChange[]> {
  const { now, before } = await db
    .selectNoFrom([examinedBy(sql`${reportId}`).as('now'), examinedBy(sql`${withId}`).as('before')])
    .executeTakeFirstOrThrow();
  return differencesOf(now, before);
}

/** Returns the standards whose rules have run in two reports; null for the default rules. */
export async function testedStandards(
  db: Executor,
  reportId: string,
  withId: string,
): Promise<{ readonly now: string | null; readonly before: string | null }> {
  const testedBy = (id: string) => db.selectFrom('reports').select('tested_standard').where('id', '=', id);
  return db.selectNoFrom([testedBy(reportId).as('now'), testedBy(withId).as('before')]).executeTakeFirstOrThrow();
}

/**
 * Returns the settings that differ between each report and the next one in the list, which is earlier. The last report has none.
 */
export async function settingChangesAlong(
  db: Executor,
  reportIds: readonly string[],
): Promise<readonly (readonly SettingChange[])[]> {
  const { rows } = await sql<{ settings: ExaminedSettings }>`
    SELECT ${examinedBy(sql.ref('given.id'))} AS settings
    FROM unnest(${[...reportIds]}::uuid[]) WITH ORDINALITY AS given (id, position) ORDER BY position`.execute(db);
  return rows.map(({ settings: now }, index) => {
    const before = rows[index + 1]?.settings;
    return before === undefined ? [] : differencesOf(now, before);
  });
}

function differencesOf(now: ExaminedSettings, before: ExaminedSettings): SettingChange[] {
  // Without a standard, best practices always count.
  const isEffective = (name: string): boolean =>
    name !== 'best_practices' || now['standard'] !== null || before['standard'] !== null;
  return Object.entries(now).flatMap(([name, value]) => {
    if (!isEffective(name)) return [];
    const valueBefore = before[name] ?? null;
    return isDeepStrictEqual(value, valueBefore) ? [] : { name, before: namesIn(valueBefore), now: namesIn(value) };
  });
}

/** Returns the names of journeys in place of their steps, and other values unchanged. */
function namesIn(value: SettingValue): SettingValue {
  if (!Array.isArray(value)) return value;
  return value.map((one: string | { readonly name: string }) => (typeof one === 'string' ? one : one.name));
}

/** Builds the condition that two rows of `reports` have the same page settings. */
export function looksTheSame(one: string, other: string): RawBuilder<SqlBool> {
  const settings = (row: string) => {
    const values = PAGE_SETTINGS.map((name) =>
      name === 'signs_in' ? sql`${sql.ref(`${row}.site_access`)} IS NOT NULL` : sql.ref(`${row}.${name}`),
    );
    return sql`ROW(${sql.join(values)})`;
  };
  return sql<SqlBool>`${settings(one)} IS NOT DISTINCT FROM ${settings(other)}`;
}

/** Whether a setting decides what pages look like when they are checked. */
export function isPageSetting({ name }: SettingChange): boolean {
  return PAGE_SETTINGS.some((setting) => setting === name);
}

/** The settings that decide which issues a report has. */
const ISSUE_SETTINGS: readonly string[] = ['checks', 'standard', 'best_practices'];

/** Whether a setting decides which pages a report has. */
export function isCrawlSetting(change: SettingChange): boolean {
  return !ISSUE_SETTINGS.includes(change.name) && !isPageSetting(change);
}
