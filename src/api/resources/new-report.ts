import Type from 'typebox';
import { Value } from 'typebox/value';
import type { Viewer } from '../../accounts/access.ts';
import { CHECK_KINDS } from '../../domain/check.ts';
import { DEFAULT_DEFINITION, type ReportDefinition } from '../../domain/report-definition.ts';
import { NO_ACCESS } from '../../domain/site-access.ts';
import type { NewReportInput } from '../../reports/create-report.ts';
import { type Attributes, attributeProblems, hasProblem } from '../jsonapi/attributes.ts';
import { attributeProblem, type Problem, RequestError } from '../jsonapi/errors.ts';
import { exclusionMaxCharacters, exclusionsMax, initialUrlsMax } from '../limits.ts';
import { DEFINITION_ATTRIBUTES } from './definition-attributes.ts';
import { KIND_WORDS } from './parameters.ts';
import { readSelector } from './selector-attribute.ts';
import { readSiteAccess } from './site-access-attributes.ts';
import { type Reading, readDeviceId, readLines, readTags, readUrl } from './text-attributes.ts';

/** The attributes of POST /reports. */
export const NEW_REPORT_ATTRIBUTES = Type.Object(DEFINITION_ATTRIBUTES, { additionalProperties: false });

const Given = Type.Partial(Type.Object(NEW_REPORT_ATTRIBUTES.properties));

/**
 * A new report from the attributes of a request.
 * @throws RequestError invalid, with all invalid attributes at once
 */
export function parseNewReport(attributes: Attributes, viewer: Pick<Viewer, 'accountId' | 'limits'>): NewReportInput {
  const problems = attributeProblems(NEW_REPORT_ATTRIBUTES, attributes);
  const definition = readDefinition(attributes, problems, viewer, DEFAULT_DEFINITION);
  const siteAccess = readSiteAccess(attributes, problems, () => NO_ACCESS) ?? NO_ACCESS;
  if (problems.size > 0) throw new RequestError('invalid', [...problems.values()]);
  const { accountId, limits } = viewer;
  return { accountId, ...definition, siteAccess, waitingReportsMax: limits.waiting_reports };
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
  const given = Object.fromEntries(Object.entries(attributes).filter(([name]) => !hasProblem(problems, name)));
  if (!Value.Check(Given, given)) throw new Error('Attributes passed their parts and failed as a whole.');

  addLimitProblems(problems, given, viewer.limits);
  const checks = CHECK_KINDS.filter((kind) => given[`perform_${kind}_checks`] ?? defaults.checks.includes(kind));
  if (checks.length === 0) {
    const off = CHECK_KINDS.find((kind) => given[`perform_${kind}_checks`] === false) ?? 'html';
    const others = CHECK_KINDS.filter((kind) => kind !== off).map((kind) => KIND_WORDS[kind]);
    const title = `cannot be false unless ${others.join(' or ')} checks are on: at least one check must be enabled`;
    add(`perform_${off}_checks`, title);
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
    dynamicCrawler: given.dynamic_crawler ?? defaults.dynamicCrawler,
    respectRobotsTxt: given.respect_robots_txt ?? defaults.respectRobotsTxt,
    checks,
    deviceId: read('device_id', given.device_id, readDeviceId, defaults.deviceId),
    deviceRotated: given.device_rotated ?? defaults.deviceRotated,
    waitFor: read('wait_for', given.wait_for, readSelector, defaults.waitFor),
    shared: given.shared ?? defaults.shared,
    tags: read('tags', given.tags, readTags, defaults.tags),
    storeRawChecks: CHECK_KINDS.filter(
      (kind) => given[`store_raw_${kind}_checks`] ?? defaults.storeRawChecks.includes(kind),
    ),
  };
}

/** The schema does not know what the plan allows, so what it says of these numbers is not the whole of it. */
function addLimitProblems(
  problems: Map<string, Problem>,
  given: { readonly max_pages?: number; readonly rate_limit?: number },
  limits: Viewer['limits'],
): void {
  for (const name of ['max_pages', 'rate_limit'] as const) {
    const isWrong = problems.has(name) || (given[name] ?? 0) > limits[name];
    if (isWrong) problems.set(name, attributeProblem(name, `must be a whole number from 1 to ${limits[name]}`));
  }
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
