import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { Viewer } from '../../accounts/access.ts';
import { limitsOf } from '../../accounts/plans.ts';
import type { NewReportInput } from '../../reports/report-actions.ts';
import { type Attributes, attributeProblems } from '../attributes.ts';
import { attributeProblem, RequestError } from '../jsonapi/errors.ts';
import { exclusionMaxCharacters, exclusionsMax, initialUrlsMax } from '../limits.ts';
import { PRO } from '../pro.ts';
import { type Reading, readLines, readTags, readUrl } from '../text-attributes.ts';

const flag = (defaultValue: boolean) => Type.Optional(Type.Boolean({ default: defaultValue }));
const proFlag = Type.Optional(Type.Boolean({ default: false, ...PRO }));

/** The attributes of POST /reports (section 4.1 of the contract). */
export const NEW_REPORT_ATTRIBUTES = Type.Object(
  {
    starting_url: Type.String({ description: 'Absolute http(s) URL, at most 2,048 characters, without credentials.' }),
    initial_urls: Type.Optional(Type.String({ description: 'URLs, one a line.', ...PRO })),
    exclusions: Type.Optional(Type.String({ description: 'URLs or parts of paths to skip, one a line.', ...PRO })),
    max_pages: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 10 })),
    rate_limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 1, description: 'Requests per second.' }),
    ),
    deep_crawl: flag(true),
    prefer_canonical_urls: flag(true),
    dynamic_crawler: proFlag,
    respect_robots_txt: flag(false),
    perform_html_checks: flag(true),
    perform_a11y_checks: proFlag,
    store_raw_html_checks: proFlag,
    store_raw_a11y_checks: proFlag,
    device_id: Type.Optional(Type.Union([Type.String(), Type.Null()], PRO)),
    device_rotated: proFlag,
    shared: flag(false),
    tags: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.String())], { description: 'Separated by commas, or an array.' }),
    ),
  },
  { additionalProperties: false },
);

/** Attributes whose feature is not there yet; they are accepted with the value that asks for nothing. */
const NOT_AVAILABLE = [
  'dynamic_crawler',
  'respect_robots_txt',
  'store_raw_html_checks',
  'store_raw_a11y_checks',
  'device_id',
] as const;

const Partial = Type.Partial(NEW_REPORT_ATTRIBUTES);

/**
 * A new report from the attributes of a request.
 * @throws RequestError invalid, with all invalid attributes at once
 */
export function parseNewReport(attributes: Attributes, viewer: Viewer): NewReportInput {
  const problems = attributeProblems(NEW_REPORT_ATTRIBUTES, attributes);
  const add = (name: string, title: string | null): void => {
    if (title !== null && !problems.has(name)) problems.set(name, attributeProblem(name, title));
  };
  const valid = Object.fromEntries(Object.entries(attributes).filter(([name]) => !problems.has(name)));
  if (!Value.Check(Partial, valid)) throw new Error('Attributes passed their parts and failed as a whole.');

  for (const name of NOT_AVAILABLE) {
    const asksForNothing = !valid[name];
    add(name, asksForNothing ? null : 'is not available in this version yet');
  }
  const limits = limitsOf(viewer.plan);
  add('max_pages', aboveLimit(valid.max_pages, limits.maxPagesMax));
  add('rate_limit', aboveLimit(valid.rate_limit, limits.rateLimitMax));
  if (valid.perform_html_checks === false && valid.perform_a11y_checks !== true) {
    add(
      'perform_html_checks',
      'cannot be false unless accessibility checks are on: at least one check must be enabled',
    );
  }
  const read = <T>(name: keyof typeof valid, reading: Reading<T>): T => {
    add(name, reading.problem);
    return reading.value;
  };
  const texts = {
    startingUrl: read('starting_url', readUrl(valid.starting_url ?? '')),
    initialUrls: read('initial_urls', readInitialUrls(valid.initial_urls ?? '')),
    exclusions: read('exclusions', readLines(valid.exclusions ?? '', exclusionsMax, exclusionMaxCharacters)),
    tags: read('tags', readTags(valid.tags ?? [])),
  };
  if (problems.size > 0) throw new RequestError('invalid', [...problems.values()]);
  return { accountId: viewer.accountId, ...texts, ...withDefaults(valid) };
}

/** What was not given has the contract's default. */
function withDefaults(given: Static<typeof Partial>) {
  return {
    maxPages: given.max_pages ?? 10,
    rateLimit: given.rate_limit ?? 1,
    deepCrawl: given.deep_crawl ?? true,
    preferCanonicalUrls: given.prefer_canonical_urls ?? true,
    performHtmlChecks: given.perform_html_checks ?? true,
    performA11yChecks: given.perform_a11y_checks ?? false,
    deviceRotated: given.device_rotated ?? false,
    shared: given.shared ?? false,
  };
}

function aboveLimit(value: number | undefined, max: number): string | null {
  return value !== undefined && value > max ? `must be a whole number from 1 to ${max}` : null;
}

function readInitialUrls(text: string): Reading<string[]> {
  const lines = readLines(text, initialUrlsMax, Number.POSITIVE_INFINITY);
  const readings = lines.value.map((line) => readUrl(line));
  const wrong = readings.findIndex((reading) => reading.problem !== null);
  const problem = wrong === -1 ? null : `has an invalid URL: ${lines.value[wrong]?.slice(0, 200)}`;
  return { value: [...new Set(readings.map((reading) => reading.value))], problem: lines.problem ?? problem };
}
