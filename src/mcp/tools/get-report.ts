import Type from 'typebox';
import { REPORT_ID, WAIT } from '../inputs.ts';
import { reportAfter, reportText } from '../report-text.ts';
import { tool } from '../tool.ts';

export const GET_REPORT = tool({
  name: 'get_report',
  title: 'Get a report',
  description:
    'Returns how far a report is, what it found by kind of check, which pages could not be checked and why, and how much changed since the previous report. Waits for a report that still runs.',
  input: Type.Object({ report_id: REPORT_ID, wait_seconds: WAIT }, { additionalProperties: false }),
  readsOnly: true,
  run: async (call, { report_id: id, wait_seconds: seconds }) => reportText(call, await reportAfter(call, id, seconds)),
});
