import { sql } from 'kysely';
import { CLUSTER_BYTES, TRACE_BYTES, TRACE_PATH_BYTES } from '../../issues/identity.ts';
import type { Executor } from '../database.ts';
import type { Fix } from '../schema.ts';

/** Pages of an issue type that are compared, and occurrences on each: if rows of a list differ, the first few do. */
const PAGES_MAX = 20;
const OCCURRENCES_MAX = 100;

/** The trace of an element that is not in the source of its page. */
const NOT_IN_SOURCE = '\0'.repeat(TRACE_BYTES);

/** The columns of a fix, whose occurrences may have different markup. */
type Compared = Pick<Fix, 'common_issue_id' | 'cluster' | 'cause' | 'how_many'>;

/**
 * Returns a function that says whether the occurrences of a fix differ in their tags or texts, so that the markup of the first is
 * an example. Elements that are not in the source of their page are not compared.
 */
export async function findDifferingMarkup(
  db: Executor,
  fixes: readonly Compared[],
): Promise<(fix: Compared) => boolean> {
  const wanted = fixes.filter(({ cause, how_many: howMany }) => cause === null && howMany > 1);
  if (wanted.length === 0) return () => false;
  const commonIds = [...new Set(wanted.map(({ common_issue_id: id }) => id))];
  const { rows } = await sql<{ id: number; clusters: Buffer; traces: Buffer }>`
    SELECT c.id, i.clusters, i.traces FROM unnest(${commonIds}::bigint[]) AS c (id)
    CROSS JOIN LATERAL (
      SELECT substr(clusters, 1, ${OCCURRENCES_MAX * CLUSTER_BYTES}) AS clusters, substr(traces, 1, ${OCCURRENCES_MAX * TRACE_BYTES}) AS traces
      FROM issues WHERE common_issue_id = c.id AND NOT muted ORDER BY web_page_id, position LIMIT ${PAGES_MAX}) i`.execute(
    db,
  );
  /** The first tag and text in each cluster; null once different ones are found. */
  const markup = new Map<string, string | null>();
  for (const { id, clusters, traces } of rows) {
    for (let at = 0; at < clusters.length / CLUSTER_BYTES; at += 1) {
      const trace = traces.toString('latin1', at * TRACE_BYTES, (at + 1) * TRACE_BYTES);
      if (trace === NOT_IN_SOURCE) continue;
      const key = keyOf(id, clusters.subarray(at * CLUSTER_BYTES, (at + 1) * CLUSTER_BYTES));
      const own = trace.slice(TRACE_PATH_BYTES);
      if (markup.getOrInsert(key, own) !== own) markup.set(key, null);
    }
  }
  return ({ common_issue_id: id, cluster, cause }) => cause === null && markup.get(keyOf(id, cluster)) === null;
}

function keyOf(commonIssueId: number, cluster: Buffer): string {
  return `${commonIssueId} ${cluster.toString('latin1')}`;
}
