import Type, { type Static, type TSchema } from 'typebox';
import { STANDARD_IDS } from '../../packages/client/standards.ts';
import { CONSENT_CHOICES } from './consent.ts';
import type { ShownJourney } from './journey.ts';
import { ADDITIVE, PRO } from './schemas.ts';
import { JOURNEY } from './step-schema.ts';

/**
 * The attributes of reports. `checks/check-attributes.ts` adds the attributes of the engines. Requests, responses, schedules, the
 * columns of `reports`, the options of `check`, the forms of the dashboard and the API reference are derived from them. A new
 * attribute requires an entry here, a migration, and the code that uses it.
 */

export interface ReportAttribute<Schema extends TSchema = TSchema> {
  /** The schema of the value as it is stored and shown. */
  readonly schema: Schema;
  readonly default: Static<Schema>;
  /** The label in forms. */
  readonly label: string;
  /** The description in the API reference. */
  readonly about: string;
  /** The credits that it adds to the price of a page if it is on. */
  readonly creditsPerPage?: number;
  /** Whether it decides which pages and checks a report has. Comparisons name such attributes if they differ. */
  readonly isOfSite: boolean;
  readonly isRequired?: true;
  /** The notation in requests, if it differs from the stored value. */
  readonly notation?: Notation;
  /** Examples in the API reference. Default: the default value. */
  readonly examples?: readonly Static<Schema>[];
  /** Whether all values but the default require a Pro or Enterprise plan. */
  readonly isPro?: true;
  /** Whether sitewarden adds it to the API. */
  readonly isAdditive?: true;
  /** The option of `check` and its help. An option with `--no-` turns off a default. */
  readonly option?: readonly [flags: string, help: string];
}

/** Notations of values in requests, which `src/reports/definition/notations.ts` reads. */
export type Notation =
  | 'url'
  | 'urls'
  | 'inclusions'
  | 'exclusions'
  | 'tags'
  | 'device_id'
  | 'selector'
  | 'standard'
  | 'consent'
  | 'journeys';

/** Makes the compiler check the default and the examples against the schema. */
function attribute<Schema extends TSchema>(
  schema: Schema,
  facts: Omit<ReportAttribute<Schema>, 'schema'>,
): ReportAttribute<Schema> {
  return { schema, ...facts };
}

/** Creates a boolean attribute. */
export const flag = (facts: Omit<ReportAttribute<typeof FLAG>, 'schema'>) => attribute(FLAG, facts);
const FLAG = Type.Boolean();
const TEXTS = Type.Array(Type.String());
const OPTIONAL_TEXT = Type.Union([Type.String(), Type.Null()]);
const OPTIONAL_STANDARD = Type.Union([Type.Enum([...STANDARD_IDS]), Type.Null()]);
const OPTIONAL_CONSENT = Type.Union([Type.Enum([...CONSENT_CHOICES]), Type.Null()]);
const JOURNEYS = Type.Unsafe<readonly ShownJourney[]>(Type.Array(JOURNEY));
const FROM_ONE = Type.Integer({ minimum: 1 });

/** Columns of `reports` with the same names. */
export const REPORT_COLUMNS = {
  starting_url: attribute(Type.String(), {
    label: 'Address',
    default: '',
    isOfSite: true,
    about: 'Where the spider starts: a page, a sitemap, a feed or a list of URLs.',
    isRequired: true,
    notation: 'url',
    examples: ['https://example.com/', 'http://example.org:8080/shop?page=2'],
  }),
  max_pages: attribute(FROM_ONE, {
    label: 'Maximum pages',
    default: 10,
    isOfSite: true,
    about:
      'The maximum number of web pages, up to the limit of the plan: 10,000 unless configured otherwise. See `limits` of your account.',
    option: ['--max-pages <number>', 'maximum number of pages'],
  }),
  rate_limit: attribute(FROM_ONE, {
    label: 'Maximum requests per second',
    default: 1,
    isOfSite: false,
    about:
      'The maximum number of requests to the site per second, up to the limit of the plan: 100 unless configured otherwise. See `limits` of your account.',
    option: ['--rate-limit <number>', 'maximum number of page requests per second'],
  }),
  deep_crawl: flag({
    label: 'Follow the links of all pages',
    default: true,
    isOfSite: true,
    about:
      'Whether the spider follows the links of all pages that it finds, up to `max_pages`, or only the links of the starting page. It has no effect if the starting URL is a sitemap: the report then contains the pages that the sitemap lists.',
    option: ['--no-deep-crawl', 'check only the starting page and the pages it links to'],
  }),
  prefer_canonical_urls: flag({
    label: 'List pages under their canonical address',
    default: true,
    isOfSite: true,
    about: 'Whether a page with a canonical URL on the same site is listed under that URL.',
    option: ['--no-prefer-canonical-urls', 'ignore the canonical URLs of pages'],
  }),
  respect_robots_txt: flag({
    label: 'Obey robots.txt',
    default: false,
    isOfSite: true,
    about:
      "Whether the spider obeys the rules for `sitewarden` in the site's robots.txt, including `Crawl-delay`, and adds the pages of its sitemaps. Without a robots.txt, everything is allowed; if it cannot be fetched (5xx, no response), nothing is. Links and pages marked `nofollow` or `noindex` are still followed and checked.",
    isAdditive: true,
    option: ['--respect-robots-txt', "obey the site's robots.txt"],
  }),
  dynamic_crawler: flag({
    label: 'Dynamic crawler: render pages in a browser',
    default: false,
    isOfSite: true,
    about: 'Whether pages are rendered in a browser, to find the links that scripts add.',
    creditsPerPage: 1,
    isPro: true,
    option: ['--dynamic-crawler', 'render pages in the browser to find links that scripts add'],
  }),
  initial_urls: attribute(TEXTS, {
    label: 'Additional addresses',
    default: [],
    isOfSite: true,
    about: 'Additional URLs from which the spider starts.',
    notation: 'urls',
    examples: [['https://example.com/a', 'https://example.com/b']],
    isPro: true,
    option: ['--initial-url <url>', 'another URL to start from; repeatable'],
  }),
  inclusions: attribute(TEXTS, {
    label: 'Included addresses',
    default: [],
    isOfSite: true,
    about:
      'Only pages that match one of these are checked. Each is the beginning of a URL, including `https://`, or the beginning of a path and query. If empty, all pages are checked. `/shop/` also matches `/shop`. There are no wildcards. Case-sensitive. Exclusions take precedence. The starting URL and initial URLs are requested for their links even if they do not match; they are then not web pages of the report.',
    notation: 'inclusions',
    examples: [['/shop/', 'https://example.com/help/']],
    isPro: true,
    isAdditive: true,
    option: ['--include <url-or-path>', 'check only pages whose URL or path begins with this; repeatable'],
  }),
  exclusions: attribute(TEXTS, {
    label: 'Excluded addresses',
    default: [],
    isOfSite: true,
    about:
      'URLs that the spider skips: the beginning of a URL, including `https://`, or any part of a path and query. There are no wildcards. Case-sensitive.',
    notation: 'exclusions',
    examples: [['/archive/', 'https://example.com/print']],
    isPro: true,
    option: ['--exclude <url-or-path>', 'skip URLs that begin with this or contain it in their path; repeatable'],
  }),
  device_id: attribute(OPTIONAL_TEXT, {
    label: 'Device',
    default: null,
    isOfSite: true,
    about: 'The device that the crawl and the accessibility checks emulate: an id from the list of devices.',
    notation: 'device_id',
    isPro: true,
    option: [
      '--device <name-or-id>',
      'device to emulate: desktop (1280x720), "iPhone 15" or another; "help" lists all (default: 800x600)',
    ],
  }),
  device_rotated: flag({
    label: 'Rotated',
    default: false,
    isOfSite: true,
    about: "Whether to swap the width and height of the device's viewport.",
    isPro: true,
    option: ['--device-rotated', 'swap the width and height of the device'],
  }),
  wait_for: attribute(OPTIONAL_TEXT, {
    label: 'Wait for an element',
    default: null,
    isOfSite: true,
    about:
      'A CSS selector: the accessibility check and the dynamic crawler wait for an element that matches it before they use the page. If there is none within `SITEWARDEN_SETTLE_MS` (10 seconds unless configured otherwise), they use the page in its current state, and `a11y_check.note` says so. Without a selector, they wait until the page stops changing. They do not wait for pages without scripts.',
    notation: 'selector',
    examples: ['main[data-ready]', null],
    isPro: true,
    isAdditive: true,
    option: ['--wait-for <selector>', 'CSS selector of an element to wait for before a page is checked'],
  }),
  block_writes: flag({
    label: 'Behind a login, block page requests that may change data',
    default: true,
    isOfSite: true,
    about:
      'Whether requests that pages send while they load are blocked unless their method is GET, HEAD or OPTIONS. It applies to reports with a `login`, and to pages in the browser; `a11y_check.note` says what was blocked. Turn it off for pages that load data with POST, such as from a GraphQL API.',
    isAdditive: true,
    option: ['--no-block-writes', 'behind a login, let pages send requests that may change something'],
  }),
  journeys: attribute(JOURNEYS, {
    label: 'Journeys',
    default: [],
    isOfSite: true,
    about:
      'Named lists of steps that a browser performs after the crawl. Each `check` among them is a page of the report, in addition to `max_pages`: its accessibility is checked as it is shown at that moment, and its HTML is the DOM at that moment. Secrets in steps are stored encrypted and never shown. Responses contain `true` in their place; send `true` to keep a stored secret.',
    notation: 'journeys',
    examples: [
      [
        {
          name: 'Checkout',
          steps: [
            { open: '/shop' },
            { click: '#add-to-cart' },
            { wait_for: { selector: '#cart' } },
            { check: 'Filled cart' },
          ],
        },
      ],
      [],
    ],
    isPro: true,
    isAdditive: true,
  }),
  only_journeys: flag({
    label: 'Check only the journeys',
    default: false,
    isOfSite: true,
    about: 'Whether the report consists of its `journeys` alone, without the pages that a crawl finds.',
    isPro: true,
    isAdditive: true,
  }),
  explore_states: flag({
    label: 'Open menus, dialogs and tabs',
    default: false,
    isOfSite: true,
    about:
      'Whether the accessibility check also opens elements that HTML or ARIA marks as expandable, such as menus, disclosures, tabs, accordions and dialogs, one at a time. Issues that appear only in these states are added; `reached_by` of their occurrences says how to get there. No link is followed, no form is sent, and only GET requests are sent. At most 50 states of a page are opened; `a11y_check.note` says if there are more.',
    isPro: true,
    isAdditive: true,
    option: ['--explore-states', 'also check what menus, tabs and dialogs show when they are open'],
  }),
  consent: attribute(OPTIONAL_CONSENT, {
    label: 'Consent banners',
    default: null,
    isOfSite: true,
    about:
      'What is chosen in consent banners before the accessibility of a page is checked: `accept`, or `reject` if the banner has such a button. The first page of the report keeps its banner, so that the banner is checked, too, unless `max_pages` is 1. `a11y_check.consent` says how each page was checked. Null: nothing is chosen.',
    notation: 'consent',
    examples: [null, 'reject'],
    isPro: true,
    isAdditive: true,
    option: ['--consent <choice>', 'dismiss consent banners: accept or reject'],
  }),
  standard: attribute(OPTIONAL_STANDARD, {
    label: 'Standard',
    default: null,
    isOfSite: true,
    about:
      'The accessibility standard that the site has to meet. It determines which rules of the accessibility check run and which issues count: `filter[muted]=outside_standard` lists the others. Null: the default rules of axe-core, and all issues count.',
    notation: 'standard',
    examples: ['wcag22-aa', null],
    isAdditive: true,
    option: ['--standard <name>', 'accessibility standard to meet, such as wcag22-aa, en-301-549 or section-508'],
  }),
  best_practices: flag({
    label: 'Best practices also count',
    default: false,
    isOfSite: true,
    about: 'Whether best practices count in addition to `standard`. Without a standard, they always count.',
    isAdditive: true,
    option: ['--best-practices', 'count best practices in addition to the standard'],
  }),
  store_screenshots: flag({
    label: 'A screenshot of each page',
    default: false,
    isOfSite: false,
    about:
      'Whether to take a screenshot of each page during its accessibility check, to show where its issues are. It has no effect without accessibility checks.',
    isPro: true,
    isAdditive: true,
    option: ['--store-screenshots', 'take a screenshot of each page whose accessibility is checked'],
  }),
  reuse: flag({
    label: 'Reuse results of unchanged pages',
    default: true,
    isOfSite: false,
    about:
      'Whether a page that has not changed gets the result of its last check, if everything else that the result depends on is the same, too. Re-checks never reuse results.',
    isAdditive: true,
    option: ['--no-reuse', 'check every page, even if nothing has changed since its last check'],
  }),
  tags: attribute(TEXTS, {
    label: 'Tags',
    default: [],
    isOfSite: false,
    about: 'Tags to filter reports by.',
    notation: 'tags',
    examples: [['shop', 'autumn']],
    option: ['--tags <list>', 'comma-separated tags of the report'],
  }),
  shared: flag({
    label: 'Anyone with the link can read the report',
    default: false,
    isOfSite: false,
    about: 'Whether others can read the whole report: any account that knows its id, and anyone with its `share_url`.',
  }),
};

export type ReportAttributes = Readonly<Record<string, ReportAttribute>>;
type Schemas<Attributes extends ReportAttributes> = { [Name in keyof Attributes]: Attributes[Name]['schema'] };

/**
 * Returns the schemas of attributes as they are stored and shown, with their descriptions.
 * @param marks are added to each of them
 */
export function schemasOf<Attributes extends ReportAttributes>(
  attributes: Attributes,
  marks?: object,
): Schemas<Attributes>;
export function schemasOf(attributes: ReportAttributes, marks: object = {}): Record<string, TSchema> {
  const described = Object.entries(attributes).map(([name, { schema, about, isPro, isAdditive, ...facts }]) => {
    const examples = facts.examples ?? [facts.default];
    const own = { ...(isPro && PRO), ...(isAdditive && ADDITIVE) };
    return [name, Type.With(schema, { description: about, examples, ...own, ...marks })];
  });
  return Object.fromEntries(described);
}
