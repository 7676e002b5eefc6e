import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CompiledQuery, createQueryId, type KyselyPlugin, type RootOperationNode, sql } from 'kysely';
import { listCases } from '../../bench/list-cases.ts';
import { createAccount } from '../../src/accounts/accounts.ts';
import { startApi, type TestApi, testServer } from '../helpers/api.ts';
import { seedOneOfEach, type Values } from '../helpers/one-of-each.ts';

/** Other accounts with resources, so that scanning a whole table touches more rows than a look-up. */
const OTHERS = 12;

/**
 * No list scans a whole table or index: every statement of every list finds its rows in every
 * table by an index condition. `npm run bench:lists` measures the time.
 */

describe('query plans of lists', () => {
  let api: TestApi;
  let values: Values;
  let statements: RootOperationNode[] = [];

  before(async () => {
    api = await startApi();
    for (let other = 1; other <= OTHERS; other += 1) {
      const { id } = await createAccount(api.db, { email: `other-${other}@example.com` });
      await seedOneOfEach(api.db, { accountId: id });
    }
    values = await seedOneOfEach(api.db, { accountId: api.people.ownerId });
    // As if every muting matched, or had matched, something in every report.
    await sql`INSERT INTO report_mutings SELECT r.id, m.id, 1 FROM reports r CROSS JOIN mutings m`.execute(api.db);
    // As if every report had been compared with itself.
    await sql`INSERT INTO diffs (report_id, with_id, is_previous, report_state, with_state)
      SELECT id, id, true, updated_at, updated_at FROM reports`.execute(api.db);
    // As if every page had been re-checked.
    await sql`INSERT INTO pages_before_recheck SELECT id, status, http_status, document_hash, content_type FROM web_pages`.execute(
      api.db,
    );
    await sql`INSERT INTO checks_before_recheck SELECT web_page_id, kind, status, error, engine_version, resources FROM checks`.execute(
      api.db,
    );
    // As if every page were a mark of a journey.
    await sql`UPDATE web_pages SET reached_url = url`.execute(api.db);
    await sql`UPDATE schedules SET periodicity = '{"every":"day"}', next_run_at = now()`.execute(api.db);
    await sql`ANALYZE`.execute(api.db);
  });
  after(() => api.close());

  test('use an index for every table', async () => {
    const recorder: KyselyPlugin = {
      transformQuery({ node }) {
        statements.push(node);
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const server = testServer(api.db.withPlugin(recorder), {});
    // Lists of operators are of the whole installation.
    const cases = listCases(values).filter(({ path }) => !path.startsWith('/operator/'));
    assert.ok(cases.length > 100);
    const walks = new Set<string>();
    const { owner, free } = api.people;
    // Without a Pro plan, other totals are added up.
    const requests = [...cases.map(({ path }) => ({ path, token: owner })), { path: '/sites', token: free }];
    for (const { path, token } of requests) {
      statements = [];
      const headers = { authorization: `Bearer ${token}` };
      const answer = await server.inject({ method: 'GET', url: `/api/v1${path}`, headers });
      assert.equal(answer.statusCode, 200, `${path} ${answer.body}`);
      assert.ok(statements.length > 0, path);
      for (const plan of await plansOf(statements)) {
        for (const walk of walksIn(plan)) walks.add(`${path}: ${walk}`);
      }
    }
    await server.close();
    assert.deepEqual([...walks], []);
  });

  test("use neither JIT compilation nor parallel workers, regardless of the server's settings", async () => {
    const { rows } = await sql`
      SELECT current_setting('jit') AS jit, current_setting('max_parallel_workers_per_gather') AS helpers`.execute(
      api.db,
    );
    assert.deepEqual(rows, [{ jit: 'off', helpers: '0' }]);
  });

  test('cover every plan node', async () => {
    const table = sql`SELECT * FROM web_pages WHERE title = 'x' ORDER BY id`.toOperationNode();
    const [plan] = await plansOf([table]);
    assert.equal(plan && walksIn(plan).length, 1);
  });

  /** Query plans for expensive rows, as in large tables, although these tables are small. */
  async function plansOf(nodes: readonly RootOperationNode[]): Promise<Plan[]> {
    return api.db.connection().execute(async (connection) => {
      const settings = ['enable_seqscan', 'cpu_tuple_cost', 'cpu_index_tuple_cost'] as const;
      await sql`SET enable_seqscan = off`.execute(connection);
      await sql`SET cpu_tuple_cost = 10`.execute(connection);
      await sql`SET cpu_index_tuple_cost = 10`.execute(connection);
      const plans: Plan[] = [];
      for (const node of nodes) {
        const { sql: text, parameters } = connection.getExecutor().compileQuery(node, createQueryId());
        if (!/^\s*(?:select|with)\b/i.test(text)) continue;
        const explain = CompiledQuery.raw(`EXPLAIN (FORMAT JSON) ${text}`, [...parameters]);
        const { rows } = await connection.executeQuery<{ 'QUERY PLAN': { Plan: Plan }[] }>(explain);
        plans.push(...(rows[0]?.['QUERY PLAN'] ?? []).map((row) => row.Plan));
      }
      for (const setting of settings) await sql`RESET ${sql.ref(setting)}`.execute(connection);
      return plans;
    });
  }
});

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Plan[];
}

/** The parts of a plan that scan a whole table or index. */
function walksIn(plan: Plan): string[] {
  const type = plan['Node Type'];
  const isWalk = type === 'Seq Scan' || (/Index (Only )?Scan/.test(type) && plan['Index Cond'] === undefined);
  const own = isWalk ? [`${type} ${plan['Relation Name'] ?? ''} ${plan['Index Name'] ?? ''}`.trim()] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(walksIn)];
}
