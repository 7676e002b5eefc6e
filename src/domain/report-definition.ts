import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import { REPORT_COLUMNS, schemasOf } from './report-attributes.ts';

const COLUMNS = schemasOf(REPORT_COLUMNS);
const KINDS = Type.Immutable(Type.Array(Type.String()));
const DEFINITION = Type.Object({
  ...COLUMNS,
  /** The enabled kinds of checks. */
  checks: KINDS,
  /** The kinds whose raw output is stored. */
  store_raw_checks: KINDS,
});

/** The attributes of a report, parsed and normalized: URLs are serialized according to the URL Standard, without fragment. */
export type ReportDefinition = Static<typeof DEFINITION>;

/** The attributes that are columns of `reports`. */
export type ReportColumns = Pick<ReportDefinition, keyof typeof COLUMNS>;

/** The defaults of all attributes. Engines define which checks are on by default. */
export const DEFAULT_DEFINITION = asDefinition({
  ...Object.fromEntries(Object.entries(REPORT_COLUMNS).map(([name, attribute]) => [name, attribute.default])),
  checks: [],
  store_raw_checks: [],
});

/**
 * Asserts that all attributes of a definition are present and valid.
 * @throws Error if not
 */
export function asDefinition(attributes: Readonly<Record<string, unknown>>): ReportDefinition {
  if (!Check(DEFINITION, attributes)) throw new Error('An attribute of a report has an invalid value.');
  return attributes;
}

/** Picks the columns from a definition or a row. */
export function columnsOf<From extends Record<keyof ReportColumns, unknown>>(
  from: From,
): Pick<From, keyof ReportColumns>;
export function columnsOf(from: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.keys(REPORT_COLUMNS).map((name) => [name, from[name]]));
}
