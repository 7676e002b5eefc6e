import { completeUrl, creditsOfPage, linesOf, pairsOf } from './report-settings.ts';

/** What a form of a report or a schedule sends: attributes of the API, by name. */
export type FormAttributes = Readonly<Record<string, unknown>>;

const FLAGS = [
  'deep_crawl',
  'prefer_canonical_urls',
  'respect_robots_txt',
  'perform_html_checks',
  'perform_link_checks',
  'shared',
] as const;

const PRO_FLAGS = [
  'perform_a11y_checks',
  'dynamic_crawler',
  'device_rotated',
  'store_screenshots',
  'store_raw_html_checks',
  'store_raw_a11y_checks',
  'store_raw_link_checks',
] as const;

const NUMBERS = ['max_pages', 'rate_limit'] as const;

/**
 * Reads the settings in a form.
 * @param isPro whether the form has the fields that a paying plan has
 */
export function settingsIn(fields: FormData, isPro: boolean): FormAttributes {
  const flags = isPro ? [...FLAGS, ...PRO_FLAGS] : FLAGS;
  return {
    starting_url: completeUrl(text(fields, 'starting_url')),
    tags: text(fields, 'tags'),
    ...Object.fromEntries(NUMBERS.map((name) => [name, numberIn(text(fields, name))])),
    ...Object.fromEntries(flags.map((name) => [name, fields.has(name)])),
    ...(isPro && {
      initial_urls: linesOf(text(fields, 'initial_urls')),
      exclusions: linesOf(text(fields, 'exclusions')),
      wait_for: text(fields, 'wait_for'),
      device_id: text(fields, 'device_id') || 'default',
    }),
  };
}

/** Credentials for the site, of which only those that were typed are given, and what is wrong with them by attribute. */
interface AccessIn {
  readonly attributes: FormAttributes;
  readonly problems: readonly { readonly field: string; readonly detail: string }[];
}

/** Reads the credentials for the site in a form. `forget_access` takes away those that are stored. */
export function accessIn(fields: FormData): AccessIn {
  const [username = '', password = ''] = fields.getAll('basic_auth').map(String);
  const headers = pairsOf(text(fields, 'headers'), ':');
  const cookies = pairsOf(text(fields, 'cookies'), '=');
  const none = fields.has('forget_access') ? { basic_auth: null, headers: null, cookies: null } : {};
  return {
    attributes: {
      ...none,
      ...(username + password !== '' && { basic_auth: { username, password } }),
      ...(Object.keys(headers.pairs).length > 0 && { headers: headers.pairs }),
      ...(Object.keys(cookies.pairs).length > 0 && { cookies: cookies.pairs }),
    },
    problems: [
      ...(headers.wrong === null
        ? []
        : [
            {
              field: 'headers',
              detail: `Headers: “${headers.wrong}” is not a name, a colon and a value, or is there twice.`,
            },
          ]),
      ...(cookies.wrong === null
        ? []
        : [
            {
              field: 'cookies',
              detail: `Cookies: “${cookies.wrong}” is not a name, = and a value, or is there twice.`,
            },
          ]),
    ],
  };
}

/** What a report costs at most, in credits. */
interface Price {
  readonly pages: number;
  /** Of one page, by what it is for. */
  readonly parts: readonly { readonly title: string; readonly credits: number }[];
  readonly total: number;
}

const CHECK_TITLES = { html: 'HTML', a11y: 'Accessibility', link: 'Links' } as const;

/** Returns what a report with these settings costs at most. */
export function priceOf(settings: FormAttributes): Price {
  const pages = typeof settings['max_pages'] === 'number' ? Math.max(0, Math.floor(settings['max_pages'])) : 0;
  const kinds = (['html', 'a11y', 'link'] as const).filter((kind) => settings[`perform_${kind}_checks`] === true);
  const raws = kinds.filter((kind) => settings[`store_raw_${kind}_checks`] === true).length;
  const isRendered = settings['dynamic_crawler'] === true;
  return {
    pages,
    parts: [
      ...kinds.map((kind) => ({ title: CHECK_TITLES[kind], credits: pages })),
      ...(raws > 0 ? [{ title: 'Raw results', credits: pages * raws }] : []),
      ...(isRendered ? [{ title: 'Rendering', credits: pages }] : []),
    ],
    total: pages * creditsOfPage({ checks: kinds.length, raws, isRendered }),
  };
}

function text(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/** A number, or what was typed instead, which the service refuses by name. */
function numberIn(typed: string): number | string {
  return typed === '' || Number.isNaN(Number(typed)) ? typed : Number(typed);
}
