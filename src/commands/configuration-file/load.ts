import { existsSync } from 'node:fs';
import type { PlanLimits } from '../../accounts/plans.ts';
import { AppError } from '../../platform/errors.ts';
import { CONFIGURATION_FILE } from './name.ts';
import { type ConfigurationContent, ConfigurationFault, type ConfiguredSite, parseConfiguration } from './parse.ts';
import { readText } from './read-text.ts';
import { usage } from './usage.ts';

/** What to check, from the command line. */
export interface WantedSites {
  /** Undefined for the sites of the file. */
  readonly url: string | undefined;
  /** The value of `--config`. */
  readonly config?: string;
  /** The value of `--site`. */
  readonly site?: string;
}

export interface LoadedConfiguration {
  /** The file as it is named in messages; null without one. */
  readonly path: string | null;
  /** At least one. */
  readonly sites: readonly ConfiguredSite[];
  /** Whether the file is checked as a whole: all of its sites, at their own addresses. */
  readonly isWhole: boolean;
}

/**
 * Reads the configuration file: the file of `--config`, or, if no URL is given, `sitewarden.yaml` in the working directory. A URL
 * gets the settings of the site with that starting URL, or the settings for all sites if there is none.
 * @param limits the limits of reports
 * @throws AppError invalid_usage if there is nothing to check, or no such site; invalid_configuration if the file is wrong
 */
export async function loadConfiguration(wanted: WantedSites, limits: PlanLimits): Promise<LoadedConfiguration> {
  const { url, config, site } = wanted;
  if (config === undefined && url !== undefined) {
    if (site !== undefined)
      throw usage('--site selects a site of the configuration file: add --config FILE, or omit the URL');
    return { path: null, sites: [{ ...NOTHING, attributes: { starting_url: url } }], isWhole: false };
  }
  if (config === undefined && !existsSync(CONFIGURATION_FILE)) {
    throw usage(
      `check requires a URL, or a file ${CONFIGURATION_FILE} in this folder (create it with init). Try: check https://example.com/`,
    );
  }
  const path = config ?? CONFIGURATION_FILE;
  const content = await readConfiguration(path, limits);
  const sites = sitesOf(content, path, wanted);
  return { path, sites, isWhole: url === undefined && sites.length === content.sites.length };
}

const NOTHING: ConfiguredSite = {
  name: '',
  attributes: {},
  failOn: undefined,
  maxIssues: undefined,
  baseline: undefined,
  mutings: [],
  budgets: [],
};

async function readConfiguration(path: string, limits: PlanLimits): Promise<ConfigurationContent> {
  const text = await readText(path, `--config ${path}`);
  try {
    return parseConfiguration(text, path, limits);
  } catch (cause) {
    if (cause instanceof ConfigurationFault) throw new AppError('invalid_configuration', cause.message, { cause });
    throw cause;
  }
}

function sitesOf(
  { sites, common }: ConfigurationContent,
  path: string,
  { url, site }: WantedSites,
): readonly ConfiguredSite[] {
  const named = site === undefined ? sites : sites.filter(({ name }) => name === site);
  if (site !== undefined && named.length === 0) {
    const names = sites.map(({ name }) => name).join(', ');
    throw usage(`${path} has no site named ${site}${names === '' ? '' : `: it has ${names}`}`);
  }
  if (url === undefined) {
    if (named.length === 0) throw usage(`${path} has no sites: add a site, or pass a URL`);
    return named;
  }
  // A named site can be checked at another address, such as a preview.
  if (site !== undefined)
    return named.map((each) => ({ ...each, attributes: { ...each.attributes, starting_url: url } }));
  const same = sites.filter(({ attributes }) => hrefOf(attributes['starting_url']) === hrefOf(url));
  if (same.length > 1) {
    throw usage(
      `${path} has several sites with this URL: add --site ${same.map(({ name }) => name).join(' or --site ')}`,
    );
  }
  return [same[0] ?? { ...common, attributes: { ...common.attributes, starting_url: url } }];
}

function hrefOf(url: unknown): string | undefined {
  return typeof url === 'string' ? URL.parse(url)?.href : undefined;
}
