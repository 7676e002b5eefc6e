import Type from 'typebox';
import { ENGINES } from '../../checks/registry.ts';
import { WAIT } from '../inputs.ts';
import { reportAfter, reportText } from '../report-text.ts';
import { tool } from '../tool.ts';

/** The checks that reports have only if asked for, each with the name of its argument, such as `accessibility`. */
const CHECKS = ENGINES.filter(({ isDefault }) => !isDefault).map(({ kind, title, option }) => ({
  argument: title.toLowerCase(),
  attribute: `perform_${kind}_checks`,
  description: `Also ${option.help}; false by default.`,
}));

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
      ...(Object.fromEntries(
        CHECKS.map(({ argument, description }) => [argument, Type.Optional(Type.Boolean({ description }))]),
      ) as object),
      wait_seconds: WAIT,
    },
    { additionalProperties: false },
  ),
  readsOnly: false,
  async run(call, { url, max_pages: pages, wait_seconds: seconds, ...checks }) {
    const asked: Readonly<Record<string, unknown>> = checks;
    const { id } = await call.api.create<'report'>('/reports', {
      starting_url: url,
      ...(pages !== undefined && { max_pages: pages }),
      // Those who may not check accessibility may not refuse it either.
      ...Object.fromEntries(
        CHECKS.filter(({ argument }) => asked[argument] === true).map(({ attribute }) => [attribute, true]),
      ),
    });
    return reportText(call, await reportAfter(call, id, seconds));
  },
});
