import type { ReportWithChecks } from '../../store/reports.ts';
import { rememberedReportsMax } from './limits.ts';

/** Which lists of a report may have changed. */
export interface ListHints {
  readonly webPages: boolean;
  readonly commonIssues: boolean;
}

export const ALL_LISTS: ListHints = { webPages: true, commonIssues: true };

/**
 * Returns a function that tells which lists of a report may have changed since it was called with the same report: both if it
 * was not, or too long ago.
 */
export function rememberLists(): (report: ReportWithChecks) => ListHints {
  const remembered = new Map<string, Contents>();
  return (report) => {
    const before = remembered.get(report.id);
    const now = contentsOf(report, before);
    remembered.delete(report.id);
    remembered.set(report.id, now);
    const [oldest] = remembered.keys();
    if (remembered.size > rememberedReportsMax && oldest !== undefined) remembered.delete(oldest);
    return {
      webPages: now.pages !== before?.pages,
      commonIssues: now.issues !== before?.issues || now.answers !== before.answers,
    };
  };
}

/** Values that change whenever the lists do: each check that ends sets the time. */
interface Contents {
  readonly pages: string;
  readonly issues: string;
  /** The transaction that computed the report's answers, or a later one; null before. */
  readonly answers: string | null;
}

function contentsOf(report: ReportWithChecks, before: Contents | undefined): Contents {
  const { checks, num_pages: pages, last_checked_at: time } = report;
  const issues = Object.entries(checks).map(([kind, { errors, warnings }]) => [kind, errors, warnings]);
  const isAnswered = report.status === 'finished' && !report.answers_pending;
  return {
    pages: JSON.stringify([time, pages, checks]),
    issues: JSON.stringify([time, issues]),
    // Until they are computed again, the answers are those from before.
    answers: isAnswered ? report.changed_xid : (before?.answers ?? null),
  };
}
