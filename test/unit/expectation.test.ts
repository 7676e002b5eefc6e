import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { UUID, UUID_EXAMPLE } from '../../src/domain/schemas.ts';
import { expectation } from '../../src/platform/expectation.ts';

test('a message says what a value must be', () => {
  for (const [schema, expected] of [
    [Type.String(), 'must be a string'],
    [Type.String({ maxLength: 200 }), 'must be a string of at most 200 characters'],
    [Type.String({ minLength: 1, maxLength: 200 }), 'must be a string of 1 to 200 characters'],
    [UUID, `must be a string such as ${UUID_EXAMPLE}`],
    [Type.Array(Type.String()), 'must be an array of strings'],
    [Type.Array(Type.String(), { minItems: 1 }), 'must be an array of at least 1 strings'],
    [Type.Array(Type.String(), { minItems: 1, maxItems: 9 }), 'must be an array of 1 to 9 strings'],
    [Type.Enum(['a', 'b', '']), 'must be one of a, b'],
    [Type.Integer({ minimum: 1 }), 'must be a whole number of at least 1'],
  ] as const) {
    assert.equal(expectation(schema, undefined), expected);
  }
});
