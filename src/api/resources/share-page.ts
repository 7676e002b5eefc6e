import type { FastifyInstance } from 'fastify';
import { ENGINES } from '../../checks/registry.ts';
import { hashSecret } from '../../platform/kept-secret.ts';
import type { Database } from '../../store/database.ts';
import { findReport, type ReportWithChecks } from '../../store/reports.ts';
import { findLinkedReport, type LinkedReport } from '../../store/share-links.ts';
import { type Html, html, htmlPage, sendPage } from '../http/html-page.ts';
import { type AddressSettings, API_PREFIX, baseUrlFor } from '../http/links.ts';
import { visibleChecks } from '../http/pro.ts';

/**
 * Plugin for the page of a `share_url`, with the totals of the report. The URL is the secret, so the page takes no token. Wrong
 * and closed links get the same answer.
 */
export function sharePage(
  server: FastifyInstance,
  { db, settings }: { readonly db: Database; readonly settings: AddressSettings },
  done: () => void,
): void {
  // Malformed URLs get a page, too.
  server.get<{ Params: { '*': string } }>('/share/*', async (request, reply) => {
    const secret = request.params['*'];
    const base = baseUrlFor(request, settings);
    reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
    reply.header('x-robots-tag', 'noindex');
    const link = await findLinkedReport(db, hashSecret(secret));
    const report = link && (await findReport(db, link.reportId));
    if (link === undefined || report === undefined) return sendPage(reply.code(404), closedPage(base));
    return sendPage(reply, reportPage(base, secret, report, link));
  });
  done();
}

function reportPage(base: string, secret: string, report: ReportWithChecks, link: LinkedReport): string {
  const curl = `curl ${base}${API_PREFIX}/share -H "Authorization: Bearer ${secret}"`;
  const isComplete = report.finished_at !== null;
  const checks = visibleChecks(link, report.checks);
  const rows = ENGINES.flatMap(({ kind, title }) => {
    const counts = checks[kind];
    if (counts === undefined) return [];
    const { checked, failed, pending, errors, warnings } = counts;
    const cells = [checked, failed, pending, errors, warnings].map((count) => html`<td>${count}</td>`);
    return html`<tr><th scope="row">${title}</th>${cells}</tr>\n`;
  });
  return page(
    base,
    report.starting_url,
    html`<p>${isComplete ? 'Checked' : 'Not complete yet. Last change'} on ${(report.finished_at ?? report.updated_at).toUTCString()}.
Number of web pages: ${report.num_pages}.</p>
<table>
<thead><tr><th scope="col">Check</th><th scope="col">Pages checked</th><th scope="col">Failed</th><th scope="col">Pending</th>
<th scope="col">Errors</th><th scope="col">Warnings</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
<p>Everything in the report, for programs:</p>
<pre tabindex="0"><code>${curl}</code></pre>
<p>Anyone who has this URL can read the report until its owner stops sharing it.</p>`,
  );
}

function closedPage(base: string): string {
  return page(
    base,
    'This report is not shared any more',
    html`<p>Ask who sent you the link. If the URL is incomplete, since mail programs break long ones, copy all of it from the message.</p>`,
  );
}

function page(base: string, title: string, content: Html): string {
  return htmlPage(
    `${title} · sitewarden`,
    html`<main>
<h1>${title}</h1>
${content}
<p><a href="${base}/api/docs">API documentation</a></p>
</main>`,
  );
}
