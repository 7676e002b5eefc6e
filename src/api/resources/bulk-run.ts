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
  description: 'What became of a request to run several sites: each site was either started or refused. Not stored.',
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
    description: `Creates a report for each selected site: at most ${sitesSelectedMax} at a time. A site that is refused, for example because a report of it has not ended, does not prevent the others, and is listed in \`refused\`. If none can be started for lack of credits or because too many reports are waiting, the request fails.`,
    additive: true,
    answers: newOne(BULK_RUN),
    errors: ['credits_exhausted', 'too_many_reports'],
    body: {
      attributes: NEW,
      example: { tags: 'shop' },
      parse: (given) => parseSelection(readAttributes(NEW, given)),
    },
    async answer({ call, body }) {
      const sites = await sitesIn(call, body);
      const usable = sites.filter(({ archived_at: archivedAt }) => archivedAt === null).map(({ id }) => id);
      const runs = await runSites(call, usable, call.viewer.limits);
      const refused = [...archivedSites(sites), ...unknownSites(body, sites), ...runs.refused];
      return renderRun(sites, { ...runs, refused });
    },
  }),
];

function archivedSites(sites: readonly SelectedSite[]): SiteRuns['refused'] {
  const message = 'This site is archived. Restore it to run it.';
  return sites.flatMap(({ id, archived_at: archivedAt }): SiteRuns['refused'] =>
    archivedAt === null ? [] : [{ siteId: id, code: 'conflict', message }],
  );
}

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
