/**
 * Checks sites of static files several times: unchanged, with one edited page, and with an edited style sheet; then edits random
 * files, and compares each report with a report without reuse. Prints the time and the number of checks that ran. Exits with 1 if
 * an occurrence differs. The sites differ in the validators that their servers send.
 *
 *   npm run bench:reuse -- [--directory DIR]... [--pages N] [--rounds N] [--edits N] [--seed N]
 */
import { createHash, randomUUID } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { sql } from 'kysely';
import { unpackOccurrences } from '../src/store/issues/packed-issues.ts';
import { randomFrom } from '../test/helpers/random.ts';
import { CORPORA } from './checked-pages.ts';
import { openBenchApp } from './whole-report.ts';

const { values } = parseArgs({
  options: {
    directory: { type: 'string', multiple: true, default: [CORPORA[0] ?? ''] },
    pages: { type: 'string', default: '250' },
    rounds: { type: 'string', default: '5' },
    edits: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
  },
});
const TYPES: Readonly<Record<string, string>> = {
  ...{ '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml' },
  ...{ '.png': 'image/png', '.jpg': 'image/jpeg', '.json': 'application/json', '.woff2': 'font/woff2' },
};
/** How servers send validators: one for each content, none, or another one each time. */
const VALIDATORS = [
  (body: Buffer) => ({ etag: `"${createHash('sha256').update(body).digest('hex')}"` }),
  () => ({}),
  () => ({ etag: `"${randomUUID()}"` }),
] as const;

interface BenchSite {
  readonly files: Map<string, Buffer>;
  /** The paths and URLs of the pages to check. */
  readonly pages: readonly string[];
  readonly urls: readonly string[];
}

const random = randomFrom(Number(values.seed));
const app = await openBenchApp();
let compared = 0;
let edits = 0;
let differences = 0;
for (const [index, directory] of values.directory.entries()) {
  const validators = VALIDATORS[index % VALIDATORS.length] ?? VALIDATORS[0];
  const files = await filesIn(directory);
  const server = await serve(files, validators);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pages = Array.from(files.keys())
    .filter((path) => path.endsWith('.html'))
    .sort()
    .slice(0, Number(values.pages));
  console.log(`${pages.length} pages of ${directory}`);
  await measure({ files, pages, urls: pages.map((path) => new URL(path, origin).href) });
  server.close();
}
console.log(`${edits} random edits, ${compared} reports compared, ${differences} differ`);
await app.close();
if (differences > 0) process.exitCode = 1;

async function filesIn(directory: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for await (const file of glob('**/*.*', { cwd: directory })) {
    const type = TYPES[extname(file)];
    if (type !== undefined) files.set(`/${file}`, await readFile(join(directory, file)).catch(() => Buffer.of()));
  }
  return files;
}

async function serve(
  files: ReadonlyMap<string, Buffer>,
  validators: (body: Buffer) => { readonly etag?: string },
): Promise<Server> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://site.test').pathname);
    const body = files.get(path);
    if (body === undefined) return void response.writeHead(404).end();
    const headers = validators(body);
    const isKnown = headers.etag !== undefined && request.headers['if-none-match'] === headers.etag;
    response.writeHead(isKnown ? 304 : 200, { 'content-type': TYPES[extname(path)], ...headers });
    response.end(isKnown ? undefined : body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function measure(site: BenchSite): Promise<void> {
  const { files, pages } = site;
  await report(site, 'first report');
  await report(site, 'unchanged');
  await report(site, 'unchanged');
  edit(files, pages[Math.floor(pages.length / 2)] ?? '', '<p><img src="data:,"></p>');
  await report(site, '1 page edited');
  await report(site, 'unchanged');
  const sheet = Array.from(files.keys()).find((path) => path.endsWith('.css'));
  if (sheet !== undefined) edit(files, sheet, '\np { color: #ddd }\n');
  await report(site, `${sheet} edited`);
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    for (let count = 0; count < Number(values.edits); count += 1) editAny(site, round);
    const quick = await report(site, `round ${round}, ${values.edits} random edits`);
    const whole = await report(site, '  the same without reuse', false);
    compare(await occurrencesOf(quick), await occurrencesOf(whole));
  }
}

function compare(some: readonly string[], others: readonly string[]): void {
  compared += 1;
  if (isDeepStrictEqual(some, others)) return;
  differences += 1;
  const known = new Set(others);
  const now = new Set(some);
  for (const line of some) if (!known.has(line)) console.log(`  only with reuse: ${line}`);
  for (const line of others) if (!now.has(line)) console.log(`  only without reuse: ${line}`);
}

function edit(files: Map<string, Buffer>, path: string, text: string): void {
  const body = files.get(path)?.toString() ?? '';
  const end = body.lastIndexOf('</body>');
  files.set(path, Buffer.from(end === -1 ? body + text : body.slice(0, end) + text + body.slice(end)));
}

/** Edits a page, or in some rounds also a style sheet, a script or an image. Only a third of the pages are edited in a round. */
function editAny({ files, pages }: BenchSite, round: number): void {
  const types = round % 3 === 0 ? ['.html', '.html', '.css', '.js', '.svg'] : ['.html', '.svg'];
  const type = types[Math.floor(random() * types.length)] ?? '.html';
  const ofRound = pages.filter((_, index) => (index + round) % 3 === 0);
  const candidates = type === '.html' ? ofRound : Array.from(files.keys()).filter((path) => path.endsWith(type));
  const path = candidates[Math.floor(random() * candidates.length)] ?? ofRound[0];
  const shade = Math.floor(random() * 9) + 1;
  const texts: Readonly<Record<string, string>> = {
    '.html': `<p style="color: #${shade}${shade}${shade}">Text <img src="data:,${shade}"></p>`,
    '.css': `\np { color: #${shade}${shade}${shade} }\n`,
    '.js': `\n;document.body?.insertAdjacentHTML('beforeend', '<input name="n${shade}">');\n`,
    '.svg': `<!-- ${shade} -->`,
  };
  if (path !== undefined) edit(files, path, texts[extname(path)] ?? '');
  edits += 1;
}

/** Makes a report, prints what it took, and returns its id. */
async function report(site: BenchSite, title: string, reuse = true): Promise<string> {
  const seconds = await app.report(site.urls, { checks: ['html', 'a11y'], reuse });
  const { rows } = await sql<{ id: string; kind: string; ran: number }>`
    SELECT report_id AS id, kind, count(*) FILTER (WHERE reused_from IS NULL) AS ran FROM checks
    WHERE report_id = (SELECT id FROM reports ORDER BY inserted_at DESC LIMIT 1) GROUP BY 1, 2 ORDER BY 2 DESC`.execute(
    app.db,
  );
  console.log(`${title}: ${seconds.toFixed(1)} s, ran ${rows.map(({ kind, ran }) => `${ran} ${kind}`).join(', ')}`);
  return rows[0]?.id ?? '';
}

/** Every occurrence, with all that is stored about it. */
async function occurrencesOf(reportId: string): Promise<string[]> {
  const { rows } = await sql<{ line: string; occurrences: Buffer }>`
    SELECT concat_ws(' ', p.url, i.kind, i.position, k.issue_type, k.message, encode(i.fingerprints, 'hex')) AS line, i.occurrences
    FROM issues i JOIN common_issues k ON k.id = i.common_issue_id JOIN web_pages p ON p.id = i.web_page_id
    WHERE i.report_id = ${reportId} ORDER BY 1`.execute(app.db);
  return rows.map(({ line, occurrences }) => `${line} ${JSON.stringify(unpackOccurrences(occurrences))}`);
}
