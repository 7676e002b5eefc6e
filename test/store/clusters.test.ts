import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { IssueIdentity } from '../../src/domain/check.ts';
import { recheckMark } from '../../src/issues/diff-recheck.ts';
import { claimChecks } from '../../src/queue/claims.ts';
import { applyNextBatch, createMuting, deleteMuting } from '../../src/reports/apply-mutings.ts';
import { listClusters } from '../../src/store/issues/clusters.ts';
import { listCommonIssues, MUTED_CHOICES, type MutedChoice } from '../../src/store/issues/common-issues.ts';
import { listOccurrences, type OccurrenceFilter } from '../../src/store/issues/occurrence-list.ts';
import type { Occurrence } from '../../src/store/issues/occurrences.ts';
import { type IdentifiedIssue, packIssue, unpackOccurrences } from '../../src/store/issues/packed-issues.ts';
import type { rowsOf } from '../../src/store/listing.ts';
import { saveCheckResults } from '../../src/store/pages/check-results.ts';
import { recheckPage } from '../../src/store/rechecks/page-recheck.ts';
import { deletePage, deleteReport } from '../../src/store/reports/deletion.ts';
import { openTestStore } from '../helpers/crawler.ts';
import { refetch, reportWithPages, WORKER } from '../helpers/played-report.ts';
import { fc } from '../helpers/random.ts';

/** Clusters and occurrences are exact after every change of a report. */

const store = await openTestStore();
after(() => store.close());

const CLUSTERS = ['0000000000000001', '0100000000000000', 'aaaaaaaaaaaaaaaa'];
const KIND = { type: 'error', subType: null, ruleId: null, helpUrl: null, impact: null, tags: [] } as const;

/** An issue with occurrences in some clusters. */
const issue: fc.Arbitrary<IdentifiedIssue> = fc
  .record({
    message: fc.constantFrom('One', 'Two'),
    url: fc.constantFrom('http://site.test/0', 'http://site.test/frame'),
    clusters: fc.array(fc.constantFrom(...CLUSTERS), { minLength: 1, maxLength: 9 }),
  })
  .map(({ clusters, ...of }) => {
    const found = {
      ...KIND,
      ...of,
      howMany: clusters.length,
      occurrences: clusters.map((_, n) => ({ n })),
    };
    const identity: IssueIdentity = {
      kind: '00'.repeat(16),
      occurrences: Buffer.from(clusters.flatMap((_, n) => Array(16).fill(n))),
      clusters: Buffer.from(clusters.join(''), 'hex'),
      traces: Buffer.alloc(8 * clusters.length),
    };
    return { ...found, identity };
  });

type Step =
  | { readonly do: 'save'; readonly issues: readonly IdentifiedIssue[] }
  | { readonly do: 'recheck' | 'mute' | 'delete'; readonly which: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('save' as const), issues: fc.array(issue, { maxLength: 4 }) }) },
  { arbitrary: fc.record({ do: fc.constantFrom('recheck', 'mute', 'delete'), which: fc.nat(2) }), weight: 2 },
);

async function perform(action: Step, reportId: string, pageIds: readonly number[], count: number): Promise<void> {
  if (action.do === 'save') return save(reportId, action.issues);
  if (action.do === 'mute') return mute(`/${action.which}`);
  const page = pageIds[action.which] ?? 0;
  if (action.do === 'delete') return deletePage(store.db, reportId, page);
  await recheckPage(store.db, reportId, page);
  return refetch(store, reportId, count);
}

async function save(reportId: string, issues: readonly IdentifiedIssue[]): Promise<void> {
  const outcome = { issues: issues.map(packIssue) };
  const checks = await claimChecks(store.db, 'html', WORKER, 1);
  const results = checks.map(({ webPageId, claimId }) => ({ webPageId, claimId, outcome }));
  await saveCheckResults(store.db, reportId, 'html', results);
}

/** Mutes one of the messages on some pages. */
async function mute(urlMatch: string): Promise<void> {
  const rule = { account_id: store.accountId, url_match: urlMatch, message: 'one', comment: '', expires_at: null };
  await createMuting(store.db, rule);
  while (await applyNextBatch(store.db));
}

/** The occurrences of a common issue, counted by other means than the lists. */
async function occurrencesOf(commonIssueId: number, muted: MutedChoice): Promise<Occurrence[]> {
  const issues = await store.db
    .selectFrom('issues')
    .innerJoin('web_pages', 'web_pages.id', 'issues.web_page_id')
    .select([
      'issues.id',
      'issues.web_page_id',
      'web_pages.url',
      'issues.occurrences',
      'issues.clusters',
      'issues.fingerprints',
      'issues.new_occurrences',
      'issues.muted',
    ])
    .where('issues.common_issue_id', '=', commonIssueId)
    .$if(muted !== 'all', (rows) => rows.where('issues.muted', '=', muted === 'true'))
    .orderBy('issues.web_page_id')
    .orderBy('issues.position')
    .execute();
  return issues.flatMap(
    ({ id, web_page_id, url, occurrences, clusters, fingerprints, new_occurrences, muted: isMuted }) => {
      const found = unpackOccurrences(occurrences);
      assert(Array.isArray(found));
      return found.map((one, position) => {
        const cluster = clusters.toString('hex', 8 * position, 8 * position + 8);
        const fingerprint = fingerprints.toString('hex', 16 * position, 16 * position + 16);
        const recheck = isMuted ? null : recheckMark(new_occurrences, position);
        return {
          issue_id: id,
          position,
          web_page_id,
          url,
          muted: isMuted,
          cluster,
          fingerprint,
          recheck,
          decision: null,
          found: one,
        };
      });
    },
  );
}

async function assertExact(reportId: string, muted: MutedChoice): Promise<void> {
  const { db } = store;
  const commons = await listCommonIssues(db, reportId, 'html', { muted }, { number: 1, size: 10 });
  for (const common of commons.rows) {
    const counted = await occurrencesOf(common.id, muted);
    assert.equal(counted.length, common.how_many);
    const occurrences = (filter: Partial<OccurrenceFilter> = {}) =>
      all(5, (page) => listOccurrences(db, common, { muted, ...filter }, page));
    assert.deepEqual(await occurrences(), counted);
    assert.deepEqual(
      await occurrences({ url: 'TEST/1' }),
      counted.filter(({ url }) => url.includes('test/1')),
    );
    const clusters = await all(2, async (page) => {
      const list = await listClusters(db, { commonIssueId: common.id, muted }, page);
      assert.equal(list.unlisted, 0);
      return list;
    });
    const byCluster = Map.groupBy(counted, ({ cluster }) => cluster);
    const expected = [...byCluster].map(([id, of]) => {
      return {
        id,
        how_many: of.length,
        num_web_pages: new Set(of.map((occurrence) => occurrence.web_page_id)).size,
        sample: of[0],
      };
    });
    assert.deepEqual(
      clusters,
      expected.toSorted((a, b) => b.how_many - a.how_many),
    );
    for (const cluster of CLUSTERS) {
      assert.deepEqual(await occurrences({ cluster }), byCluster.get(cluster) ?? []);
      assert.deepEqual(
        await occurrences({ cluster, url: '/2' }),
        (byCluster.get(cluster) ?? []).filter(({ url }) => url.includes('/2')),
      );
    }
  }
}

/** Walks a list, and compares its length with its total. */
async function all<Row>(size: number, list: Parameters<typeof rowsOf<Row>>[0]): Promise<Row[]> {
  const rows: Row[] = [];
  for (let number = 1, total = 1; (number - 1) * size < total; number += 1) {
    const page = await list({ number, size });
    total = page.total;
    rows.push(...page.rows);
    assert.equal(page.rows.length, Math.max(0, Math.min(size, total - (number - 1) * size)));
  }
  return rows;
}

test('clusters and occurrences are exact while pages are checked, muted, checked again and deleted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
      const { reportId, pageIds } = await reportWithPages(store);
      for (const [count, action] of steps.entries()) {
        await perform(action, reportId, pageIds, count);
        for (const muted of MUTED_CHOICES) await assertExact(reportId, muted);
      }
      await deleteReport(store.db, reportId);
      const mutings = await store.db.selectFrom('mutings').select('id').execute();
      for (const { id } of mutings) await deleteMuting(store.db, id);
      while (await applyNextBatch(store.db));
    }),
    { numRuns: 4 },
  );
});
