import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Item } from '../api/client.ts';
import { reportQuery } from '../api/queries/reports.ts';
import { siteQuery } from '../api/queries/sites.ts';
import { shortUrl } from '../lib/formats.ts';
import { type Settings, settingsOf } from '../lib/report-settings.ts';
import { siteName } from './site-state.ts';

/** A site or a report from which a new report or schedule copies its settings. */
export interface Copied {
  readonly name: string;
  /** The path of its screen. */
  readonly path: string;
  /** The id of the site that the new report or schedule belongs to; null if the service finds it by the address. */
  readonly site: string | null;
  readonly settings: Settings;
  /** Whether it has credentials, which are never shown. */
  readonly signsIn: boolean;
  /** Whether it signs in with the steps of a login, which a new report or schedule of the site uses, too. */
  readonly hasLogin: boolean;
}

interface Source {
  readonly site?: string | undefined;
  readonly from?: string | undefined;
}

/** Returns the query for what the settings are copied from: the site in the search, or else the report; null without both. */
export function useCopied({ site, from }: Source): UseQueryResult<Copied> | null {
  const ofSite = useQuery({ ...siteQuery(site ?? ''), enabled: site !== undefined, select: copiedSite });
  const ofReport = useQuery({ ...reportQuery(from ?? ''), enabled: from !== undefined, select: copiedReport });
  return site !== undefined ? ofSite : from !== undefined ? ofReport : null;
}

function copiedSite(site: Item<'site'>): Copied {
  const { id, signs_in: signsIn } = site;
  const hasLogin = site.login !== null;
  return { name: siteName(site), path: `/sites/${id}`, site: id, settings: settingsOf(site), signsIn, hasLogin };
}

function copiedReport(report: Item<'report'>): Copied {
  const { id, starting_url: url, signs_in: signsIn } = report;
  return {
    name: shortUrl(url),
    path: `/reports/${id}`,
    site: null,
    settings: settingsOf(report),
    signsIn,
    hasLogin: false,
  };
}
