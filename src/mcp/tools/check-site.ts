import Type from 'typebox';
import { DESKTOP_DEVICE, REPORT_DEFAULTS, reportDefaults } from '../../../packages/client/report-defaults.ts';
import { STANDARD_IDS } from '../../../packages/client/standards.ts';
import { ENGINES } from '../../checks/registry.ts';
import { WAIT } from '../inputs.ts';
import { reportAfter, reportText } from '../report-text.ts';
import { type ToolCall, tool } from '../tool.ts';

/** The checks that an agent can turn on and off, each with the name of its argument, such as `accessibility`. */
const CHECKS = ENGINES.filter(({ isDefault }) => !isDefault).map(({ kind, title, option }) => {
  const attribute = `perform_${kind}_checks`;
  const isOn = Object.hasOwn(REPORT_DEFAULTS, attribute);
  const preset = isOn ? 'true by default, if the plan includes it' : 'false by default';
  return { argument: title.toLowerCase(), attribute, description: `Also ${option.help}; ${preset}.` };
});

export const CHECK_SITE = tool({
  name: 'check_site',
  title: 'Check a site or a page',
  description:
    'Crawls a site from a URL, checks its pages and returns the report. With max_pages 1, checks only that page. If credits are limited, each check of a page costs one. After an edit, use recheck_pages: it is faster and shows what was fixed.',
  input: Type.Object(
    {
      url: Type.String({ description: 'The absolute URL of a page or a sitemap.', maxLength: 2_048 }),
      max_pages: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 10_000,
          description: `Maximum number of pages; ${REPORT_DEFAULTS.max_pages} by default.`,
        }),
      ),
      ...(Object.fromEntries(
        CHECKS.map(({ argument, description }) => [argument, Type.Optional(Type.Boolean({ description }))]),
      ) as object),
      inclusions: Type.Optional(
        Type.Array(Type.String(), {
          description: 'Only pages whose URL or path begins with one of these, such as /docs/.',
        }),
      ),
      standard: Type.Optional(
        Type.Enum([...STANDARD_IDS], {
          description:
            'The accessibility standard to meet. By default, the standard of the site, or of the account for a new site.',
        }),
      ),
      device: Type.Optional(
        Type.Enum(['default', 'desktop'], {
          description: 'default (800×600) or desktop (1280×720, which most sites are designed for).',
        }),
      ),
      wait_seconds: WAIT,
    },
    { additionalProperties: false },
  ),
  readsOnly: false,
  async run(call, { url, max_pages: pages, inclusions, standard, device, wait_seconds: seconds, ...checks }) {
    const asked: Readonly<Record<string, unknown>> = checks;
    const defaults: Readonly<Record<string, unknown>> = reportDefaults(await call.api.read<'account'>('/account'));
    const { id } = await call.api.create<'report'>('/reports', {
      starting_url: url,
      ...defaults,
      ...(pages !== undefined && { max_pages: pages }),
      ...(inclusions !== undefined && { inclusions }),
      ...(standard !== undefined && { standard }),
      ...(device === 'desktop' && { device_id: (await desktopId(call)) ?? null }),
      // If the plan does not include accessibility checks, the API refuses the attribute even to turn them off.
      ...Object.fromEntries(
        CHECKS.flatMap(({ argument, attribute }) => {
          const isOn = asked[argument];
          return isOn === true || (isOn === false && Object.hasOwn(defaults, attribute)) ? [[attribute, isOn]] : [];
        }),
      ),
    });
    const text = await reportText(call, await reportAfter(call, id, seconds));
    const isLess = Object.keys(REPORT_DEFAULTS).some((name) => !Object.hasOwn(defaults, name));
    return isLess ? `${text}\nAccessibility is not checked: the plan of the account does not include it.` : text;
  },
});

/** Undefined if the service has no such device: it uses the default device in this case. */
async function desktopId({ api, signal }: ToolCall): Promise<string | undefined> {
  for await (const { id, name } of api.readAll<'device'>('/devices', { signal }))
    if (name === DESKTOP_DEVICE) return id;
  return undefined;
}
