import { listExcludedUrls } from '../../store/excluded-urls.ts';
import { endpoint, listed } from '../endpoint.ts';
import { resource, timestamp } from '../jsonapi/document.ts';
import { pagingOf } from '../jsonapi/query.ts';
import { PAGING_QUERY, REPORT_PARAMS } from '../parameters.ts';
import { reportToRead } from './report.ts';

export const EXCLUDED_URL_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/reports/{report_id}/excluded_urls',
    summary: 'List the URLs that a report leaves out',
    params: REPORT_PARAMS,
    query: PAGING_QUERY,
    subject: reportToRead,
    async answer({ call, query, subject }) {
      const paging = pagingOf(query);
      const page = await listExcludedUrls(call.db, subject.id, paging);
      return listed(call, paging, page, ({ id, url, reason, inserted_at }) =>
        resource({ type: 'excluded_url', id, attributes: { url, reason, inserted_at: timestamp(inserted_at) } }),
      );
    },
  }),
];
