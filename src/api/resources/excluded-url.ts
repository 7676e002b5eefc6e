import Type from 'typebox';
import { DECIMAL_ID, LIFE } from '../../domain/schemas.ts';
import { listExcludedUrls } from '../../store/web-pages.ts';
import { endpoint, listed, listOf } from '../http/endpoint.ts';
import { resource, timestamp } from '../jsonapi/document.ts';
import { resourceType } from '../jsonapi/resource-type.ts';
import { PAGING_QUERY, REPORT_PARAMS } from './parameters.ts';
import { reportToRead } from './report.ts';

export const EXCLUDED_URL = resourceType('excluded_url', {
  description: 'A URL, or part of a URL, that a report excludes.',
  id: DECIMAL_ID,
  attributes: Type.Object({
    url: Type.String({
      description: 'The URL of the deleted page, or the exclusion as it was given.',
      examples: ['/archive/'],
    }),
    reason: Type.Enum(['deleted', 'exclusion'], {
      description: 'Whether a page was deleted, or the report was created with the exclusion.',
      examples: ['exclusion'],
    }),
    inserted_at: LIFE.inserted_at,
  }),
  relationships: {},
  self: 'never',
});

export const EXCLUDED_URL_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/reports/{report_id}/excluded_urls',
    summary: 'List the excluded URLs of a report',
    description: 'Newest first.',
    params: REPORT_PARAMS,
    query: PAGING_QUERY,
    answers: listOf(EXCLUDED_URL),
    subject: reportToRead,
    async answer({ call, subject, paging }) {
      return listed(await listExcludedUrls(call.db, subject.id, paging), ({ id, url, reason, inserted_at }) =>
        resource(EXCLUDED_URL, { id, attributes: { url, reason, inserted_at: timestamp(inserted_at) } }),
      );
    },
  }),
];
