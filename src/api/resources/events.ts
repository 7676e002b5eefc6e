import Type from 'typebox';
import { readableReport } from '../../accounts/access.ts';
import { UUID_PATTERN } from '../../domain/schemas.ts';
import { streamsMax } from '../events/limits.ts';
import { endpoint, eventsAbout } from '../http/endpoint.ts';
import { single } from '../jsonapi/document.ts';
import { REPORT, renderReport } from './report-resource.ts';

const QUERY = Type.Object({
  'filter[report_id]': Type.Optional(
    Type.String({
      pattern: UUID_PATTERN,
      description: 'Only follow this report. Shared reports are allowed. The stream begins with its current state.',
    }),
  ),
});

export const EVENT_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/events',
    summary: 'Follow reports as they change',
    description:
      "A stream of server-sent events about your reports and your guests' reports. `report` contains a report as `GET /reports/{report_id}` " +
      'returns it, and is sent when it is created, when it changes and when its results are computed, at most twice per second. `web_pages` and `common_issues` have ' +
      'a `report_id` and mean that these lists of the report may have changed. `gone` has the `report_id` of a report that was ' +
      'deleted or that you can no longer see. `reset` means that you may have missed events: reload what you show. ' +
      'Send the last event id as `Last-Event-ID` to resume. A comment is sent every 15 seconds. The stream ends soon after its token expires or is revoked, and with the ' +
      `report if it follows only one. An account can have ${streamsMax} open streams.`,
    additive: true,
    query: QUERY,
    answers: eventsAbout(REPORT),
    errors: ['not_found', 'too_many_streams'],
    async answer({ call, query }) {
      const { viewer, feeds, lastEventId, reauthenticate } = call;
      const asked = query['filter[report_id]'] ?? (viewer.link?.opens === 'report' ? viewer.link.id : null);
      const reportId = asked === null ? null : (await readableReport(call.db, viewer, asked)).id;
      return () =>
        feeds.open({
          viewer,
          reportId,
          lastEventId,
          reauthenticate,
          render: (report, as) => single(renderReport(report, { ...call, viewer: as })),
        });
    },
  }),
];
