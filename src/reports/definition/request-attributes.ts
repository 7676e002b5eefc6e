import Type, { type TSchema } from 'typebox';
import { REPORT_ATTRIBUTES } from '../../checks/check-attributes.ts';
import type { ReportAttribute } from '../../domain/report-attributes.ts';
import { ADDITIVE, PRO } from '../../domain/schemas.ts';
import { NOTATIONS } from './notations.ts';
import { SITE_ACCESS_ATTRIBUTES } from './site-access-attributes.ts';

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
