import { Option } from 'commander';
import { REPORT_DEFAULTS } from '../../packages/client/report-defaults.ts';
import { REPORT_ATTRIBUTES } from '../checks/check-attributes.ts';
import { ENGINES } from '../checks/registry.ts';
import { CONSENT_CHOICES } from '../domain/consent.ts';
import type { ReportAttribute } from '../domain/report-attributes.ts';
import { AppError } from '../platform/errors.ts';
import { type Fault, predicateOf, sentenceOf, wordsIn } from '../platform/fault.ts';
import { collect, parseDevice, parseStandard, wholeNumber } from './option-values.ts';
import { SITE_ACCESS_OPTIONS } from './site-access-options.ts';

const TABLE_OPTIONS = Object.entries(REPORT_ATTRIBUTES).flatMap(([name, attribute]) => {
  const option = optionOf(attribute, defaultOf(name, attribute));
  return option === null ? [] : [[name, option] as const];
});

function defaultOf(name: string, { default: preset }: ReportAttribute): unknown {
  return new Map<string, unknown>(Object.entries(REPORT_DEFAULTS)).get(name) ?? preset;
}

/** The options of `check` that set attributes of the report, by attribute. */
export const ATTRIBUTE_OPTIONS: ReadonlyMap<string, Option> = new Map([
  ...TABLE_OPTIONS,
  ...Object.entries(SITE_ACCESS_OPTIONS),
]);

/** The same options in order, each check that is on by default with the option that skips it. */
export const CHECK_OPTIONS: readonly Option[] = [...ATTRIBUTE_OPTIONS.values()].flatMap((option) => {
  const engine = ENGINES.find(({ option: { name } }) => name === option.name());
  const isSkippable = engine !== undefined && !option.negate && option.defaultValue === true;
  return isSkippable ? [option, new Option(`--no-${option.name()}`, `skip the ${engine.words} check`)] : [option];
});

/**
 * Returns the attributes that options set, except site access and attributes in `REPORT_DEFAULTS` that are not given: these
 * depend on the account. Repeatable options give arrays.
 * @param isGiven whether an option is on the command line; other options have their defaults
 * @param others the values of attributes whose options are not given, instead of the defaults
 */
export function attributesIn(
  options: object,
  isGiven: (name: string) => boolean,
  others: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const values = new Map(Object.entries(options));
  const entries = TABLE_OPTIONS.flatMap(([name, option]) => {
    const key = option.attributeName();
    if (isGiven(key)) return [[name, values.get(key)]];
    if (Object.hasOwn(others, name)) return [[name, others[name]]];
    return Object.hasOwn(REPORT_DEFAULTS, name) ? [] : [[name, values.get(key)]];
  });
  return Object.fromEntries(entries);
}

function optionOf({ option: texts, notation }: ReportAttribute, preset: unknown): Option | null {
  if (texts === undefined) return null;
  const option = new Option(...texts);
  // Commander makes the default of a `--no-` option true.
  if (option.negate) return option;
  if (typeof preset === 'boolean') return option.default(preset);
  if (typeof preset === 'number') return option.default(preset).argParser(wholeNumber);
  if (notation === 'device_id') return option.default('').argParser(parseDevice);
  if (notation === 'consent') return option.default('').choices(CONSENT_CHOICES);
  if (notation === 'standard') return option.default('').argParser(parseStandard);
  const isRepeatable = notation === 'urls' || notation === 'inclusions' || notation === 'exclusions';
  return isRepeatable ? option.default([]).argParser(collect) : option.default('');
}

/** Returns the name of an attribute for users of the command line. */
export function optionName(attribute: string): string {
  return attribute === 'starting_url' ? 'The URL' : (ATTRIBUTE_OPTIONS.get(attribute)?.long ?? attribute);
}

/** Returns the error for options that give a report invalid attributes, with a line for each fault. */
export function usageError(faults: readonly Fault[]): AppError {
  return new AppError('invalid_usage', faults.map(describeFault).join('\n'));
}

/** Words "Max pages must be …" as "--max-pages must be …". */
function describeFault(fault: Fault): string {
  const [attribute = '', ...parts] = wordsIn(fault);
  const option = optionName(attribute);
  if (option === attribute) return `${sentenceOf(fault)}.`;
  return `${[option, ...parts].join(' ')} ${predicateOf(fault, optionName)}.`;
}
