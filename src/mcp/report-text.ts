import { decidedSentence, occurrenceWords } from '../../packages/client/changes.ts';
import type { Client, Item } from '../../packages/client/client.ts';
import { isStatus } from '../../packages/client/errors.ts';
import { severeFreeWords } from '../../packages/client/severe-free.ts';
import { measuredByWords } from '../../packages/client/standards.ts';
import { formatNumber, plural } from '../domain/amounts.ts';
import { foundWords } from '../domain/counts.ts';
import { KINDS, type Kind, kindsOf, kindTitle } from './issues.ts';
import { answersWaitMs, failedPagesMax } from './limits.ts';
import { answerOf, fromSite, moreLine, siteUrl } from './text.ts';
import type { Progress, ToolCall } from './tool.ts';
import { waitFor } from './wait.ts';

type Report = Item<'report'>;

/** Returns a status in words, and whether the run of a schedule passed. */
export function statusWords(
  { status, stopped }: { readonly status: string; readonly stopped: boolean },
  hasPassed: boolean | undefined,
): string {
  const words = status === 'finished' && stopped ? 'stopped early' : status;
  return hasPassed === false ? `${words}, did not pass` : words;
}

/** Returns how far a report has progressed, or how it ended. */
export function reportStatus({ status, stopped_early: reason, verdict }: Report): string {
  return statusWords({ status, stopped: reason !== null }, verdict?.passed);
}

export function hasEnded({ status }: Report): boolean {
  return status === 'finished' || status === 'failed';
}

/**
 * Waits until a report has ended, and then a short time for its changes and fix plan.
 * @param seconds undefined for the default
 * @returns the report, which is still running if that takes longer
 */
export async function reportAfter(
  { api, signal, onProgress }: ToolCall,
  id: string,
  seconds: number | undefined,
): Promise<Report> {
  const read = (): Promise<Report> => api.read<'report'>(`/reports/${id}`, { signal });
  const tell = (running: Report): Promise<void> => onProgress(progressOf(running));
  const report = await waitFor(read, hasEnded, { seconds, signal, tell });
  if (report.status !== 'finished' || seconds === 0) return report;
  return waitFor(read, ({ fix_effect: effect }) => effect !== null, { seconds: answersWaitMs / 1_000, signal });
}

/**
 * Returns how many checks of a report have run. Each page that is found adds checks, so the total is not known until the end of
 * the crawl.
 */
function progressOf({ status, num_pages: pages, checks }: Report): Progress {
  const counts = Object.values(checks).flatMap((of) => of?.status ?? []);
  const done = counts.reduce((sum, { checked, failed }) => sum + checked + failed, 0);
  const total = counts.reduce((sum, { pending }) => sum + pending, done);
  const message = `${status}: ${plural(pages, 'page')} found, ${formatNumber(done)} of ${plural(total, 'check')} done`;
  return { progress: pages + done, ...(status === 'checking' && { total: pages + total }), message };
}

/** Returns a report as text for an agent: progress or result, pages that could not be checked, changes. */
export async function reportText(call: ToolCall, report: Report): Promise<string> {
  const { id, starting_url: url, status, num_pages: pages, crawl_error: problem } = report;
  const kinds = kindsOf(report);
  return answerOf([
    `Report ${id} of ${siteUrl(url)}: ${reportStatus(report)}${status === 'failed' ? '' : `, ${plural(pages, 'page')} found`}.`,
    ...(problem === null ? [] : [`Problem: ${fromSite(problem)}`]),
    ...kinds.map((kind) => checksLine(kind, report)),
    ...measuredLines(report),
    ...(hasEnded(report) ? await resultLines(call, report) : []),
    ...(call.dashboard === null ? [] : [`In the dashboard: ${call.dashboard}/reports/${id}`]),
    nextLine(report),
  ]);
}

function checksLine(kind: Kind, { checks }: Report): string {
  const counts = checks[kind];
  if (counts === null || counts === undefined) return `${kindTitle(kind)}: not checked.`;
  const { status, pages, issues } = counts;
  const rest = [
    ...(status.pending > 0 ? [`${formatNumber(status.pending)} pending`] : []),
    ...(status.failed > 0 ? [`${formatNumber(status.failed)} could not be checked`] : []),
  ];
  const passed = `${formatNumber(pages.passed)} of ${plural(status.checked, 'checked page')} without errors`;
  const severe =
    'severe_free' in pages && issues.errors > 0
      ? [severeFreeWords({ pages: pages.severe_free, checked: status.checked })]
      : [];
  return `${kindTitle(kind)}: ${[foundWords(issues), passed, ...severe, ...rest].join(', ')}.`;
}

function measuredLines(report: Report): string[] {
  const words = measuredByWords(report, report.perform_a11y_checks === true);
  return words === '' ? [] : [`${words}: other issues do not count.`];
}

async function resultLines({ api, signal }: ToolCall, report: Report): Promise<string[]> {
  const { fix_effect: effect } = report;
  const fixes =
    effect === null || effect.passing_after === effect.passing_before
      ? []
      : [
          `After the best fixes (${effect.fixes}), ${plural(effect.passing_after, 'page')} would pass instead of ${formatNumber(effect.passing_before)}.`,
        ];
  return [...(await failedPages(api, report, signal)), ...(await changeLines(api, report, signal)), ...fixes];
}

async function failedPages(api: Client, { id, checks }: Report, signal: AbortSignal): Promise<string[]> {
  if (Object.values(checks).every((counts) => (counts?.status.failed ?? 0) === 0)) return [];
  const query = { 'filter[status]': 'failed', 'page[size]': failedPagesMax };
  const { items, total } = await api.readList<'web_page'>(`/reports/${id}/web_pages`, { query, signal });
  const lines = items.map((page) => {
    const error = KINDS.map((kind) => page[`${kind}_check`]).find((check) => check?.error)?.error;
    return `- ${siteUrl(page.url)}: ${fromSite(error ?? 'failed')}`;
  });
  return ['Pages that could not be checked:', ...lines, ...moreLine(total, items.length, 'see the report')];
}

async function changeLines(api: Client, { id, related }: Report, signal: AbortSignal): Promise<string[]> {
  if (related.previous === undefined) return [];
  const query = { 'page[size]': 1 };
  const { meta } = await api.readList<'issue_change'>(`/reports/${id}/changes`, { query, signal }).catch((error) => {
    if (isStatus(error, 429, 503)) return { meta: null };
    throw error;
  });
  if (meta === null || meta.with === null) return [];
  return [
    `Occurrences since the previous report ${meta.with}: ${occurrenceWords(meta.changes) || 'none then, none now'}. ${decidedSentence(meta.decided)}`.trimEnd(),
  ];
}

function nextLine(report: Report): string {
  if (!hasEnded(report)) return `It is still running. Call get_report again with report_id ${report.id}.`;
  if (report.status === 'failed') return 'There was no page to check. Fix the URL or the site, then check again.';
  return 'Next: what_to_fix_first, list_issues or compare_reports with this report_id.';
}
