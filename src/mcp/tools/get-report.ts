import Type from 'typebox';
import { REPORT_ID, WAIT } from '../inputs.ts';
import { reportAfter, reportText } from '../report-text.ts';
import { tool } from '../tool.ts';

export const GET_REPORT = tool({
  name: 'get_report',
  title: 'Get a report',
  description:
    'Returns the progress of a report, its results by type of check, the pages that could not be checked and why, and the changes since the previous report. Waits while the report is still running.',
  input: Type.Object({ report_id: REPORT_ID, wait_seconds: WAIT }, { additionalProperties: false }),
  readsOnly: true,
  run: async (call, { report_id: id, wait_seconds: seconds }) => reportText(call, await reportAfter(call, id, seconds)),
});
