import { basename } from 'node:path';
import { stringify } from 'yaml';
import { withPaths } from '../../packages/client/recorded-steps.ts';
import { DEFAULT_LIMITS } from '../accounts/plans.ts';
import { plural } from '../domain/amounts.ts';
import { isSelector } from '../page-source/select-elements.ts';
import { AppError } from '../platform/errors.ts';
import { isObject, type JsonObject } from '../platform/json-object.ts';
import { CONFIGURATION_FILE } from './configuration-file/name.ts';
import { ConfigurationFault, faultOf, parseConfiguration } from './configuration-file/parse.ts';
import { readText } from './configuration-file/read-text.ts';
import { readYaml, type YamlContent } from './configuration-file/read-yaml.ts';
import { usage } from './configuration-file/usage.ts';
import { writeNew } from './configuration-file/write-new.ts';
import { type Imported, type ImportedMuting, shown } from './imports/imported.ts';
import { importLighthouse, LIGHTHOUSE } from './imports/lighthouse.ts';
import { type StepsTarget, withFreeNames } from './imports/login-steps.ts';
import { importPa11y, PA11Y } from './imports/pa11y.ts';
import { importRecording, RECORDER } from './imports/recorder.ts';
import { type Shape, shapeProblems } from './imports/shape.ts';
import { importVnuFilters } from './imports/vnu-filters.ts';
import type { Terminal } from './terminal.ts';
import { writeText } from './text-layout.ts';

/** The tools whose configurations can be imported. */
type ImportSource = 'pa11y' | 'lighthouse' | 'recorder' | 'vnu';

export interface ImportOptions {
  /** Undefined to detect it from the content of each file. */
  readonly from?: ImportSource;
  /** What recorded steps and actions become; undefined to decide by what they enter. */
  readonly stepsAs?: StepsTarget;
  /** The site, for files that name none. */
  readonly url?: string;
  readonly output?: string;
  /** Whether to print the file instead of writing it. */
  readonly dryRun: boolean;
  /** Whether to replace an existing file. */
  readonly force: boolean;
}

/**
 * Writes a configuration file from the files of other tools, and lists what is not imported.
 * @throws AppError invalid_usage if a file cannot be read or is not from another tool, or if the new file already exists
 */
export async function importCommand(
  terminal: Terminal,
  paths: readonly string[],
  options: ImportOptions,
): Promise<void> {
  const { output = CONFIGURATION_FILE, dryRun, force } = options;
  const imports: Imported[] = [];
  for (const path of paths) imports.push(await importFile(path, options));
  const merged = mergedOf(imports, options.url);
  const text = fileWith(merged, paths);
  requireValid(text, output);
  for (const line of [...merged.remarks, ...merged.notes]) writeText(terminal.stderr, line);
  const { sites, mutings, budgets } = merged;
  const counts = [plural(sites.length, 'site'), plural(mutings.length, 'muting'), plural(budgets.length, 'budget')];
  const taken = `${counts.join(', ')}; ${merged.remarks.length} not imported`;
  if (dryRun) {
    terminal.stdout.write(text);
    writeText(terminal.stderr, `${taken}. Nothing was written.`);
    return;
  }
  const check = await writeNew(output, text, force, 'Add --force to replace it, or --dry-run');
  const next = sites.length === 0 ? 'Add sites to it.' : `To check the sites, run ${check}`;
  writeText(terminal.stdout, `Wrote ${output}: ${taken}. ${next}`);
}

/** @throws AppError invalid_usage */
async function importFile(path: string, { from, stepsAs }: Pick<ImportOptions, 'from' | 'stepsAs'>): Promise<Imported> {
  const name = basename(path);
  if (/\.[cm]?[jt]s$/.test(name)) {
    const print = `node -p 'JSON.stringify(require("./${name}"))' > ${name.replace(/\.\w+$/, '.json')}`;
    throw usage(`${path} is a program, which is not run. Print its output and import that: ${print}`);
  }
  const text = await readText(path, path);
  if (from === 'vnu' || (from === undefined && /\.(txt|list|filter)$/.test(name))) return importVnuFilters(text, name);
  const yaml = readYaml(text);
  if ('problems' in yaml) {
    const { message } = faultOf(path, yaml.problems);
    throw usage(`${path} cannot be read as JSON or YAML:\n${message}\nFor a vnu filter list, add --from vnu`);
  }
  const { value } = yaml;
  const has = (key: string): boolean => isObject(value) && Object.hasOwn(value, key);
  if (from === 'lighthouse' || (from === undefined && has('ci'))) {
    const { default: axe } = await import('axe-core');
    const rules = axe.getRules().map(({ ruleId }) => ruleId);
    return importLighthouse(valuesLike(LIGHTHOUSE, yaml, path), name, rules);
  }
  if (from === 'recorder' || (from === undefined && has('steps'))) {
    return importRecording(valuesLike(RECORDER, yaml, path), name, stepsAs);
  }
  if (from === 'pa11y' || has('urls') || has('defaults')) {
    return importPa11y(valuesLike(PA11Y, yaml, path), name, stepsAs);
  }
  throw usage(
    `${path} has an unknown format: pa11y-ci files have urls, Lighthouse CI files have ci, Chrome recordings have steps, and vnu filter lists need --from vnu`,
  );
}

/** @throws AppError invalid_usage with the position of every invalid value */
function valuesLike(shape: Shape, yaml: YamlContent, path: string): JsonObject {
  const { value } = yaml;
  const problems = shapeProblems(value, shape).map((problem) => ({
    ...yaml.placeOf(problem.path),
    text: problem.text,
  }));
  if (problems.length === 0 && isObject(value)) return value;
  throw new AppError('invalid_usage', faultOf(path, problems).message);
}

interface Merged extends Omit<Imported, 'urls'> {
  readonly sites: readonly Readonly<Record<string, unknown>>[];
}

function mergedOf(imports: readonly Imported[], url: string | undefined): Merged {
  const all = imports.flatMap(({ urls }) => urls);
  const given = all.length === 0 && url !== undefined ? [url] : all;
  const urls = given.flatMap((text) => addressOf(text) ?? []);
  const others = given.filter((text) => addressOf(text) === null);
  const mutings = imports.flatMap((imported) => imported.mutings);
  const [valid, invalid] = [mutings.filter(isUsable), mutings.filter((muting) => !isUsable(muting))];
  const sites = sitesFrom(urls, all.length > 0);
  return {
    sites,
    settings: settingsOf(imports),
    journeys: journeysOf(imports, sites),
    mutings: valid,
    budgets: imports.flatMap(({ budgets }) => budgets),
    remarks: [
      ...imports.flatMap(({ remarks }) => remarks),
      ...others.map((text) => `The URL ${shown(text)} is not imported: serve the page over http or https.`),
      ...invalid.map(
        ({ selector }) => `The selector ${selector} is not imported: it cannot be used to match elements.`,
      ),
    ],
    notes: imports.flatMap(({ notes }) => notes),
  };
}

/** A check is enabled if any of the other tools performs it, even if another tool does not. */
function settingsOf(imports: readonly Imported[]): Imported['settings'] {
  const settings: Record<string, unknown> = {};
  for (const [key, value] of imports.flatMap((imported) => Object.entries(imported.settings))) {
    settings[key] = value === false && settings[key] === true ? true : value;
  }
  return settings;
}

/** Journeys apply to all sites of the file, so paths would be ambiguous in a file with several. */
function journeysOf(imports: readonly Imported[], [site, ...others]: Merged['sites']): Imported['journeys'] {
  const journeys = withFreeNames(imports.flatMap((imported) => imported.journeys));
  const { origin } = URL.parse(String(site?.['starting_url'])) ?? {};
  if (origin === undefined || others.length > 0) return journeys;
  return journeys.map(({ name, steps }) => ({ name, steps: withPaths(steps, origin) }));
}

function isUsable({ selector }: ImportedMuting): boolean {
  return selector === undefined || isSelector(selector);
}

/**
 * Returns an address, with `http://` added if it has none; null for files and other schemes. A name before a port is not a
 * scheme.
 */
function addressOf(text: string): string | null {
  if (/^https?:/i.test(text)) return URL.canParse(text) ? text : null;
  const isOther = /^(?:[./]|[a-z][a-z\d+.-]*:(?:\D|$))/i.test(text);
  return isOther || !URL.canParse(`http://${text}`) ? null : `http://${text}`;
}

/** Other tools check only the pages in their configuration, so each site has these pages and no others. */
function sitesFrom(urls: readonly string[], areAllPages: boolean): Merged['sites'] {
  const byOrigin = Map.groupBy(new Set(urls), (url) => URL.parse(url)?.origin ?? url);
  return [...byOrigin.values()].map(([first, ...others]) => ({
    starting_url: first,
    ...(others.length > 0 && { initial_urls: others }),
    ...(areAllPages && { max_pages: others.length + 1 }),
  }));
}

function fileWith({ sites, settings, journeys, mutings, budgets }: Merged, paths: readonly string[]): string {
  const lists = {
    ...(journeys.length > 0 && { journeys }),
    ...(mutings.length > 0 && { mutings }),
    ...(budgets.length > 0 && { budgets }),
  };
  const written = (values: object): string =>
    Object.keys(values).length === 0 ? '' : `${stringify(values, { lineWidth: 0 })}\n`;
  return `# Imported from ${paths.map((path) => basename(path)).join(', ')}. All settings are described in sitewarden's docs/configuration-file.md.
${written(settings)}${written(lists)}${sites.length === 0 ? '' : stringify({ sites }, { lineWidth: 0 })}`;
}

/** @throws AppError invalid_usage if the new file would not be accepted */
function requireValid(text: string, output: string): void {
  try {
    parseConfiguration(text, output, DEFAULT_LIMITS.enterprise);
  } catch (cause) {
    if (!(cause instanceof ConfigurationFault)) throw cause;
    throw new AppError('invalid_usage', `The imported configuration is not valid:\n${cause.message}`, { cause });
  }
}
