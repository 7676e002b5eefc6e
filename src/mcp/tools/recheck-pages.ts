import Type from 'typebox';
import type { Item } from '../../../packages/client/client.ts';
import { formatNumber, plural } from '../../domain/amounts.ts';
import { ISSUE, RECHECK_ID, REPORT_ID, WAIT } from '../inputs.ts';
import { issueFrom } from '../issues.ts';
import { recheckedPagesMax } from '../limits.ts';
import { pageAt } from '../pages.ts';
import { answerOf } from '../text.ts';
import { type Progress, type ToolCall, ToolProblem, tool } from '../tool.ts';
import { waitFor } from '../wait.ts';

type Occurrences = Item<'recheck'>['occurrences'];

export const RECHECK_PAGES = tool({
  name: 'recheck_pages',
  title: 'Check pages again after an edit',
  description:
    'Fetches pages of a report again, runs their checks and counts fixed, persisting and new occurrences: on all pages with an issue, or on specific pages. The site must serve the edited pages. If credits are limited, each check of a page costs one.',
  input: Type.Object(
    {
      report_id: REPORT_ID,
      issue: Type.Optional(ISSUE),
      page_urls: Type.Optional(
        Type.Array(Type.String({ maxLength: 2_048 }), {
          minItems: 1,
          maxItems: recheckedPagesMax,
          description: 'Exact URLs of pages of the report, instead of an issue.',
        }),
      ),
      recheck_id: RECHECK_ID,
      wait_seconds: WAIT,
    },
    { additionalProperties: false },
  ),
  readsOnly: false,
  async run(call, { report_id: reportId, issue, page_urls: urls, recheck_id: asked, wait_seconds: seconds }) {
    const path = `/reports/${reportId}/rechecks`;
    if ([issue, urls, asked].filter((given) => given !== undefined).length !== 1)
      throw new ToolProblem('Pass exactly one of issue, page_urls and recheck_id.');
    const started = async (): Promise<string> => {
      const attributes = issue === undefined ? await namedPages(call, reportId, urls ?? []) : namedIssue(issue);
      return (await call.api.create<'recheck'>(path, attributes)).id;
    };
    const id = asked ?? (await started());
    const recheck = await waitFor(
      () => call.api.read<'recheck'>(`${path}/${id}`, { signal: call.signal }),
      ({ status }) => status.pending === 0,
      { seconds, signal: call.signal, tell: (running) => call.onProgress(progressOf(running)) },
    );
    return recheckText(recheck);
  },
});

function namedIssue(issue: string): object {
  const { kind, id } = issueFrom(issue);
  return { [`common_${kind}_issue_id`]: id };
}

async function namedPages(call: ToolCall, reportId: string, urls: readonly string[]): Promise<object> {
  const pages: Item<'web_page'>[] = [];
  for (const url of urls) pages.push(await pageAt(call, reportId, url));
  return { web_page_ids: [...new Set(pages.map(({ id }) => id))] };
}

function progressOf({ status: { pending, checked, failed } }: Item<'recheck'>): Progress {
  const [progress, total] = [checked + failed, checked + failed + pending];
  return { progress, total, message: `${formatNumber(progress)} of ${plural(total, 'check')} done` };
}

function recheckText(recheck: Item<'recheck'>): string {
  const { id, num_web_pages: pages, status, occurrences, occurrences_of_issue: ofIssue, uncompared } = recheck;
  if (status.pending > 0)
    return `${plural(status.pending, 'check')} of ${plural(pages, 'page')} pending. Call again with recheck_id ${id}.`;
  return answerOf([
    `Checked ${plural(pages, 'page')} again.`,
    ...(ofIssue === null ? [] : [`This issue: ${occurrencesText(ofIssue)}.`]),
    `${ofIssue === null ? 'All issues' : 'All issues of these pages'}: ${occurrencesText(occurrences)}.`,
    ...(status.failed > 0 ? [`${plural(status.failed, 'check')} failed; list_issues with page_url shows why.`] : []),
    ...(uncompared > 0 ? [`${plural(uncompared, 'check')} could not be compared with the previous result.`] : []),
    ...(occurrences.still + occurrences.new > 0
      ? ['list_issues with page_url shows the current issues of a page.']
      : []),
  ]);
}

function occurrencesText({ fixed, still, new: added }: Occurrences): string {
  return `${plural(fixed, 'occurrence')} fixed, ${formatNumber(still)} still there, ${formatNumber(added)} new`;
}
