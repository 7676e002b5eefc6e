import Type from 'typebox';
import { count, flag } from '../../domain/schemas.ts';
import type { AppError } from '../../platform/errors.ts';
import { deleteSites, type SiteUpdates, updateSites } from '../../schedules/update-sites.ts';
import type { SelectedSite } from '../../store/reports/selected-sites.ts';
import { reportsDeletedMax, sitesSelectedMax } from '../attributes/limits.ts';
import {
  REFUSED,
  type Refusal,
  SITE_ID,
  SITE_NAME,
  siteRenderers,
  sitesIn,
  unknownSites,
} from '../attributes/site-selection.ts';
import { parseSiteUpdate, SITE_UPDATE } from '../attributes/site-update.ts';
import { bodyEndpoint, newOne } from '../http/endpoint.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { resourceType } from '../jsonapi/resource-type.ts';

const BULK_UPDATE = resourceType('bulk_update', {
  description:
    'The result of a request to change or delete several sites: each site was changed, left unchanged because it already had these settings, or refused. Not stored.',
  id: Type.String({ examples: ['update'] }),
  attributes: Type.Object({
    dry_run: flag('Whether this is a preview, and nothing was changed.'),
    num_changed: count('Number of sites that were changed or deleted.', { examples: [59] }),
    num_unchanged: count('Number of sites that already had these settings.', { examples: [0] }),
    num_refused: count('Number of sites that were refused.', { examples: [1] }),
    num_reports: count('Reports that are deleted with the sites; 0 unless the sites are deleted.', { examples: [0] }),
    num_web_pages: count('Number of web pages in these reports.', { examples: [0] }),
    num_schedules: count('Schedules that are deleted with the sites; 0 unless the sites are deleted.', {
      examples: [0],
    }),
    changed: Type.Array(Type.Object({ site_id: SITE_ID, name: SITE_NAME }), {
      description: 'The sites that were changed or deleted, by name.',
    }),
    refused: REFUSED,
  }),
  relationships: {},
  self: 'never',
});

const NOTHING_REMOVED = { reports: 0, pages: 0, schedules: 0 };

export const BULK_UPDATE_ENDPOINTS = [
  bodyEndpoint({
    method: 'POST',
    path: '/bulk_updates',
    summary: 'Change, schedule or delete several sites',
    description: `Changes each selected site: at most ${sitesSelectedMax} at a time. Each site is changed in its own transaction: a site that is refused does not affect the others, and is listed in \`refused\`. If all sites are refused because an attribute is invalid, the request fails. A repeated request leaves the changed sites unchanged, so it needs no \`Idempotency-Key\`. One request deletes up to ${reportsDeletedMax} reports with their sites, and refuses the remaining sites. With \`dry_run\`, nothing is changed.`,
    additive: true,
    isInParts: true,
    answers: newOne(BULK_UPDATE),
    body: {
      attributes: SITE_UPDATE,
      example: { tags: 'shop', change: { max_pages: 500 }, add_tags: 'clients', dry_run: true },
      parse: parseSiteUpdate,
    },
    async answer({ call, body: { selection, isRehearsal, update } }) {
      const sites = await sitesIn(call, selection);
      const ids = sites.map(({ id }) => id);
      const { accountId, limits } = call.viewer;
      const done =
        update === null
          ? await deleteSites(call, ids, { reportsMax: reportsDeletedMax, isRehearsal })
          : { ...(await updateSites(call, ids, update, { accountId, limits, isRehearsal })), removed: NOTHING_REMOVED };
      requireOneValid(done);
      const unknown = unknownSites(selection, sites);
      const { reports, pages, schedules } = done.removed;
      return renderUpdate(sites, done, {
        dry_run: isRehearsal,
        ...{ num_reports: reports, num_web_pages: pages, num_schedules: schedules },
        unknown,
      });
    },
  }),
];

/** If an attribute is invalid for all sites, the request itself is invalid. */
function requireOneValid({ changed, unchanged, refused }: SiteUpdates): void {
  const [first, ...others] = refused.map(({ error }) => error);
  if (first === undefined || changed.length + unchanged.length > 0) return;
  const isSame = (error: AppError): boolean => error.code === first.code && error.message === first.message;
  if (first.code === 'invalid' && others.every(isSame)) throw first;
}

function renderUpdate(
  sites: readonly SelectedSite[],
  { changed, unchanged, refused }: SiteUpdates,
  {
    unknown,
    ...more
  }: {
    readonly dry_run: boolean;
    readonly num_reports: number;
    readonly num_web_pages: number;
    readonly num_schedules: number;
    readonly unknown: readonly Refusal[];
  },
): Resource {
  const render = siteRenderers(sites);
  const refusals = [
    ...refused.map(({ siteId, error: { code, message } }): Refusal => ({ siteId, code, message })),
    ...unknown,
  ];
  return resource(BULK_UPDATE, {
    id: 'update',
    attributes: {
      ...more,
      num_changed: changed.length,
      num_unchanged: unchanged.length,
      num_refused: refusals.length,
      changed: changed.map(render.named),
      refused: refusals.map(render.refused),
    },
  });
}
