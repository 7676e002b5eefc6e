import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Type from 'typebox';
import { REPORT_COLUMNS } from '../../src/domain/report-attributes.ts';
import { openTestStore, type TestStore } from '../helpers/crawler.ts';

let store: TestStore;
before(async () => {
  store = await openTestStore();
});
after(() => store?.close());

test('every attribute of reports has a column of its name that accepts its values', async () => {
  const tables = await store.db.introspection.getTables();
  const columns = tables.find(({ name }) => name === 'reports')?.columns ?? [];
  const expected = Object.entries(REPORT_COLUMNS).map(([name, { schema }]) => ({ name, ...columnOf(schema) }));
  const actual = expected.map(({ name }) => {
    const column = columns.find((candidate) => candidate.name === name);
    const type = column?.dataType === 'uuid' ? 'text' : column?.dataType;
    return { name, type, isNullable: column?.isNullable };
  });
  assert.deepEqual(actual, expected);
});

function columnOf(schema: Type.TSchema): { type: string; isNullable: boolean } {
  if (Type.IsBoolean(schema)) return { type: 'bool', isNullable: false };
  if (Type.IsInteger(schema)) return { type: 'int4', isNullable: false };
  if (Type.IsArray(schema) && Type.IsObject(schema.items)) return { type: 'jsonb', isNullable: false };
  if (Type.IsArray(schema)) return { type: '_text', isNullable: false };
  return { type: 'text', isNullable: Type.IsUnion(schema) };
}
