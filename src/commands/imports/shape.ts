import { isObject } from '../../platform/json-object.ts';
import type { ValuePath } from '../configuration-file/read-yaml.ts';
import { shown } from './imported.ts';

/**
 * The required form of a value in the configuration of another tool. Tools ignore keys that they do not know, so these may have
 * any value.
 */
export interface Shape {
  /** Worded to follow `must be`. */
  readonly words: string;
  is(value: unknown): boolean;
  /** The forms of individual keys of an object. */
  readonly parts?: Readonly<Record<string, Shape>>;
  /** The form of each item of a list, or each value of an object. */
  readonly each?: Shape;
  /** Whether the value may be secret, so that messages do not repeat it. */
  readonly isSecret?: boolean;
}

export interface ShapeProblem {
  readonly path: ValuePath;
  readonly text: string;
}

export const TEXT: Shape = { words: 'a string', is: (value) => typeof value === 'string' };
export const FLAG: Shape = { words: 'true or false', is: (value) => typeof value === 'boolean' };
export const COUNT: Shape = {
  words: 'a whole number of at least 0',
  is: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
};
export const TEXTS: Shape = {
  words: 'a string or a list of strings',
  is: (value) => [value].flat().every((item) => typeof item === 'string'),
};

export function objectOf(parts: Readonly<Record<string, Shape>>): Shape {
  return { words: 'an object', is: isObject, parts };
}

/** Returns every invalid value, with its path. */
export function shapeProblems(value: unknown, shape: Shape, path: ValuePath = []): readonly ShapeProblem[] {
  if (!shape.is(value)) {
    const what = path.length === 0 ? 'The file' : path.join('.');
    const given = shape.isSecret === true ? '' : `, not ${shown(value)}`;
    return [{ path, text: `${what} must be ${shape.words}${given}.` }];
  }
  const { parts = {}, each } = shape;
  const items: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(isObject(value) ? value : {});
  return items.flatMap(([key, item]) => {
    const of = Object.hasOwn(parts, key) ? parts[key] : each;
    return of === undefined ? [] : shapeProblems(item, of, [...path, key]);
  });
}
