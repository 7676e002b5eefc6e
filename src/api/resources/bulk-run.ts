import Type from 'typebox';
import { count, UUID } from '../../domain/schemas.ts';
import { runSites, type SiteRuns } from '../../reports/run-sites.ts';
import type { SelectedSite } from '../../store/reports/selected-sites.ts';
import { sitesSelectedMax } from '../attributes/limits.ts';
import {
  parseSelection,
  REFUSED,
  SELECTION,
  SITE_ID,
  SITE_NAME,
  siteRenderers,
  sitesIn,
  unknownSites,
} from '../attributes/site-selection.ts';
import { bodyEndpoint, newOne } from '../http/endpoint.ts';
import { readAttributes } from '../jsonapi/attributes.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { resourceType } from '../jsonapi/resource-type.ts';

const BULK_RUN = resourceType('bulk_run', {
  description: 'The result of a request to run several sites: each site was either started or refused. Not stored.',
  id: Type.String({ examples: ['run'] }),
  attributes: Type.Object({
    num_started: count('Number of sites with a new report.', { examples: [59] }),
    num_refused: count('Number of sites that were refused.', { examples: [1] }),
    started: Type.Array(
      Type.Object({
        site_id: SITE_ID,
        name: SITE_NAME,
        report_id: Type.With(UUID, { description: 'The id of its new report.' }),
      }),
      { description: 'The sites with a new report.' },
    ),
    refused: REFUSED,
  }),
  relationships: {},
  self: 'never',
});

const NEW = Type.Object(SELECTION, { additionalProperties: false });

export const BULK_RUN_ENDPOINTS = [
  bodyEndpoint({
    method: 'POST',
    path: '/bulk_runs',
    summary: 'Run several sites now',
    description: `Creates a report for each selected site: at most ${sitesSelectedMax} at a time. A site that is refused, for example because one of its reports is still running, does not affect the others, and is listed in \`refused\`. Each report is created in its own transaction. After an interruption, a repeated request with the same \`Idempotency-Key\` starts only the sites that are left, and lists all of them. If none can be started for lack of credits or because too many reports are waiting, the request fails.`,
    additive: true,
    isInParts: true,
    answers: newOne(BULK_RUN),
    errors: ['credits_exhausted', 'paused', 'too_many_reports'],
    body: {
      attributes: NEW,
      example: { tags: 'shop' },
      parse: (given) => parseSelection(readAttributes(NEW, given)),
    },
    async answer({ call, body }) {
      // A repeat of an interrupted request uses the same sites, even if other sites match its filters now.
      const ids = await call.once('sites', async (db) => (await sitesIn({ ...call, db }, body)).map(({ id }) => id));
      const named = new Map((await sitesIn(call, { ids })).map((site) => [site.id, site]));
      const sites = ids.map((id) => named.get(id) ?? { ...DELETED, id });
      const runs = await runSites(call, sites, call.viewer.limits);
      return renderRun(sites, { ...runs, refused: [...runs.refused, ...unknownSites(body, sites)] });
    },
  }),
];

/** Stands in for a site that was deleted after an interrupted request had selected it. */
const DELETED = { name: '', starting_url: '', archived_at: null };

function renderRun(sites: readonly SelectedSite[], { started, refused }: SiteRuns): Resource {
  const render = siteRenderers(sites);
  return resource(BULK_RUN, {
    id: 'run',
    attributes: {
      ...{ num_started: started.length, num_refused: refused.length },
      started: started.map(({ siteId, reportId }) => ({ ...render.named(siteId), report_id: reportId })),
      refused: refused.map(render.refused),
    },
  });
}
