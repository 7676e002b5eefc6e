import Type from 'typebox';
import { Value } from 'typebox/value';
import type { Viewer } from '../../accounts/access.ts';
import { CHECK_KINDS } from '../../domain/check.ts';
import { DEFAULT_DEFINITION, type ReportDefinition } from '../../domain/report-definition.ts';
import type { NewReportInput } from '../../reports/report-actions.ts';
import { type Attributes, attributeProblems } from '../attributes.ts';
import { attributeProblem, type Problem, RequestError } from '../jsonapi/errors.ts';
import { exclusionMaxCharacters, exclusionsMax, initialUrlsMax } from '../limits.ts';
import { PRO } from '../pro.ts';
import { type Reading, readDeviceId, readLines, readTags, readUrl } from '../text-attributes.ts';

const flag = (defaultValue: boolean) => Type.Optional(Type.Boolean({ default: defaultValue }));
const proFlag = Type.Optional(Type.Boolean({ default: false, ...PRO }));

/** In the contract, the lines of a text; where a program writes them, an array is easier. */
const lines = (options: { readonly description: string; readonly examples: readonly unknown[] }) =>
  Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())], { ...options, ...PRO }));

/** Like that of the rate, its maximum is the plan's. */
export function maxPagesAttribute(defaultValue: number) {
  return Type.Optional(
    Type.Integer({
      minimum: 1,
      default: defaultValue,
      description: 'At most what the plan allows, 10,000 unless configured.',
    }),
  );
}

/** The attributes that say what a report is made of, of POST /reports as of schedules (section 4.1 of the contract). */
export const DEFINITION_ATTRIBUTES = {
  starting_url: Type.String({
    description: 'Absolute http(s) URL, at most 2,048 characters, without credentials.',
    examples: ['https://example.com/', 'http://example.org:8080/shop?page=2'],
  }),
  initial_urls: lines({
    description: 'URLs, one a line, or an array.',
    examples: ['https://example.com/a\nhttps://example.com/b', ['https://example.com/a', 'https://example.com/b'], ''],
  }),
  exclusions: lines({
    description: 'URLs or parts of paths to skip, one a line, or an array.',
    examples: ['/archive/\nhttps://example.com/print', ['/archive/', 'https://example.com/print'], ''],
  }),
  max_pages: maxPagesAttribute(DEFAULT_DEFINITION.maxPages),
  rate_limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: 1,
      description: 'Requests per second; at most what the plan allows, 100 unless configured.',
    }),
  ),
  deep_crawl: flag(true),
  prefer_canonical_urls: flag(true),
  dynamic_crawler: proFlag,
  respect_robots_txt: flag(false),
  perform_html_checks: flag(true),
  perform_a11y_checks: proFlag,
  device_id: Type.Optional(Type.Union([Type.String(), Type.Null()], { default: 'default', ...PRO })),
  device_rotated: proFlag,
  shared: flag(false),
  tags: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String())], {
      description: 'Separated by commas, or an array.',
      examples: ['shop, autumn', ['shop', 'autumn']],
    }),
  ),
};

/** The attributes of POST /reports. */
export const NEW_REPORT_ATTRIBUTES = Type.Object(
  { ...DEFINITION_ATTRIBUTES, store_raw_html_checks: proFlag, store_raw_a11y_checks: proFlag },
  { additionalProperties: false },
);

/** Attributes whose feature is not there yet; they are accepted with the value that asks for nothing. */
const NOT_AVAILABLE = ['dynamic_crawler'] as const;

const Given = Type.Partial(Type.Object(NEW_REPORT_ATTRIBUTES.properties));

/**
 * A new report from the attributes of a request.
 * @throws RequestError invalid, with all invalid attributes at once
 */
export function parseNewReport(attributes: Attributes, viewer: Pick<Viewer, 'accountId' | 'limits'>): NewReportInput {
  const problems = attributeProblems(NEW_REPORT_ATTRIBUTES, attributes);
  const definition = readDefinition(attributes, problems, viewer, DEFAULT_DEFINITION);
  if (problems.size > 0) throw new RequestError('invalid', [...problems.values()]);
  const storeRawChecks = CHECK_KINDS.filter((kind) => attributes[`store_raw_${kind}_checks`] === true);
  return { accountId: viewer.accountId, ...definition, storeRawChecks };
}

/**
 * What a report is made of, from those attributes of a request that have no problem yet.
 * @param problems gets what is wrong beyond what a schema can tell; the result counts only without any
 * @param defaults stand for what is not given
 */
export function readDefinition(
  attributes: Attributes,
  problems: Map<string, Problem>,
  viewer: Pick<Viewer, 'limits'>,
  defaults: ReportDefinition,
): ReportDefinition {
  const add = (name: string, title: string | null, remedy?: string): void => {
    if (title !== null && !problems.has(name)) problems.set(name, attributeProblem(name, title, remedy));
  };
  const given = Object.fromEntries(Object.entries(attributes).filter(([name]) => !problems.has(name)));
  if (!Value.Check(Given, given)) throw new Error('Attributes passed their parts and failed as a whole.');

  for (const name of NOT_AVAILABLE) {
    const asksForNothing = !given[name];
    add(name, asksForNothing ? null : 'is not available in this version yet');
  }
  for (const name of ['max_pages', 'rate_limit'] as const) add(name, aboveLimit(given[name], viewer.limits[name]));
  const performHtmlChecks = given.perform_html_checks ?? defaults.performHtmlChecks;
  const performA11yChecks = given.perform_a11y_checks ?? defaults.performA11yChecks;
  if (!performHtmlChecks && !performA11yChecks) {
    const isA11y = given.perform_html_checks === undefined;
    const [name, others] = isA11y ? ['perform_a11y_checks', 'HTML'] : ['perform_html_checks', 'accessibility'];
    add(name, `cannot be false unless ${others} checks are on: at least one check must be enabled`);
  }
  const read = <Given, T>(
    name: string,
    text: Given | undefined,
    reader: (text: Given) => Reading<T>,
    fallback: T,
  ): T => {
    if (text === undefined) return fallback;
    const { value, problem, remedy } = reader(text);
    add(name, problem, remedy);
    return value;
  };
  return {
    startingUrl: read('starting_url', given.starting_url, readUrl, defaults.startingUrl),
    initialUrls: read('initial_urls', given.initial_urls, readInitialUrls, defaults.initialUrls),
    exclusions: read('exclusions', given.exclusions, readExclusions, defaults.exclusions),
    // What nobody asked for may not exceed what the plan allows, either.
    maxPages: given.max_pages ?? Math.min(defaults.maxPages, viewer.limits.max_pages),
    rateLimit: given.rate_limit ?? Math.min(defaults.rateLimit, viewer.limits.rate_limit),
    deepCrawl: given.deep_crawl ?? defaults.deepCrawl,
    preferCanonicalUrls: given.prefer_canonical_urls ?? defaults.preferCanonicalUrls,
    respectRobotsTxt: given.respect_robots_txt ?? defaults.respectRobotsTxt,
    performHtmlChecks,
    performA11yChecks,
    deviceId: read('device_id', given.device_id, readDeviceId, defaults.deviceId),
    deviceRotated: given.device_rotated ?? defaults.deviceRotated,
    shared: given.shared ?? defaults.shared,
    tags: read('tags', given.tags, readTags, defaults.tags),
  };
}

function aboveLimit(value: number | undefined, max: number): string | null {
  return value !== undefined && value > max ? `must be a whole number from 1 to ${max}` : null;
}

type Lines = string | readonly string[];

function readExclusions(given: Lines): Reading<string[]> {
  return readLines(given, exclusionsMax, exclusionMaxCharacters);
}

function readInitialUrls(given: Lines): Reading<string[]> {
  const lines = readLines(given, initialUrlsMax, Number.POSITIVE_INFINITY);
  const readings = lines.value.map((line) => ({ line, ...readUrl(line) }));
  const value = [...new Set(readings.map((reading) => reading.value))];
  const wrong = readings.find((reading) => reading.problem !== null);
  if (lines.problem !== null || wrong === undefined) return { value, problem: lines.problem };
  const remedy = `${wrong.line.slice(0, 200)} ${wrong.problem}${wrong.remedy === undefined ? '' : ` (${wrong.remedy})`}`;
  return { value, problem: 'has an invalid URL', remedy };
}
