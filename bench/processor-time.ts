/**
 * Measures the processor time that a page of a report takes in each process, which other work on the machine hardly affects, and
 * the statements that it sends to the database.
 *
 *   npm run bench:processor -- [--directory DIR] [--every N] [--rounds N] [--checks html,a11y] [--results FILE] [--profile DIR]
 *
 * `--results` writes all issues to a file, to compare two versions; `--profile` writes a processor profile of each report.
 */
import { writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import type { CheckKind } from '../src/domain/check.ts';
import { unpackOccurrences } from '../src/store/issues/packed-issues.ts';
import { corpusOf, serveCorpus } from './corpus.ts';
import { processorTimes } from './cpu-time.ts';
import { openBenchApp } from './whole-report.ts';

const { values } = parseArgs({
  options: {
    directory: { type: 'string' },
    every: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    checks: { type: 'string', default: 'html' },
    results: { type: 'string' },
    profile: { type: 'string' },
  },
});
const corpus = await corpusOf(values.directory, Number(values.every));
const count = corpus.pages.length;
const checks = values.checks.split(',') as CheckKind[];
console.log(`${corpus.name}: ${count} pages, mean ${Math.round(corpus.bytes / count / 1_000)} kB, ${checks}`);
const site = await serveCorpus(corpus);
const { origin, urls } = site;

let statements = 0;
const { query } = pg.Client.prototype;
Object.assign(pg.Client.prototype, {
  query(...parameters: Parameters<typeof query>) {
    statements += 1;
    return Reflect.apply(query, this, parameters);
  },
});

const app = await openBenchApp();
const session = new Session();
session.connect();
for (let round = 1; round <= Number(values.rounds); round += 1) {
  const before = processorTimes(app.dataDir);
  statements = 0;
  if (values.profile !== undefined) {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
  }
  const seconds = await app.report(urls, { checks, reuse: false });
  if (values.profile !== undefined) {
    const { profile } = await session.post('Profiler.stop');
    await writeFile(join(values.profile, `round-${round}.cpuprofile`), JSON.stringify(profile));
  }
  const after = processorTimes(app.dataDir);
  const times = Object.entries(after).map(
    ([name, time]) => `${name} ${((time - (before[name] ?? 0)) / count).toFixed(2)}`,
  );
  const rate = `${(count / seconds).toFixed(2)} pages/s, ${(statements / count).toFixed(2)} statements`;
  console.log(`  round ${round}: ms of processor time per page: ${times.join(', ')}; ${rate}`);
}
if (values.results !== undefined) await writeFile(values.results, await results());
await app.close();
site.stop();

/** Returns every issue of the last report, in the order of pages and issues. */
async function results(): Promise<string> {
  const pages = await app.db.selectFrom('web_pages').selectAll().orderBy('id', 'desc').limit(count).execute();
  const lines: string[] = [];
  for (const page of pages.toSorted((a, b) => (a.url < b.url ? -1 : 1))) {
    const path = page.url.slice(origin.length);
    const issues = await app.db
      .selectFrom('issues')
      .innerJoin('common_issues', 'common_issues.id', 'issues.common_issue_id')
      .selectAll()
      .where('web_page_id', '=', page.id)
      .execute();
    const texts = issues.map(({ occurrences, ...issue }) => {
      const { issue_type: type, issue_sub_type: subType, message, rule_id: rule, tags, fingerprints, traces } = issue;
      const identity = [fingerprints, traces].map((bytes) => bytes.toString('hex'));
      const kept = { type, subType, message, rule, tags, identity, occurrences: unpackOccurrences(occurrences) };
      return JSON.stringify(kept).replaceAll(origin, '');
    });
    for (const text of texts.sort()) lines.push(`${path} ${text}`);
  }
  return `${lines.join('\n')}\n`;
}
