import Type, { type TSchema } from 'typebox';
import { PERFORMED_CHECKS, REPORT_ATTRIBUTES, STORED_RAW_CHECKS, shownKinds } from '../../checks/check-attributes.ts';
import type { CheckKind } from '../../domain/check.ts';
import {
  REPORT_COLUMNS,
  type ReportAttribute,
  type ReportAttributes,
  schemasOf,
} from '../../domain/report-attributes.ts';
import { columnsOf, type ReportColumns } from '../../domain/report-definition.ts';
import { ADDITIVE, PRO } from '../../domain/schemas.ts';
import { NOTATIONS } from './notations.ts';
import { SITE_ACCESS_ATTRIBUTES } from './site-access-attributes.ts';

// The device is shown as a relationship.
const { device_id: _, ...SHOWN_COLUMNS } = schemasOf(REPORT_COLUMNS);

/** The attributes of their definition that reports and schedules show (docs/contract/resources.md). */
export const SHOWN_DEFINITION = { ...SHOWN_COLUMNS, ...shownSchemas(PERFORMED_CHECKS) };

/** Renders `SHOWN_DEFINITION`. @param checks the kinds of checks that the viewer can see */
export function definitionAttributes(of: ReportColumns, checks: readonly CheckKind[]) {
  const { device_id: _, ...columns } = columnsOf(of);
  return { ...columns, ...shownKinds('perform', checks) };
}

/** Attributes that schedules show in addition to the contract, so that they can be changed. */
export const SHOWN_RAW_CHECKS = shownSchemas(STORED_RAW_CHECKS, ADDITIVE);

/** Returns the schemas of engines' attributes, which responses omit if an additive engine is off. */
function shownSchemas(attributes: ReportAttributes, marks?: object): Record<string, TSchema> {
  const schemas = Object.entries(schemasOf(attributes, marks));
  return Object.fromEntries(
    schemas.map(([name, schema]) => [name, attributes[name]?.isAdditive ? Type.Optional(schema) : schema]),
  );
}

/**
 * Returns the schemas of a report's definition in requests (docs/contract/resources.md).
 * @param defaults overrides of the defaults in the table
 */
export function requestAttributes(defaults: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, TSchema>> {
  const attributes = Object.entries(REPORT_ATTRIBUTES).map(([name, attribute]) => [
    name,
    givenSchema(attribute, defaults[name] ?? attribute.default),
  ]);
  return { ...Object.fromEntries(attributes), ...SITE_ACCESS_ATTRIBUTES };
}

function givenSchema(attribute: ReportAttribute, preset: unknown): TSchema {
  const { schema, about, isRequired, isPro, isAdditive } = attribute;
  const notation = attribute.notation && NOTATIONS[attribute.notation];
  const examples = (attribute.examples ?? []).flatMap((example) => notation?.examplesOf?.(example) ?? []);
  const described = Type.With(notation?.schema ?? schema, {
    description: notation === undefined ? about : `${about} ${notation.about}`,
    ...(isRequired ? {} : { default: notation?.default ?? preset }),
    ...(examples.length > 0 && { examples }),
    ...(isPro && PRO),
    ...(isAdditive && ADDITIVE),
  });
  return isRequired ? described : Type.Optional(described);
}
