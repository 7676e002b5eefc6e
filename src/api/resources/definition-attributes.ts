import Type, { type TSchemaOptions } from 'typebox';
import { DEFAULT_DEFINITION } from '../../domain/report-definition.ts';
import { ADDITIVE, flag, nullable, texts, webAddress } from '../../domain/schemas.ts';
import { PRO } from '../http/pro.ts';
import {
  exclusionMaxCharacters,
  exclusionsMax,
  initialUrlsMax,
  selectorMaxCharacters,
  startingUrlMaxCharacters,
  tagMaxCharacters,
  tagsMax,
} from '../limits.ts';
import { SIGNS_IN, SITE_ACCESS_ATTRIBUTES } from './site-access-attributes.ts';

/** The attributes that say what a report is made of, as reports and schedules take them and show them. */

const number = (value: number): string => value.toLocaleString('en');

/** What each attribute means, whichever way it goes. */
const ABOUT = {
  starting_url: 'Where the spider begins: a page, a sitemap, a feed or a list of URLs.',
  initial_urls: 'Further URLs that the spider visits from the start.',
  exclusions:
    'What the spider skips: the beginning of a URL, with its `https://`, or any part of a path and query. Without wildcards, and case counts.',
  max_pages: 'How many web pages are included at most.',
  rate_limit: 'Requests per second to the site at most.',
  deep_crawl:
    'Whether the spider follows the links of the pages that it finds, until `max_pages`. Else it takes those of the starting page alone. Without effect on sitemaps, whose pages are the listed ones.',
  prefer_canonical_urls: 'Whether a page counts under the canonical URL that it names, where that is on the same site.',
  dynamic_crawler: 'Whether pages are rendered in a browser, to find the links that scripts make.',
  respect_robots_txt:
    "Whether the spider keeps to what the site's robots.txt says to `sitewarden`, its `Crawl-delay` included, and takes the pages of the sitemaps that it names. One that cannot be had (5xx, no answer) forbids everything, a site without one nothing. Links and pages marked `nofollow` or `noindex` are taken all the same.",
  perform_html_checks: 'Whether pages get an HTML check. At least one kind of check must be on.',
  perform_a11y_checks: 'Whether pages get an accessibility check.',
  device_id:
    'The device that the report is crawled as and that the accessibility checks emulate: an id from the list of devices.',
  device_rotated: 'Whether width and height of its viewport are swapped.',
  wait_for:
    'A CSS selector of what a page with scripts is waited for: accessibility check and dynamic crawler take it once an element matches. If none does within `SITEWARDEN_SETTLE_MS` (10 seconds unless configured), they take it as it stands, and `a11y_check.note` says so. Without a selector they wait until the page is at rest. Pages without scripts are never waited for.',
  shared: 'Whether any account that has the id may read the report, with everything in it.',
  tags: 'Categories, to filter by.',
  store_raw_html_checks: "Whether the HTML checker's own output is kept for each page, for a credit each.",
  store_raw_a11y_checks: "Whether the accessibility checker's own output is kept for each page, for a credit each.",
} as const;

const optional = (name: keyof typeof ABOUT, preset: boolean, options: TSchemaOptions = {}) =>
  Type.Optional(flag(ABOUT[name], { default: preset, ...options }));

/** In the contract, the lines of a text; where a program writes them, an array is easier. */
const lines = (description: string, examples: readonly unknown[]) =>
  Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String())], {
      description: `${description} One a line, or an array.`,
      examples,
      ...PRO,
    }),
  );

/** Like that of the rate, its maximum is the plan's. */
export function maxPagesAttribute(preset: number) {
  const description = `${ABOUT.max_pages} No more than the plan allows: 10,000 unless configured, see \`limits\` of your account.`;
  return Type.Optional(Type.Integer({ minimum: 1, default: preset, description }));
}

/** As requests give them (sections 4.1 and 4.5 of the contract). */
export const DEFINITION_ATTRIBUTES = {
  starting_url: Type.String({
    description: `${ABOUT.starting_url} An absolute http or https URL of at most ${number(startingUrlMaxCharacters)} characters, without credentials.`,
    examples: ['https://example.com/', 'http://example.org:8080/shop?page=2'],
  }),
  initial_urls: lines(`${ABOUT.initial_urls} At most ${number(initialUrlsMax)}, absolute ones.`, [
    'https://example.com/a\nhttps://example.com/b',
    ['https://example.com/a', 'https://example.com/b'],
    '',
  ]),
  exclusions: lines(
    `${ABOUT.exclusions} At most ${number(exclusionsMax)} of at most ${number(exclusionMaxCharacters)} characters.`,
    ['/archive/\nhttps://example.com/print', ['/archive/', 'https://example.com/print'], ''],
  ),
  max_pages: maxPagesAttribute(DEFAULT_DEFINITION.maxPages),
  rate_limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: DEFAULT_DEFINITION.rateLimit,
      description: `${ABOUT.rate_limit} No more than the plan allows: 100 unless configured.`,
    }),
  ),
  deep_crawl: optional('deep_crawl', true),
  prefer_canonical_urls: optional('prefer_canonical_urls', true),
  dynamic_crawler: optional('dynamic_crawler', false, PRO),
  respect_robots_txt: optional('respect_robots_txt', false, ADDITIVE),
  perform_html_checks: optional('perform_html_checks', true),
  perform_a11y_checks: optional('perform_a11y_checks', false, PRO),
  device_id: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: `${ABOUT.device_id} Null and an empty text are the default device, too.`,
      default: 'default',
      ...PRO,
    }),
  ),
  device_rotated: optional('device_rotated', false, PRO),
  wait_for: Type.Optional(
    nullable(
      Type.String(),
      `${ABOUT.wait_for} At most ${selectorMaxCharacters} characters. Null and an empty text are none.`,
      {
        default: null,
        examples: ['main[data-ready]', null],
        ...PRO,
        ...ADDITIVE,
      },
    ),
  ),
  shared: optional('shared', false),
  tags: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String())], {
      description: `${ABOUT.tags} Separated by commas, or an array. At most ${tagsMax} of 1 to ${tagMaxCharacters} characters; they compare without regard to case.`,
      examples: ['shop, autumn', ['shop', 'autumn']],
    }),
  ),
  store_raw_html_checks: optional('store_raw_html_checks', false, PRO),
  store_raw_a11y_checks: optional('store_raw_a11y_checks', false, PRO),
  ...SITE_ACCESS_ATTRIBUTES,
};

/** As reports and schedules show them (sections 2.1 and 2.2). */
export const SHOWN_DEFINITION = {
  starting_url: webAddress(ABOUT.starting_url),
  initial_urls: Type.Array(Type.String(), { description: ABOUT.initial_urls, examples: [[]], ...PRO }),
  exclusions: texts(ABOUT.exclusions, { examples: [['/archive/']], ...PRO }),
  max_pages: Type.Integer({ minimum: 1, description: ABOUT.max_pages, examples: [100] }),
  rate_limit: Type.Integer({ minimum: 1, description: ABOUT.rate_limit, examples: [1] }),
  deep_crawl: flag(ABOUT.deep_crawl, { examples: [true] }),
  prefer_canonical_urls: flag(ABOUT.prefer_canonical_urls, { examples: [true] }),
  dynamic_crawler: flag(ABOUT.dynamic_crawler, PRO),
  respect_robots_txt: flag(ABOUT.respect_robots_txt, ADDITIVE),
  perform_html_checks: flag(ABOUT.perform_html_checks, { examples: [true] }),
  perform_a11y_checks: flag(ABOUT.perform_a11y_checks, { examples: [true], ...PRO }),
  device_rotated: flag(ABOUT.device_rotated, PRO),
  wait_for: nullable(Type.String(), ABOUT.wait_for, { examples: [null], ...PRO, ...ADDITIVE }),
  signs_in: SIGNS_IN,
  shared: flag(ABOUT.shared),
  tags: texts(ABOUT.tags, { examples: [['shop', 'autumn']] }),
};

/** What the contract keeps out of reports, and schedules show in addition: who changes them wants to see what there is. */
export const SHOWN_RAW_CHECKS = {
  store_raw_html_checks: flag(ABOUT.store_raw_html_checks, ADDITIVE),
  store_raw_a11y_checks: flag(ABOUT.store_raw_a11y_checks, ADDITIVE),
};
