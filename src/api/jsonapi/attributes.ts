import type { Static, TObject } from 'typebox';
import { Check } from 'typebox/schema';
import { attributeFaults } from '../../platform/attribute-faults.ts';
import { AppError, type ErrorCode } from '../../platform/errors.ts';
import type { Parsed } from '../../platform/fault.ts';
import { isObject, type JsonObject } from '../../platform/json-object.ts';
import { invalid, RequestError } from './errors.ts';

export type Attributes = JsonObject;

/** What the type and id in a body must be, if given. */
export interface EnvelopeRules {
  /** The resource's type in the singular; the plural is accepted too, since client libraries send both. */
  readonly type: string;
  /** The id in the path; null for a new resource. */
  readonly id: string | null;
}

/**
 * Returns the object at `data.attributes`.
 * @param body the parsed body; undefined if there was none
 * @throws AppError invalid_json if there was no body, invalid_request if it has no such object, conflict if the type or id
 *   does not match
 */
export function attributesOf(body: unknown, rules: EnvelopeRules): Attributes {
  if (body === undefined) throw new AppError('invalid_json', 'The body is empty. It must be JSON.');
  const data = isObject(body) ? body['data'] : undefined;
  const attributes = isObject(data) ? data['attributes'] : undefined;
  if (!isObject(data) || !isObject(attributes)) {
    const pointer = isObject(data) ? '/data/attributes' : '/data';
    throw envelopeError(
      'invalid_request',
      pointer,
      'must be an object',
      'The body must have an object at data.attributes.',
    );
  }
  const { type, id } = data;
  if (type !== undefined && type !== rules.type && type !== `${rules.type}s`) {
    throw envelopeError('conflict', '/data/type', `must be ${rules.type}`, `The type must be ${rules.type}.`);
  }
  const given = typeof id === 'number' ? String(id) : id;
  const isSame = typeof given === 'string' && given.toLowerCase() === rules.id?.toLowerCase();
  if (rules.id !== null && given !== undefined && !isSame) {
    throw envelopeError(
      'conflict',
      '/data/id',
      'must match the path',
      'The id in the body does not match the id in the path.',
    );
  }
  return attributes;
}

function envelopeError(code: ErrorCode, pointer: string, title: string, detail: string): RequestError {
  return new RequestError(code, [{ title, detail, source: { pointer } }]);
}

/**
 * Validates attributes and returns them typed.
 * @throws RequestError invalid, with every problem
 */
export function readAttributes<Schema extends TObject>(
  schema: Schema,
  attributes: Attributes,
  options?: { readonly ofUnknown: string },
): Static<Schema> {
  const faults = attributeFaults(schema, attributes, options);
  if (faults.size > 0) throw invalid([...faults.values()]);
  if (!Check(schema, attributes)) throw new Error('Attributes passed their parts and failed as a whole.');
  return attributes;
}

/**
 * Validates the attributes of a change to a resource. Only attributes in the schema can be changed.
 * @throws RequestError invalid, with every problem
 */
export function readChanges<Schema extends TObject>(schema: Schema, attributes: Attributes): Static<Schema> {
  const names = new Intl.ListFormat('en-GB').format(Object.keys(schema.properties));
  return readAttributes(schema, attributes, { ofUnknown: `cannot be changed: only ${names} can` });
}

/**
 * Returns the value that was parsed.
 * @throws RequestError invalid, with every fault
 */
export function valueIn<T>(parsed: Parsed<T>): T {
  if ('faults' in parsed) throw invalid(parsed.faults);
  return parsed.value;
}
