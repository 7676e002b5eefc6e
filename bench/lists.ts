/**
 * Measures every list of the API with every filter and every sort, first and last page, and every single resource. `cpu` is the
 * processor time of the service, the database and this client for one response, which other work on the machine does not affect.
 *
 *   npm run bench:lists -- [--scale S] [--reports N] [--rounds N] [--size ROWS] [--limit MS] [--only TEXT,...] [--directory DIR]
 *
 * Scale 1 is a thousand reports, a million pages and ten million issues, and takes ten minutes and 8 GB of disk to create. The
 * lists in a report need only the two largest reports (`--reports 2`), a fifth of that. With `--directory`, the database is
 * created there, kept, and used by the next run. Exits with 1 if a median is over the limit.
 */
import { parseArgs } from 'node:util';
import { createToken } from '../src/accounts/tokens.ts';
import { cpuMilliseconds } from './cpu-time.ts';
import { type ListCase, listCases, resourceCases } from './list-cases.ts';
import { openSeededService } from './seeded-service.ts';

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    reports: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '15' },
    size: { type: 'string', default: '100' },
    limit: { type: 'string', default: '50' },
    only: { type: 'string', default: '' },
    directory: { type: 'string' },
  },
});
interface Result {
  readonly name: string;
  /** Rows of the list. */
  readonly total: number;
  readonly milliseconds: readonly number[];
  /** Milliseconds of processor time for one response; NaN if unknown. */
  readonly cpu: number;
}
const pageSize = Number(values.size);
const limitMs = Number(values.limit);
const rounds = Number(values.rounds);
const {
  app,
  address,
  accountId,
  values: ids,
  dataDir,
  close,
} = await openSeededService(values.directory, {
  scale: Number(values.scale),
  largest: Number(values.reports),
});
const { token } = await createToken(app.db, { accountId, scope: 'read' });

console.log('\n    cpu    best  median     p95   total  list');
const results: Result[] = [];
for (const listCase of [...listCases(ids), ...resourceCases(ids)]) {
  if (!values.only.split(',').some((text) => `${listCase.list} ${listCase.query}`.includes(text))) continue;
  const { total } = await ask(listCase, 1);
  if (total === null) {
    console.log(`${'refused'.padStart(39)}  ${listCase.list} ${listCase.query}`);
    continue;
  }
  const last = Math.max(1, Math.ceil(total / pageSize));
  for (const number of last > 1 ? [1, last] : [1]) {
    const milliseconds: number[] = [];
    // The first request reads pages into memory and is not measured.
    await ask(listCase, number);
    const cpuBefore = cpuMilliseconds(dataDir);
    for (let round = 0; round < rounds; round += 1) {
      const started = performance.now();
      await ask(listCase, number);
      milliseconds.push(performance.now() - started);
    }
    const cpu = (cpuMilliseconds(dataDir) - cpuBefore) / rounds;
    const result = { name: `${listCase.list} ${listCase.query} page ${number}`, total, milliseconds, cpu };
    results.push(result);
    print(result);
  }
}
const slow = results.filter(({ milliseconds }) => quantile(milliseconds, 0.5) > limitMs);
const slowest = results.toSorted((a, b) => quantile(b.milliseconds, 0.5) - quantile(a.milliseconds, 0.5))[0];
console.log(`\n${results.length} lists; ${slow.length} with a median over ${limitMs} ms.`);
if (slowest !== undefined)
  console.log(`Slowest: ${slowest.name}, ${quantile(slowest.milliseconds, 0.5).toFixed(1)} ms`);
process.exitCode = slow.length > 0 ? 1 : 0;

await close();

/**
 * Requests one page of a list, or a resource, and reads all of the response.
 * @returns null if the list has too many rows for what is asked
 */
async function ask({ path, isList }: ListCase, number: number): Promise<{ total: number | null }> {
  const page = isList ? `page%5Bsize%5D=${pageSize}&page%5Bnumber%5D=${number}` : '';
  const separator = page === '' || path.endsWith('?') ? '' : '&';
  const answer = await fetch(`${address}/api/v1${path}${separator}${page}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await answer.text();
  if (answer.status === 400 && text.includes('would have to compare more than')) return { total: null };
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return { total: isList ? (JSON.parse(text) as { meta: { total: number } }).meta.total : 1 };
}

function print({ name, total, milliseconds, cpu }: Result): void {
  const mark = quantile(milliseconds, 0.5) > limitMs ? '  OVER' : '';
  const quantiles = [0, 0.5, 0.95].map((share) => quantile(milliseconds, share));
  const times = [cpu, ...quantiles].map((time) => time.toFixed(1).padStart(7));
  console.log(`${times.join(' ')} ${String(total).padStart(7)}  ${name}${mark}`);
}

function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
