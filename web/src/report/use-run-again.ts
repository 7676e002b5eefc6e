import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { ApiError, OfflineError } from 'sitewarden-client/errors';
import { createReport } from '../api/changes/reports.ts';
import { runSite } from '../api/changes/sites.ts';
import type { Item } from '../api/client.ts';
import { reportQuery } from '../api/queries/reports.ts';
import { plural, shortUrl } from '../lib/formats.ts';
import { settingsOf } from '../lib/report-settings.ts';
import { useWayToCredits } from '../live/use-change.ts';
import { useToast } from '../parts/toast.tsx';
import { isOwn, newestOf } from './site-state.ts';

/** What to run: a report again, with its settings, or a site, whose settings and credentials the service has. */
type Run = { readonly report: string } | { readonly site: string };

/** The outcome of running reports again. */
interface Restart {
  /** The ids of the new reports. */
  readonly started: readonly string[];
  /** Reports whose credentials for the site must be entered again. */
  readonly signingIn: readonly string[];
  /** Why the others did not start; null if all did. */
  readonly refusal: ApiError | OfflineError | null;
}

/**
 * Returns a function that starts reports with the settings of other reports, shows a message, and returns the outcome. A single
 * report that signs in to its site opens as a form instead, because stored credentials cannot be read.
 * @param opens whether to open a single new report, because the current screen shows the old one
 */
export function useRunAgain({ opens = false } = {}): (reports: readonly string[]) => Promise<Restart> {
  const start = useStart(opens);
  return useCallback((reports) => start(reports.map((report) => ({ report }))), [start]);
}

/** Returns a function that runs sites. A guest's site cannot be run, so its newest report is run again. */
export function useRunSites(): (sites: readonly Item<'site'>[]) => Promise<Restart> {
  const start = useStart(false);
  return useCallback(
    (sites) => start(sites.map((site) => (isOwn(site) ? { site: site.id } : { report: newestOf(site) }))),
    [start],
  );
}

function useStart(opens: boolean): (runs: readonly Run[]) => Promise<Restart> {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useToast();
  const toCredits = useWayToCredits();
  return useCallback(
    async (runs) => {
      const restart = await restarted(runs, async (id) => queries.fetchQuery(reportQuery(id)));
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['reports'] }),
        queries.invalidateQueries({ queryKey: ['sites'] }),
      ]);
      const [only] = restart.signingIn;
      const [first] = restart.started;
      if (only !== undefined && runs.length === 1) await navigate({ to: '/reports/new', search: { from: only } });
      else if (opens && first !== undefined) await navigate({ to: `/reports/${first}` });
      else {
        const open = { title: 'Open', run: () => void navigate({ to: `/reports/${first}` }) };
        say(wordsOf(restart), restart.started.length === 1 ? open : toCredits(restart.refusal));
      }
      return restart;
    },
    [queries, navigate, say, toCredits, opens],
  );
}

/** Starts the reports one by one until one is refused, because the next would be refused, too. */
async function restarted(
  runs: readonly Run[],
  readReport: (id: string) => Promise<{ readonly signs_in: boolean } & Parameters<typeof settingsOf>[0]>,
): Promise<Restart> {
  const started: string[] = [];
  const signingIn: string[] = [];
  try {
    for (const run of runs) {
      if ('site' in run) {
        started.push((await runSite(run.site)).id);
        continue;
      }
      const report = await readReport(run.report);
      if (report.signs_in) signingIn.push(run.report);
      else started.push((await createReport(settingsOf(report))).id);
    }
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof OfflineError)) throw error;
    return { started, signingIn, refusal: error };
  }
  return { started, signingIn, refusal: null };
}

function wordsOf({ started, signingIn, refusal }: Restart): string {
  const parts = [
    started.length > 0 ? `Started ${plural(started.length, 'report')}.` : '',
    signingIn.length > 0
      ? `${plural(signingIn.length, 'report signs', 'reports sign')} in to a site. Open each one, choose “Run again” and enter its credentials.`
      : '',
    refusal === null ? '' : `Stopped: ${refusal.message}`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}

/** Returns a readable list of sites: `bakery.example, florist.example and 3 more`. @param sites names or addresses */
export function namesOf(sites: readonly string[]): string {
  const shown = sites.slice(0, 5).map(shortUrl);
  const more = sites.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}
