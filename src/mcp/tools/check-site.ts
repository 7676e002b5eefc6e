import Type from 'typebox';
import { WAIT } from '../inputs.ts';
import { reportAfter, reportText } from '../report-text.ts';
import { tool } from '../tool.ts';

export const CHECK_SITE = tool({
  name: 'check_site',
  title: 'Check a site or a page',
  description:
    'Crawls a site from a URL, checks its pages and returns the report. With max_pages 1 it checks that page alone. Each check of a page costs a credit. To check pages again after an edit, use recheck_pages: it is faster and tells what became of each place.',
  input: Type.Object(
    {
      url: Type.String({ description: 'Where to start: an absolute URL, or that of a sitemap.', maxLength: 2_048 }),
      max_pages: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 10_000, description: 'Pages at most; 10 by default.' }),
      ),
      accessibility: Type.Optional(
        Type.Boolean({ description: 'Also check accessibility with axe-core in a browser; false by default.' }),
      ),
      links: Type.Optional(
        Type.Boolean({ description: 'Also find links that do not work, to other sites too; false by default.' }),
      ),
      wait_seconds: WAIT,
    },
    { additionalProperties: false },
  ),
  readsOnly: false,
  async run(call, { url, max_pages: pages, accessibility = false, links = false, wait_seconds: seconds }) {
    const { id } = await call.api.create<'report'>('/reports', {
      starting_url: url,
      ...(pages !== undefined && { max_pages: pages }),
      // Those who may not check accessibility may not refuse it either.
      ...(accessibility && { perform_a11y_checks: true }),
      ...(links && { perform_link_checks: true }),
    });
    return reportText(call, await reportAfter(call, id, seconds));
  },
});
