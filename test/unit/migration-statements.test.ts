import assert from 'node:assert/strict';
import { test } from 'node:test';
import { locksOf, runsConcurrently, statementsIn } from '../../src/store/migration-statements.ts';

test('statements end at semicolons outside of texts, comments and bodies', () => {
  const text = `-- First; with a comment.
    INSERT INTO a (b) VALUES ('it''s; one'); /* none; */
    CREATE FUNCTION c() RETURNS void LANGUAGE sql AS $body$ SELECT 1; $body$;
    COMMENT ON TABLE "odd;name" IS 'x'`;
  assert.deepEqual(statementsIn(text), [
    "INSERT INTO a (b) VALUES ('it''s; one')",
    'CREATE FUNCTION c() RETURNS void LANGUAGE sql AS $body$ SELECT 1; $body$',
    `COMMENT ON TABLE "odd;name" IS 'x'`,
  ]);
  assert.equal(runsConcurrently('DROP INDEX CONCURRENTLY IF EXISTS a; CREATE INDEX CONCURRENTLY a ON b (c)'), true);
  assert.equal(runsConcurrently("SELECT 'CREATE INDEX CONCURRENTLY'"), false);
});

for (const [statement, ...locks] of [
  ['CREATE TABLE a (b uuid REFERENCES c (id))', 'c writes'],
  ['ALTER TABLE IF EXISTS a ADD COLUMN b uuid REFERENCES c', 'a reads and writes', 'c writes'],
  ['ALTER TABLE a VALIDATE CONSTRAINT b'],
  ['CREATE UNIQUE INDEX b ON a (c)', 'a writes'],
  ['CREATE INDEX CONCURRENTLY b ON a (c)'],
  ['CREATE TRIGGER b AFTER INSERT ON a FOR EACH ROW EXECUTE FUNCTION c()', 'a writes'],
  ['UPDATE a SET b = 1', 'a changed rows'],
  ['TRUNCATE a', 'a reads and writes'],
  ['CREATE FUNCTION a() RETURNS void LANGUAGE sql AS $$ SELECT 1 $$'],
] as const) {
  test(`locks of: ${statement}`, () => {
    assert.deepEqual(
      locksOf(statement).map(({ table, blocks }) => `${table} ${blocks}`),
      locks,
    );
  });
}
