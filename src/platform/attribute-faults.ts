import Type, { type TObject, type TSchema } from 'typebox';
import { Check } from 'typebox/schema';
import { expectation } from './expectation.ts';
import { type Faults, fault } from './fault.ts';
import { isObject, type JsonObject } from './json-object.ts';
import { nearestName } from './nearest-name.ts';

/** Validation stops after this many faults. An object can have 50,000 unknown attributes. */
export const faultsMax = 100;

/**
 * Validates attributes against a schema. Reports one fault for each attribute, in the order of the schema, with attributes
 * not in the schema last.
 * @param options.parents the names of the attributes that contain these
 * @param options.ofUnknown the message for unknown attributes; by default, a message that suggests a similar name
 * @returns the faults by path
 */
export function attributeFaults(
  schema: TObject,
  attributes: JsonObject,
  options: { readonly parents?: readonly string[]; readonly ofUnknown?: string } = {},
): Faults {
  const { parents = [], ofUnknown } = options;
  const faults: Faults = new Map();
  const report: Report = (name, message, remedy) => {
    const path = [...parents, name];
    if (message !== null) faults.set(path.join('/'), fault(path, message, remedy));
    return faults.size < faultsMax;
  };
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = attributes[name];
    const parts = partsOf(property);
    if (!Object.hasOwn(attributes, name)) {
      if (!Type.IsOptional(property)) report(name, "can't be blank");
    } else if (parts !== undefined && isObject(value)) {
      const inside = attributeFaults(parts, value, { parents: [...parents, name] });
      for (const [path, each] of inside) faults.set(path, each);
    } else {
      report(name, valueFault(property, value));
    }
  }
  reportOthers(schema, attributes, ofUnknown, report);
  return faults;
}

/** Records the fault of an attribute, if it has one. Returns false once there are `faultsMax`. */
type Report = (name: string, message: string | null, remedy?: string) => boolean;

/** Validates attributes that are not in the schema, until there are `faultsMax` faults. */
function reportOthers(schema: TObject, attributes: JsonObject, ofUnknown: string | undefined, report: Report): void {
  const ofOthers = schemaOfOthers(schema);
  const known = Object.keys(schema.properties);
  const validate = (name: string): boolean => {
    if (ofOthers !== null) return report(name, valueFault(ofOthers, attributes[name]));
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

/** Returns what is wrong with a value, worded to follow the attribute's name; null if it is valid. */
function valueFault(property: TSchema, value: unknown): string | null {
  if (!Check(property, value)) return expectation(property, value);
  const texts = Array.isArray(value) ? value : [value];
  // PostgreSQL cannot store NUL, and would store a lone surrogate as another character.
  const isText = texts.every((text) => typeof text !== 'string' || (!text.includes('\0') && text.isWellFormed()));
  return isText ? null : 'has invalid characters';
}
