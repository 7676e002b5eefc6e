/**
 * Checks a site of static files several times: unchanged, with one edited page, and with an edited style sheet; then edits random
 * files, and compares each report with a report without reuse. Prints the time and the number of checks that ran. Exits with 1 if
 * an occurrence differs.
 *
 *   npm run bench:reuse -- [--directory DIR] [--pages N] [--rounds N] [--edits N] [--seed N]
 */
import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { sql } from 'kysely';
import { randomFrom } from '../test/helpers/random.ts';
import { CORPORA } from './checked-pages.ts';
import { openBenchApp } from './whole-report.ts';

const { values } = parseArgs({
  options: {
    directory: { type: 'string', default: CORPORA[0] ?? '' },
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
const random = randomFrom(Number(values.seed));
const files = new Map<string, Buffer>();
for await (const file of glob('**/*.*', { cwd: values.directory })) {
  const type = TYPES[extname(file)];
  if (type !== undefined) files.set(`/${file}`, await readFile(join(values.directory, file)).catch(() => Buffer.of()));
}

const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url ?? '/', 'http://site.test').pathname);
  const body = files.get(path);
  if (body === undefined) return void response.writeHead(404).end();
  const etag = `"${createHash('sha256').update(body).digest('hex')}"`;
  const isKnown = request.headers['if-none-match'] === etag;
  response.writeHead(isKnown ? 304 : 200, { 'content-type': TYPES[extname(path)], etag });
  response.end(isKnown ? undefined : body);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const pages = Array.from(files.keys())
  .filter((path) => path.endsWith('.html'))
  .sort()
  .slice(0, Number(values.pages));
const urls = pages.map((path) => new URL(path, origin).href);
const app = await openBenchApp();
console.log(`${pages.length} pages of ${values.directory}`);

await report('first report');
await report('unchanged');
await report('unchanged');
edit(pages[Math.floor(pages.length / 2)] ?? '', '<p><img src="data:,"></p>');
await report('1 page edited');
await report('unchanged');
const sheet = Array.from(files.keys()).find((path) => path.endsWith('.css'));
if (sheet !== undefined) edit(sheet, '\np { color: #ddd }\n');
await report(`${sheet} edited`);
let differences = 0;
for (let round = 1; round <= Number(values.rounds); round += 1) {
  for (let count = 0; count < Number(values.edits); count += 1) editAny();
  const quick = await report(`round ${round}, ${values.edits} random edits`);
  const whole = await report('  the same without reuse', false);
  const [some, others] = [await occurrencesOf(quick), await occurrencesOf(whole)];
  if (isDeepStrictEqual(some, others)) continue;
  differences += 1;
  const known = new Set(others);
  const now = new Set(some);
  for (const line of some) if (!known.has(line)) console.log(`  only with reuse: ${line}`);
  for (const line of others) if (!now.has(line)) console.log(`  only without reuse: ${line}`);
}
console.log(`${differences} of ${values.rounds} reports differ`);
await app.close();
server.close();
if (differences > 0) process.exitCode = 1;

function edit(path: string, text: string): void {
  const body = files.get(path)?.toString() ?? '';
  const end = body.lastIndexOf('</body>');
  files.set(path, Buffer.from(end === -1 ? body + text : body.slice(0, end) + text + body.slice(end)));
}

/** Edits a page, a style sheet, a script or an image. */
function editAny(): void {
  const type = ['.html', '.html', '.css', '.js', '.svg'][Math.floor(random() * 5)] ?? '.html';
  const candidates = type === '.html' ? pages : Array.from(files.keys()).filter((path) => path.endsWith(type));
  const path = candidates[Math.floor(random() * candidates.length)];
  const shade = Math.floor(random() * 9) + 1;
  const texts: Readonly<Record<string, string>> = {
    '.html': `<p style="color: #${shade}${shade}${shade}">Text <img src="data:,${shade}"></p>`,
    '.css': `\np { color: #${shade}${shade}${shade} }\n`,
    '.js': `\n;document.body?.insertAdjacentHTML('beforeend', '<input name="n${shade}">');\n`,
    '.svg': `<!-- ${shade} -->`,
  };
  if (path !== undefined) edit(path, texts[type] ?? '');
}

/** Makes a report, prints what it took, and returns its id. */
async function report(title: string, reuse = true): Promise<string> {
  const seconds = await app.report(urls, { checks: ['html', 'a11y'], reuse });
  const { rows } = await sql<{ id: string; kind: string; ran: number }>`
    SELECT report_id AS id, kind, count(*) FILTER (WHERE reused_from IS NULL) AS ran FROM checks
    WHERE report_id = (SELECT id FROM reports ORDER BY inserted_at DESC LIMIT 1) GROUP BY 1, 2 ORDER BY 2 DESC`.execute(
    app.db,
  );
  console.log(`${title}: ${seconds.toFixed(1)} s, ran ${rows.map(({ kind, ran }) => `${ran} ${kind}`).join(', ')}`);
  return rows[0]?.id ?? '';
}

async function occurrencesOf(reportId: string): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    SELECT concat_ws(' ', p.url, i.kind, k.issue_type, k.message, encode(substr(i.fingerprints, 16 * n + 1, 16), 'hex')) AS line
    FROM issues i JOIN common_issues k ON k.id = i.common_issue_id JOIN web_pages p ON p.id = i.web_page_id,
      generate_series(0, octet_length(i.fingerprints) / 16 - 1) AS n
    WHERE i.report_id = ${reportId} ORDER BY 1`.execute(app.db);
  return rows.map(({ line }) => line);
}
