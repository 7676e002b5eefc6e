import Type from 'typebox';
import { owned } from '../../accounts/access.ts';
import { nullable, TIMESTAMP, UUID } from '../../domain/schemas.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { utcTime } from '../../platform/utc-time.ts';
import {
  findOwnSite,
  findSharedSite,
  findSharer,
  listSharedSites,
  type SharedSite,
} from '../../store/reports/shared-sites.ts';
import { listedRunsMax, sharedRunsMax } from '../attributes/limits.ts';
import { PAGING_QUERY } from '../attributes/parameters.ts';
import { RUN_COUNTS, renderRunCounts } from '../attributes/run-counts.ts';
import { type Call, endpoint, listed, listOf, one } from '../http/endpoint.ts';
import { kindsSeenBy } from '../http/pro-features.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { resourceType } from '../jsonapi/resource-type.ts';

const RUN = Type.Object({
  report_id: Type.With(UUID, { description: 'The id of the report.' }),
  finished_at: Type.With(TIMESTAMP, { description: 'When the report was completed.' }),
  ...RUN_COUNTS,
});

const SHARED_SITE = resourceType('shared_site', {
  description: 'A site that a share link opens, with its trend.',
  id: UUID,
  attributes: Type.Object({
    name: Type.String({ description: 'What its owner calls it. Empty if it has no name.', examples: ['Shop'] }),
    starting_url: Type.String({ description: 'Where its next crawl starts.', examples: ['https://example.com/'] }),
    runs: Type.Array(RUN, {
      description: `Its last full reports, newest first: at most ${sharedRunsMax}, or ${listedRunsMax} in lists. Failed reports, reports that were stopped early, and reports that checked less than usual because of their settings are left out.`,
    }),
  }),
  relationships: {
    last_report: {
      description: 'The newest full report. Absent before the first one.',
      path: '/reports/{report_id}',
    },
    comparison: {
      description: 'What was fixed since the first report, or in another period.',
      path: '/sites/{site_id}/comparison',
    },
  },
});

const META = Type.Object({
  tag: nullable(Type.String(), 'The tag of the link; null for the link of a site.', { examples: ['bakery'] }),
  shared_by: nullable(Type.String(), 'The name of the account that shares the sites; null if it has none.', {
    examples: ['Ada'],
  }),
});

const SITE_PARAMS = Type.Object({ site_id: UUID });

export const SHARED_SITE_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/share/sites',
    summary: 'List the sites of a share link',
    description:
      'Send the secret of the link, the last segment of `share_url` of a share link, in place of an API token. The secret allows GET requests for the complete reports of its sites and everything in them, as far as the plan of their owner includes it, and nothing else. The requests cost no credits. Sites are listed by name.',
    additive: true,
    query: PAGING_QUERY,
    answers: { ...listOf(SHARED_SITE), meta: META },
    errors: ['not_found'],
    async answer({ call, paging }) {
      const { link, siteIds } = openedBy(call);
      const kinds = kindsSeenBy(call.viewer);
      const sites = await listSharedSites(call.db, { siteIds, kinds, runsMax: listedRunsMax }, paging);
      const sharer = await findSharer(call.db, link);
      const meta = { tag: sharer?.tag ?? null, shared_by: sharer?.owner_name || null };
      return listed(sites, (site) => renderSharedSite(site, call), meta);
    },
  }),
  endpoint({
    method: 'GET',
    path: '/share/sites/{site_id}',
    summary: 'Get a site of a share link',
    description:
      'Returns a site that the share link opens, with more of its reports. Owners can see their sites as readers do.',
    additive: true,
    params: SITE_PARAMS,
    answers: one(SHARED_SITE),
    subject: siteToShow,
    async answer({ call, subject }) {
      const wanted = { siteIds: [subject.id], kinds: kindsSeenBy(call.viewer), runsMax: sharedRunsMax };
      const [site] = (await listSharedSites(call.db, wanted, { number: 1, size: 1 })).rows;
      if (site === undefined) throw notFound('site');
      return renderSharedSite(site, call);
    },
  }),
];

type SiteOfLink = Pick<SharedSite, 'id' | 'name' | 'starting_url'>;

/** @throws AppError not_found unless the viewer's share link opens the site */
export async function linkedSite(call: Pick<Call, 'db' | 'viewer'>, id: string): Promise<SiteOfLink> {
  const { link } = call.viewer;
  const isOpen = link?.opens === 'sites' && link.siteIds.includes(id.toLowerCase());
  const site = isOpen ? await findSharedSite(call.db, id) : undefined;
  if (site === undefined) throw notFound('site');
  return site;
}

/** Returns the site that a path names, if the viewer's share link opens it or the viewer owns it. */
async function siteToShow(call: Call, { site_id: id }: { readonly site_id: string }): Promise<Pick<SiteOfLink, 'id'>> {
  if (call.viewer.link !== null) return linkedSite(call, id);
  return owned(call.viewer, await findOwnSite(call.db, call.viewer.accountId, id));
}

/** @throws AppError not_found if the viewer has no share link of sites */
function openedBy({ viewer }: Call): { readonly link: string; readonly siteIds: readonly string[] } {
  if (viewer.link?.opens === 'sites') return { link: viewer.link.id, siteIds: viewer.link.siteIds };
  throw new AppError('not_found', 'This endpoint does not accept API tokens. Use the secret of a share link.');
}

function renderSharedSite({ id, name, starting_url, runs }: SharedSite, { links }: Call): Resource {
  const [newest] = runs;
  return resource(SHARED_SITE, {
    id,
    attributes: {
      ...{ name, starting_url },
      runs: runs.map(({ report_id, finished_at, ...run }) => ({
        ...{ report_id, finished_at: utcTime(new Date(finished_at)) },
        ...renderRunCounts(run),
      })),
    },
    related: {
      last_report: newest === undefined ? undefined : links(`/reports/${newest.report_id}`),
      comparison: links(`/sites/${id}/comparison`),
    },
    self: links(`/share/sites/${id}`),
  });
}
