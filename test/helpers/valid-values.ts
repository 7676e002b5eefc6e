import type { JsonSchema } from '../../src/api/openapi/openapi.ts';
import { fc } from './random.ts';

/** Valid values for schemas of the OpenAPI document. */

/** Attributes whose valid values the schema does not describe. */
const NOT_TOLD = ['device_id', 'site_id'];

export function validAttributes(schema: JsonSchema): fc.Arbitrary<Record<string, unknown>> {
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) => !NOT_TOLD.includes(name));
  const record = fc.record(Object.fromEntries(properties.map(([name, property]) => [name, validValue(property)])), {
    requiredKeys: schema.required === undefined ? [] : [...schema.required],
  });
  return record.map((attributes) => fitting(signingInAnew(attributes, schema)));
}

/** What signs in to a site is not kept when the site becomes another one, so it is given together with the starting URL. */
function signingInAnew(attributes: Record<string, unknown>, schema: JsonSchema): Record<string, unknown> {
  if (attributes['starting_url'] === undefined || schema.properties?.['basic_auth'] === undefined) return attributes;
  return { basic_auth: null, headers: null, cookies: null, ...attributes };
}

/** Attributes that satisfy the rules between them, which schemas do not describe. */
function fitting(attributes: Record<string, unknown>): Record<string, unknown> {
  const { perform_html_checks: html, perform_a11y_checks: a11y, every, weekday, monthday } = attributes;
  // At least one check must stay enabled after earlier changes.
  if (html === false) return { ...attributes, perform_a11y_checks: true };
  if (a11y === false) return { ...attributes, perform_html_checks: true };
  // A day requires its period.
  if (every === undefined) return attributes;
  return {
    every,
    weekday: every === 'week' ? (weekday ?? null) : null,
    monthday: every === 'month' ? (monthday ?? null) : null,
  };
}

/** A valid value for the schema. Texts with a format are taken from the schema's examples. */
function validValue(schema: JsonSchema): fc.Arbitrary<unknown> {
  const { examples, anyOf, enum: values, minimum = 0, maximum = minimum + 99 } = schema;
  if (examples !== undefined) return fc.constantFrom(...examples);
  if (values !== undefined) return fc.constantFrom(...values);
  if ('const' in schema) return fc.constant(schema.const);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map(validValue));
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern));
  if (schema.items !== undefined) return fc.array(validValue(schema.items), { maxLength: 3 });
  if (schema.properties !== undefined) return validAttributes(schema);
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'null') return fc.constant(null);
  if (schema.type === 'string') return fc.constantFrom('text', 'Two words', 'ünïcödé 🙂');
  return fc.integer({ min: minimum, max: maximum });
}

export function validText(schema: JsonSchema): fc.Arbitrary<string> {
  return validValue(schema).map((value) => encodeURIComponent(String(value)));
}
