import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { Check } from 'typebox/schema';
import { AppError, type ErrorCode } from '../../platform/errors.ts';
import { isObject, type JsonObject } from '../../platform/json-object.ts';
import { nearestName } from '../../platform/nearest-name.ts';
import { attributeProblem, errorsMax, type Problem, RequestError } from './errors.ts';
import { expectation } from './expectation.ts';

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
 * Validates attributes against a schema. Reports one problem for each attribute, in the order of the schema, with attributes
 * not in the schema last.
 * @param options.parents the names of the attributes that contain these
 * @param options.ofUnknown the message for unknown attributes; by default, a message that suggests a similar name
 * @returns the problems by name, or by path for nested attributes: `periodicity/every`
 */
export function attributeProblems(
  schema: TObject,
  attributes: Attributes,
  options: { readonly parents?: readonly string[]; readonly ofUnknown?: string } = {},
): Map<string, Problem> {
  const { parents = [], ofUnknown } = options;
  const problems = new Map<string, Problem>();
  const report: Report = (name, title, remedy) => {
    const path = [...parents, name];
    if (title !== null) problems.set(path.join('/'), attributeProblem(path, title, remedy));
    return problems.size < errorsMax;
  };
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = attributes[name];
    const parts = partsOf(property);
    if (!Object.hasOwn(attributes, name)) {
      if (!Type.IsOptional(property)) report(name, "can't be blank");
    } else if (parts !== undefined && isObject(value)) {
      const inside = attributeProblems(parts, value, { parents: [...parents, name] });
      for (const [path, problem] of inside) problems.set(path, problem);
    } else {
      report(name, valueProblem(property, value));
    }
  }
  reportOthers(schema, attributes, ofUnknown, report);
  return problems;
}

/** Records the problem of an attribute, if it has one. Returns false once there are `errorsMax` problems. */
type Report = (name: string, title: string | null, remedy?: string) => boolean;

/** Validates attributes that are not in the schema, until there are `errorsMax` problems. */
function reportOthers(schema: TObject, attributes: Attributes, ofUnknown: string | undefined, report: Report): void {
  const ofOthers = schemaOfOthers(schema);
  const known = Object.keys(schema.properties);
  const validate = (name: string): boolean => {
    if (ofOthers !== null) return report(name, valueProblem(ofOthers, attributes[name]));
    if (ofUnknown !== undefined) return report(name, ofUnknown);
    const nearest = nearestName(name, known);
    return report(name, 'is not a known attribute', nearest === null ? undefined : `did you mean ${nearest}?`);
  };
  for (const name of Object.keys(attributes)) {
    if (!known.includes(name) && !validate(name)) return;
  }
}

/** Returns the schema of values under arbitrary names; null if the object allows none. */
function schemaOfOthers(schema: TObject): TSchema | null {
  const others = 'additionalProperties' in schema ? schema.additionalProperties : null;
  return Type.IsSchema(others) ? others : null;
}

/** Returns the object schema of an attribute that can be an object. */
function partsOf(property: TSchema): TObject | undefined {
  if (Type.IsObject(property)) return property;
  return Type.IsUnion(property) ? property.anyOf.find((member) => Type.IsObject(member)) : undefined;
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
  const problems = attributeProblems(schema, attributes, options);
  if (problems.size > 0) throw new RequestError('invalid', [...problems.values()]);
  if (!Check(schema, attributes)) throw new Error('Attributes passed their parts and failed as a whole.');
  return attributes;
}

/**
 * Validates the attributes of a change to a resource. Only those in the schema can be changed.
 * @throws RequestError invalid, with every problem
 */
export function readChanges<Schema extends TObject>(schema: Schema, attributes: Attributes): Static<Schema> {
  const names = Object.keys(schema.properties).join(' and ');
  return readAttributes(schema, attributes, { ofUnknown: `cannot be changed: only ${names} can` });
}

/** Returns what is wrong with a value, worded to follow the attribute's name; null if it is valid. */
function valueProblem(property: TSchema, value: unknown): string | null {
  if (!Check(property, value)) return expectation(property, value);
  const texts = Array.isArray(value) ? value : [value];
  // PostgreSQL cannot store NUL, and would store a lone surrogate as another character.
  const isText = texts.every((text) => typeof text !== 'string' || (!text.includes('\0') && text.isWellFormed()));
  return isText ? null : 'has invalid characters';
}
