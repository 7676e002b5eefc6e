import { readableReport } from '../../accounts/access.ts';
import { AppError } from '../../platform/errors.ts';
import { endpoint, one } from '../http/endpoint.ts';
import { REPORT, renderReport } from './report-resource.ts';

export const SHARE_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/share',
    summary: 'Get the report of a share link',
    description:
      'Takes the secret of the link, the last segment of `share_url`, in place of an API token. With this secret, every GET of the report and of everything in it works, and shows what the plan of its owner includes. Nothing else does. The requests cost no credits.',
    additive: true,
    answers: one(REPORT),
    errors: ['not_found'],
    async answer({ call }) {
      const { db, viewer } = call;
      if (viewer.linkedReportId === null) {
        throw new AppError('not_found', 'An API token opens no report here. Use the secret of a share link.');
      }
      return renderReport(await readableReport(db, viewer, viewer.linkedReportId), call);
    },
  }),
];
