import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { endpoint, NOTHING } from '../../src/api/http/endpoint.ts';

test('an endpoint whose path names something says who may access it', () => {
  const spec = {
    method: 'GET',
    summary: '',
    description: '',
    answers: NOTHING,
    answer: async () => undefined,
  } as const;
  const params = Type.Object({ id: Type.String() });
  const path = '/things/{id}';
  assert.throws(() => endpoint({ ...spec, path, params }), /who may access/);
  assert.throws(() => endpoint({ ...spec, path, subject: async () => null }), /no parameters/);
  assert.equal(endpoint({ ...spec, path, params, subject: async () => null }).path, path);
  assert.equal(endpoint({ ...spec, path: '/things' }).path, '/things');
});
