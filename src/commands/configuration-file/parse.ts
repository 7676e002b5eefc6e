import { InvalidArgumentError } from 'commander';
import Type, { type TObject } from 'typebox';
import type { PlanLimits } from '../../accounts/plans.ts';
import { CHECK_FAIL_ON, type CheckFailOn, readFailOn } from '../../domain/fail-on.ts';
import { attributeFaults } from '../../platform/attribute-faults.ts';
import { type Fault, predicateOf } from '../../platform/fault.ts';
import { isObject, type JsonObject } from '../../platform/json-object.ts';
import { parseNewReport } from '../../reports/definition/new-report.ts';
import { secretInFile, validatedSettings } from '../login-file.ts';
import { parseDevice } from '../option-values.ts';
import { BUDGET_SCHEMA, budgetsMax, type ConfiguredBudget, toBudget } from './budgets.ts';
import { type ConfiguredMuting, MUTING_SCHEMA, mutingsMax, toMuting } from './mutings.ts';
import { type FileProblem, readYaml, type ValuePath, type YamlContent } from './read-yaml.ts';
import { FILE_SCHEMA, nameMaxCharacters, RULES, SITE_SCHEMA } from './schema.ts';
import { unknownKey } from './unknown-key.ts';

/** The settings of a site: its own, and the settings for all sites that it does not override. */
export interface ConfiguredSite {
  /** Unique in the file. */
  readonly name: string;
  /** Attributes of the report, as POST /reports takes them; only attributes that are given. */
  readonly attributes: JsonObject;
  /** Undefined if it is not given; the same applies below. */
  readonly failOn: readonly CheckFailOn[] | undefined;
  readonly maxIssues: number | undefined;
  /** As written in the file. */
  readonly baseline: string | undefined;
  /** The mutings of all sites first, including expired ones. */
  readonly mutings: readonly ConfiguredMuting[];
  readonly budgets: readonly ConfiguredBudget[];
}

export interface ConfigurationContent {
  readonly sites: readonly ConfiguredSite[];
  /** The settings for a site that is not in the file. Its attributes have no starting URL. */
  readonly common: ConfiguredSite;
}

/** A file has problems, each on a line `FILE:LINE:COLUMN: SENTENCE`. */
export class ConfigurationFault extends Error {
  override readonly name = 'ConfigurationFault';
}

/** The maximum numbers of problems to report and to look for: a file can have 50,000 unknown keys. */
const problemsMax = 20;
const problemsSoughtMax = 200;

/**
 * Parses the content of a configuration file.
 * @param path names the file in messages
 * @param limits the limits of reports
 * @throws ConfigurationFault with everything that is wrong, in the order of the file
 */
export function parseConfiguration(text: string, path: string, limits: PlanLimits): ConfigurationContent {
  const yaml = readYaml(text);
  if ('problems' in yaml) throw faultOf(path, yaml.problems);
  const reader = new Reader(yaml, limits);
  const content = reader.read();
  if (reader.problems.length > 0) throw faultOf(path, reader.problems);
  return content;
}

/** @param path names the file */
export function faultOf(path: string, problems: readonly FileProblem[]): ConfigurationFault {
  const sorted = problems.toSorted((one, other) => one.line - other.line || one.column - other.column);
  const lines = [...new Set(sorted.map(({ line, column, text }) => `${path}:${line}:${column}: ${text}`))];
  const more = lines.length > problemsMax ? ['There are more problems.'] : [];
  return new ConfigurationFault([...lines.slice(0, problemsMax), ...more].join('\n'));
}

/** A map of the file, and its position. */
interface Section {
  readonly values: JsonObject;
  readonly path: ValuePath;
}

/** A list of the file, each item of which is read on its own. */
interface ListOf<T> {
  readonly key: string;
  /** What messages call an item. */
  readonly noun: string;
  readonly schema: TObject;
  readonly itemsMax: number;
  /** What is missing from an item that is null although each of its values is valid. */
  readonly requirement: string;
  /** Messages for keys that are missing, where the schema's own message is not enough. */
  readonly missing?: Readonly<Record<string, string>>;
  read(values: JsonObject, path: ValuePath): T | null;
}

const RULES_SCHEMA = Type.Object(RULES);

class Reader {
  readonly problems: FileProblem[] = [];
  readonly #yaml: YamlContent;
  readonly #limits: PlanLimits;

  constructor(yaml: YamlContent, limits: PlanLimits) {
    this.#yaml = yaml;
    this.#limits = limits;
  }

  read(): ConfigurationContent {
    const root = this.#sectionAt([], this.#yaml.value ?? {}, Object.keys(FILE_SCHEMA.properties));
    const given = root.values['sites'] ?? [];
    if (!Array.isArray(given)) this.#report(['sites'], 'sites must be a list: start each site with a hyphen.');
    const sections = (Array.isArray(given) ? given : []).map((site: unknown, index) => {
      const path = ['sites', index];
      if (isObject(site) && !Object.hasOwn(site, 'starting_url')) this.#report(path, 'The site has no starting_url.');
      return this.#sectionAt(path, site, Object.keys(SITE_SCHEMA.properties));
    });
    const mutings = this.#mutings(root);
    const budgets = this.#budgets(root);
    const nowhere = this.#site({ values: { starting_url: 'http://localhost/' }, path: [] }, root, { mutings, budgets });
    const { starting_url: _, ...attributes } = nowhere.attributes;
    const sites = sections.map((section) =>
      this.#site(section, root, {
        mutings: [...mutings, ...this.#mutings(section)],
        budgets: [...budgets, ...this.#budgets(section)],
      }),
    );
    this.#requireNames(sites);
    return { sites, common: { ...nowhere, attributes } };
  }

  /** Reads a map. Unknown keys and keys without a value are reported as problems and left out. */
  #sectionAt(
    path: ValuePath,
    value: unknown,
    known: readonly string[],
    requirement = `${path.length === 0 ? 'The file' : 'A site'} must have settings such as "max_pages: 20", one per line.`,
  ): Section {
    if (!isObject(value)) {
      this.#report(path, requirement);
      return { values: {}, path };
    }
    const kept = Object.entries(value).filter(([key, inner]) => {
      const isKnown = known.includes(key);
      if (this.problems.length >= problemsSoughtMax) return false;
      if (!isKnown) this.#report([...path, key], unknownKey(key, known, path.length === 0), { atKey: true });
      else if (inner === null) this.#report([...path, key], `${key} has no value. Add a value, or delete the line.`);
      return isKnown && inner !== null;
    });
    return { values: Object.fromEntries(kept), path };
  }

  #site(site: Section, root: Section, lists: Pick<ConfiguredSite, 'mutings' | 'budgets'>): ConfiguredSite {
    const { sites: _, ...common } = root.values;
    const placeOf = (key: string): ValuePath => (Object.hasOwn(site.values, key) ? [...site.path, key] : [key]);
    const all: Record<string, unknown> = { ...common, ...site.values };
    const { name, fail_on, max_issues, baseline, mutings: _mutings, budgets: _budgets, ...settings } = all;
    const isOwn = site.path.length > 0;
    this.#readDevice(settings, placeOf);
    const rules = { name, fail_on, max_issues, baseline };
    const givenRules = Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined));
    for (const [key, fault] of attributeFaults(RULES_SCHEMA, givenRules)) this.#reportFault(placeOf(key), key, fault);
    if (Object.hasOwn(settings, 'starting_url')) {
      for (const fault of this.#faultsOf(settings, placeOf)) {
        const [key = '', ...inner] = fault.path;
        this.#reportFault([...placeOf(key), ...inner], fault.path.join(' '), fault);
      }
    }
    const failOn = this.#failOn(fail_on, placeOf('fail_on'));
    return {
      name: typeof name === 'string' ? name : isOwn ? defaultName(settings['starting_url']) : '',
      attributes: settings,
      failOn,
      maxIssues: typeof max_issues === 'number' ? max_issues : undefined,
      baseline: typeof baseline === 'string' ? baseline : undefined,
      ...lists,
    };
  }

  #mutings(section: Section): readonly ConfiguredMuting[] {
    return this.#list(section, {
      key: 'mutings',
      noun: 'muting',
      schema: MUTING_SCHEMA,
      itemsMax: mutingsMax,
      requirement: 'A muting requires either rule or message, or a selector for all issues in its elements.',
      missing: { reason: 'The muting has no reason: explain why these issues are accepted.' },
      read: (values, path) => {
        const place = { line: this.#yaml.placeOf(path).line, isCommon: section.path.length === 0 };
        return toMuting(values, place);
      },
    });
  }

  #budgets(section: Section): readonly ConfiguredBudget[] {
    return this.#list(section, {
      key: 'budgets',
      noun: 'budget',
      schema: BUDGET_SCHEMA,
      itemsMax: budgetsMax,
      requirement: 'A budget requires one of rule, message and count.',
      read: toBudget,
    });
  }

  #list<T>({ values, path }: Section, list: ListOf<T>): readonly T[] {
    const { key: listKey, noun, schema, itemsMax, requirement, missing = {}, read } = list;
    const given = values[listKey] ?? [];
    const at = [...path, listKey];
    if (!Array.isArray(given) || given.length > itemsMax) {
      this.#report(at, `${listKey} must be a list of at most ${itemsMax}: start each ${noun} with a hyphen.`);
      return [];
    }
    const known = Object.keys(schema.properties);
    return given.flatMap((item: unknown, index) => {
      const before = this.problems.length;
      const itemPath = [...at, index];
      const section = this.#sectionAt(itemPath, item, known, `A ${noun} must have keys such as "rule: image-alt".`);
      if (!isObject(item)) return [];
      for (const [key, fault] of attributeFaults(schema, section.values)) {
        const ifMissing = Object.hasOwn(section.values, key) ? undefined : missing[key];
        if (ifMissing === undefined) this.#reportFault([...itemPath, key], key, fault);
        else this.#report(itemPath, ifMissing);
      }
      const value = read(section.values, itemPath);
      if (value === null && this.problems.length === before) this.#report(itemPath, requirement);
      return value === null ? [] : [value];
    });
  }

  /** Replaces the name of a device with its id. */
  #readDevice(settings: Record<string, unknown>, placeOf: (key: string) => ValuePath): void {
    const given = settings['device_id'];
    if (typeof given !== 'string') return;
    try {
      settings['device_id'] = parseDevice(given);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      this.#report(placeOf('device_id'), `device_id: ${error.message}`);
      delete settings['device_id'];
    }
  }

  #faultsOf(settings: JsonObject, placeOf: (key: string) => ValuePath): readonly Fault[] {
    const validated = validatedSettings(settings, (key) => this.#report(placeOf(key), secretInFile(key)));
    const parsed = parseNewReport(validated, this.#limits);
    return 'faults' in parsed ? parsed.faults : [];
  }

  #failOn(given: unknown, path: ValuePath): readonly CheckFailOn[] | undefined {
    const isList = Array.isArray(given) && given.every((name) => typeof name === 'string');
    if (typeof given !== 'string' && !isList) return undefined;
    const reading = readFailOn(given, CHECK_FAIL_ON);
    if ('failOn' in reading) return reading.failOn;
    this.#report(path, `fail_on ${reading.problem}.`);
    return undefined;
  }

  #requireNames(sites: readonly ConfiguredSite[]): void {
    const seen = new Set<string>();
    for (const [index, { name }] of sites.entries()) {
      const key = name.toLowerCase();
      if (key !== '' && seen.has(key)) {
        this.#report(
          ['sites', index],
          `Another site is also named ${name}. Give this site another name, for example "name: ${name}-2".`,
        );
      }
      seen.add(key);
    }
  }

  #reportFault(path: ValuePath, key: string, fault: Fault): void {
    this.#report(path, `${key} ${predicateOf(fault)}.`);
  }

  #report(path: ValuePath, text: string, { atKey = false } = {}): void {
    if (this.problems.length >= problemsSoughtMax) return;
    this.problems.push({ ...(atKey ? this.#yaml.placeOfKey(path) : this.#yaml.placeOf(path)), text });
  }
}

/** Returns a name for folders: `example.com`, `127.0.0.1-8080`. Empty without a valid URL. */
function defaultName(startingUrl: unknown): string {
  const host = typeof startingUrl === 'string' ? (URL.parse(startingUrl)?.host ?? '') : '';
  return host
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^-/, '')
    .slice(0, nameMaxCharacters);
}
