import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import { REPORT_COLUMNS, schemasOf } from './report-attributes.ts';

const COLUMNS = schemasOf(REPORT_COLUMNS);
const KINDS = Type.Immutable(Type.Array(Type.String()));
const DEFINITION = Type.Object({
  ...COLUMNS,
  /** The kinds of checks that pages get. */
  checks: KINDS,
  /** Those whose raw output is kept, too. */
  store_raw_checks: KINDS,
});

/** What a report is made of, parsed and normalised: URLs as the URL Standard serialises them, without fragment. */
export type ReportDefinition = Static<typeof DEFINITION>;

/** The part of it that is columns of `reports`. */
export type ReportColumns = Pick<ReportDefinition, keyof typeof COLUMNS>;

/** The default of every attribute. Which checks are on by default is for the check engines to say. */
export const DEFAULT_DEFINITION = asDefinition({
  ...Object.fromEntries(Object.entries(REPORT_COLUMNS).map(([name, attribute]) => [name, attribute.default])),
  checks: [],
  store_raw_checks: [],
});

/**
 * A definition that was put together attribute by attribute.
 * @throws Error when an attribute is missing or has a value that its schema does not allow
 */
export function asDefinition(attributes: Readonly<Record<string, unknown>>): ReportDefinition {
  if (!Value.Check(DEFINITION, attributes)) throw new Error('An attribute of a report has a wrong value.');
  return attributes;
}

/** The columns of a definition or of a row, without what else there is. */
export function columnsOf(from: ReportColumns): ReportColumns;
export function columnsOf(from: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.keys(REPORT_COLUMNS).map((name) => [name, from[name]]));
}
