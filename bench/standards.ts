/**
 * Measures how long it takes to measure a finished report by another standard.
 *
 *   npm run bench:standards -- [--scale S] [--rounds N] [--directory DIR]
 *
 * Scale 0.1 is a report of 10,020 pages with 11 issue types on each. With `--directory`, the database is kept and used by the
 * next run.
 */
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import type { Measure } from '../packages/client/standards.ts';
import { measureReport } from '../src/store/reports/measure.ts';
import { openSeededService } from './seeded-service.ts';

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '0.1' },
    rounds: { type: 'string', default: '5' },
    directory: { type: 'string' },
  },
});
const {
  app,
  values: ids,
  close,
} = await openSeededService(values.directory, {
  scale: Number(values.scale),
  largest: 1,
});
const reportId = ids['report_id'] ?? '';
// A third of the rules are best practices, a third belong to WCAG 2.0 A, and a third to WCAG 2.2 AA.
await sql`UPDATE common_issues SET tags = (ARRAY['{best-practice}', '{wcag2a}', '{wcag22aa}']::text[])[1 + id % 3]::text[]
  WHERE report_id = ${reportId} AND kind = 'a11y'`.execute(app.db);
const steps: readonly Measure[] = [
  { standard: 'wcag20-a', best_practices: false },
  { standard: 'wcag22-aa', best_practices: false },
  { standard: 'wcag22-aa', best_practices: true },
  { standard: null, best_practices: false },
];
const { numPages, numIssues } = await app.db
  .selectNoFrom([
    sql<number>`(SELECT num_pages FROM reports WHERE id = ${reportId})`.as('numPages'),
    sql<number>`(SELECT count(*) FROM issues WHERE report_id = ${reportId})`.as('numIssues'),
  ])
  .executeTakeFirstOrThrow();
console.log(`${numPages} pages, ${numIssues} issues`);
const times = new Map<string, number[]>(steps.map((step) => [JSON.stringify(step), []]));
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const step of steps) {
    const started = performance.now();
    await measureReport(app.db, reportId, step);
    times.get(JSON.stringify(step))?.push(performance.now() - started);
  }
}
for (const [step, all] of times) {
  const sorted = all.toSorted((a, b) => a - b);
  console.log(`${(sorted[Math.floor(sorted.length / 2)] ?? 0).toFixed(0).padStart(6)} ms (median)  ${step}`);
}
await close();
