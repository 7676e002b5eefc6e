import { dirname, join, resolve } from 'node:path';
import { REPORT_DEFAULTS } from '../../packages/client/report-defaults.ts';
import type { EngineDescription } from '../checks/engine-description.ts';
import { CHECK_KINDS, ENGINES } from '../checks/registry.ts';
import type { CheckKind } from '../domain/check.ts';
import { type CheckFailOn, mildestImpactIn } from '../domain/fail-on.ts';
import { AppError } from '../platform/errors.ts';
import { isObject, type JsonObject } from '../platform/json-object.ts';
import { attributesIn } from './attribute-options.ts';
import { type GivenBaseline, isReportReference, readBaseline } from './baseline.ts';
import type { ConfiguredBudget } from './configuration-file/budgets.ts';
import type { LoadedConfiguration } from './configuration-file/load.ts';
import { type ConfiguredMuting, isExpired } from './configuration-file/mutings.ts';
import type { ConfiguredSite } from './configuration-file/parse.ts';
import { parseFailOn } from './fail-on.ts';
import { readLoginFile, settingsWithSecrets, type Variable } from './login-file.ts';
import type { OutputPlace } from './output-place.ts';
import { type SiteAccessOptions, siteAccessAttributes } from './site-access-options.ts';

/** The options that are not attributes of the report. Those are in `attribute-options.ts`. */
export interface CheckOptions extends SiteAccessOptions {
  readonly format?: string;
  /** A file or a directory for files. Without it, the report goes to standard output. */
  readonly output?: string;
  /** Default: `error`, or `new` with a baseline. */
  readonly failOn?: string;
  /** A file or a report. */
  readonly baseline?: string;
  readonly writeBaseline?: string;
  readonly githubAnnotations?: string;
  /** A configuration file. */
  readonly config?: string;
  /** The name of a site in it. */
  readonly site?: string;
  /** The names of the journeys to check, without the rest of the site. */
  readonly journey?: readonly string[];
  readonly maxIssues: number;
  readonly keep: boolean;
  readonly verbose: boolean;
}

interface PlanMeans {
  /** Whether an option is on the command line, by its name in `options`. */
  isGiven(name: string): boolean;
  /** Returns an environment variable. */
  readonly variable: Variable;
}

/** The plan for the check of a site. */
export interface PlannedCheck {
  /** The site's name in the configuration file; empty without one. */
  readonly name: string;
  /** As POST /reports takes them, without defaults that depend on the account. */
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failOn: readonly CheckFailOn[];
  readonly maxIssues: number;
  readonly baseline: GivenBaseline | null;
  /** Only mutings that have not expired. */
  readonly mutings: readonly ConfiguredMuting[];
  readonly budgets: readonly ConfiguredBudget[];
  /** Null for standard output. */
  readonly place: OutputPlace | null;
}

/**
 * Plans the check of each site: options on the command line take precedence over the configuration file.
 * @throws AppError invalid_usage if options have no effect, or a file cannot be read
 */
export async function planChecks(
  { path, sites }: LoadedConfiguration,
  options: CheckOptions & { readonly place: OutputPlace | null },
  { isGiven, variable }: PlanMeans,
): Promise<readonly PlannedCheck[]> {
  const { place, writeBaseline } = options;
  const isOne = sites.length === 1;
  for (const option of ['baseline', 'writeBaseline'] as const) {
    if (isOne || options[option] === undefined) continue;
    const name = option === 'baseline' ? '--baseline' : '--write-baseline';
    throw new AppError('invalid_usage', `${name} applies to a single site: select it with --site.`);
  }
  const access = {
    ...siteAccessAttributes(options),
    ...(options.login !== undefined && { login: await readLoginFile(options.login, variable) }),
  };
  const now = new Date();
  const plans: PlannedCheck[] = [];
  for (const site of sites) {
    const baseline = baselineOf(site, options, path);
    // A check that writes its baseline accepts the issues that it finds.
    const { journey: journeys = [] } = options;
    const hasBaseline = baseline !== undefined || writeBaseline !== undefined;
    const failOn = parseFailOn(options.failOn, hasBaseline, site.failOn, journeys.length > 0);
    const steps = withJourneys(stepsOf(site, variable), journeys, { path, siteName: site.name });
    const chosen = attributesIn(options, isGiven, site.attributes);
    requireEffect(failOn, { ...REPORT_DEFAULTS, ...chosen });
    plans.push({
      name: site.name,
      attributes: { starting_url: site.attributes['starting_url'], ...chosen, ...steps, ...access },
      failOn,
      maxIssues: isGiven('maxIssues') ? options.maxIssues : (site.maxIssues ?? options.maxIssues),
      baseline: baseline === undefined ? null : await readBaseline(baseline),
      budgets: site.budgets,
      mutings: site.mutings.filter((muting) => !isExpired(muting, now)),
      place: place === null || isOne ? place : { ...place, directory: join(place.directory, site.name) },
    });
  }
  return plans;
}

/** Returns the login and journeys of the configuration file, with the secrets that it names. @throws AppError invalid_usage */
function stepsOf({ name, attributes }: ConfiguredSite, variable: Variable): JsonObject {
  const { login, journeys } = attributes;
  const { settings, problem } = settingsWithSecrets(
    { ...(login !== undefined && { login }), ...(journeys !== undefined && { journeys }) },
    variable,
  );
  if (problem !== null) throw new AppError('invalid_usage', `The ${problem.key} of ${name}: ${problem.text}.`);
  return settings;
}

/** Returns the settings with only the chosen journeys, as the only pages to check. @throws AppError invalid_usage */
function withJourneys(
  settings: JsonObject,
  wanted: readonly string[],
  { path, siteName }: Pick<LoadedConfiguration, 'path'> & { readonly siteName: string },
): JsonObject {
  if (wanted.length === 0) return settings;
  if (path === null) {
    throw new AppError(
      'invalid_usage',
      '--journey selects a journey of a configuration file: add --config FILE, or omit the URL to use the file of this folder.',
    );
  }
  const all: readonly unknown[] = Array.isArray(settings['journeys']) ? settings['journeys'] : [];
  const nameOf = (journey: unknown): string => (isObject(journey) ? String(journey['name']).trim() : '');
  const missing = wanted.find((name) => !all.some((journey) => nameOf(journey) === name));
  if (missing !== undefined) {
    const which = siteName === '' ? 'The configuration' : siteName;
    const known = all.length === 0 ? 'add journeys to the configuration file' : `it has ${all.map(nameOf).join(', ')}`;
    throw new AppError('invalid_usage', `${which} has no journey named ${missing}: ${known}.`);
  }
  return { ...settings, journeys: all.filter((journey) => wanted.includes(nameOf(journey))), only_journeys: true };
}

/** Returns the file or report to compare with. Files that the configuration names are relative to it. */
function baselineOf(site: ConfiguredSite, options: CheckOptions, path: string | null): string | undefined {
  if (options.baseline !== undefined) return options.baseline;
  const { baseline } = site;
  // The baseline may be the file that is about to be written.
  if (baseline === undefined || options.writeBaseline !== undefined) return undefined;
  return path === null || isReportReference(baseline) ? baseline : resolve(dirname(path), baseline);
}

/** Returns the kinds of checks that are on. @param given attributes of a report, with defaults */
export function performedKinds(given: Readonly<Record<string, unknown>>): readonly CheckKind[] {
  return CHECK_KINDS.filter((kind) => given[`perform_${kind}_checks`] === true);
}

/**
 * Refuses options that would have no effect: a check that ignores something that should fail it must not pass.
 * @param given all attributes, with defaults
 */
function requireEffect(failOn: readonly CheckFailOn[], given: Readonly<Record<string, unknown>>): void {
  const kinds = performedKinds(given);
  const on = ENGINES.filter(({ kind }) => kinds.includes(kind));
  if (on.length === 0) {
    const isDefault = ({ kind }: EngineDescription): boolean =>
      Object.hasOwn(REPORT_DEFAULTS, `perform_${kind}_checks`);
    const [defaults, others] = [ENGINES.filter(isDefault), ENGINES.filter((engine) => !isDefault(engine))];
    const turnedOff = defaults.map(({ option }) => `--no-${option.name}`).join(' and ');
    throw missingOption(`${turnedOff} leave nothing to check`, optionsOf(others));
  }
  const impact = mildestImpactIn(failOn);
  if (impact !== undefined && !on.some(({ isGraded }) => isGraded)) {
    const graded = ENGINES.filter(({ isGraded }) => isGraded);
    const found = graded.map((engine) => engine.found.error).join(' and ');
    throw missingOption(`--fail-on ${impact} counts ${found}`, optionsOf(graded));
  }
  if (on.some(({ showsPages }) => showsPages)) return;
  const showing = ENGINES.filter(({ showsPages }) => showsPages);
  if (isSet(given['wait_for']) && given['dynamic_crawler'] === false) {
    const remedies = [...optionsOf(showing), '--dynamic-crawler'];
    throw missingOption('--wait-for requires pages to be shown in a browser', remedies);
  }
  if (isSet(given['device_id'])) {
    const checks = showing.map(({ words }) => words).join(' and ');
    throw missingOption(`--device requires ${checks} checks`, optionsOf(showing));
  }
}

function isSet(text: unknown): boolean {
  return typeof text === 'string' && text.trim() !== '';
}

function missingOption(reason: string, remedies: readonly string[]): AppError {
  return new AppError('invalid_usage', `${reason}: add ${remedies.join(' or ')}.`);
}

function optionsOf(engines: readonly EngineDescription[]): string[] {
  return engines.map(({ option }) => `--${option.name}`);
}
