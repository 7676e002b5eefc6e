import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { PAGE_CHANGES } from '../../src/domain/change.ts';
import { listPageChanges, NO_PAGES } from '../../src/store/diffs/page-changes.ts';
import { BY_URL } from '../../src/store/diffs/page-match.ts';
import { compareLaterReports } from '../../src/store/diffs/pending-insights.ts';
import { deleteReport } from '../../src/store/reports/deletion.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import { waitingForLocks } from '../helpers/locks.ts';
import { seedOccurrences } from '../helpers/seed-occurrences.ts';

const page = { url: 'https://example.com/', occurrences: [0, 3] } as const;

test('a list of changed pages that is replaced between storing and reading it is null, not empty', async () => {
  const api = await startApi();
  try {
    const store = { db: api.db, accountId: api.people.ownerId };
    const [withId, reportId] = [await seedOccurrences(store, [page]), await seedOccurrences(store, [page])];
    const { rows } = await sql<{ id: number }>`
      INSERT INTO diffs (report_id, with_id, is_previous, report_state, with_state)
      VALUES (${reportId}, ${withId}, true, now(), now()) RETURNING id`.execute(api.db);
    const diff = {
      id: rows[0]?.id ?? 0,
      reportId,
      withId,
      at: 'now',
      atBefore: 'now',
      match: BY_URL,
      earlier: [],
    } as const;
    const filter = { kinds: ['html'], changes: PAGE_CHANGES } as const;
    const list = () => listPageChanges(api.db, diff, filter, { number: 1, size: 10 });
    assert.deepEqual((await list())?.counts, NO_PAGES);
    await sql`DELETE FROM changed_pages`.execute(api.db);
    await sql
      .raw(
        `CREATE FUNCTION replace() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM diffs; RETURN NULL; END $$;
        CREATE TRIGGER replace AFTER INSERT ON changed_pages FOR EACH STATEMENT EXECUTE FUNCTION replace()`,
      )
      .execute(api.db);
    assert.equal(await list(), null);
  } finally {
    await api.close();
  }
});

describe('reports that are compared again are locked in the order of their ids, so that there are no deadlocks', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());

  for (const [name, ask] of [
    ['after a change', compareLaterReports],
    ['after a deletion', deleteReport],
  ] as const) {
    test(name, async () => {
      const store = { db: api.db, accountId: api.people.ownerId };
      const earlier = await seedOccurrences(store, [page]);
      const later = [await seedOccurrences(store, [page]), await seedOccurrences(store, [page])].toSorted();
      // Without a fixed order, they would be locked in the order of their diffs or of their rows.
      for (const id of later.toReversed()) {
        await sql`INSERT INTO diffs (report_id, with_id, is_previous, report_state, with_state)
          VALUES (${id}, ${earlier}, true, now(), now())`.execute(api.db);
      }
      await sql`UPDATE reports SET tags = '{moved}' WHERE id = ${later[0]}`.execute(api.db);
      const held = await api.db.transaction().execute(async (trx) => {
        await sql`SELECT FROM reports WHERE id = ${later[0]} FOR NO KEY UPDATE`.execute(trx);
        const asking = ask(api.db, earlier);
        asking.catch(() => undefined);
        await waitingForLocks(api.db, 1);
        await sql`SELECT FROM reports WHERE id = ${later[1]} FOR NO KEY UPDATE NOWAIT`.execute(trx);
        return { asking };
      });
      await held.asking;
      const pending = api.db.selectFrom('reports').select('insights_pending').where('id', 'in', later);
      assert.deepEqual(await pending.execute(), [{ insights_pending: true }, { insights_pending: true }]);
    });
  }
});
