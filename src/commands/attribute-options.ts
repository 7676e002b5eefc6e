import { Option } from 'commander';
import { type Problem, RequestError } from '../api/jsonapi/errors.ts';
import { REPORT_ATTRIBUTES } from '../checks/check-attributes.ts';
import type { ReportAttribute } from '../domain/report-attributes.ts';
import { AppError } from '../platform/errors.ts';
import { collect, parseDevice, wholeNumber } from './option-values.ts';
import { SITE_ACCESS_OPTIONS } from './site-access-options.ts';

const TABLE_OPTIONS = Object.entries(REPORT_ATTRIBUTES).flatMap(([name, attribute]) => {
  const option = optionOf(attribute);
  return option === null ? [] : [[name, option] as const];
});

/** The options of `check` that set attributes of the report, by attribute. */
export const ATTRIBUTE_OPTIONS: ReadonlyMap<string, Option> = new Map([
  ...TABLE_OPTIONS,
  ...Object.entries(SITE_ACCESS_OPTIONS),
]);

/**
 * Returns the attributes of options, except those of site access. Repeatable options give arrays.
 * @param isGiven whether an option is on the command line; those that are not have their defaults
 * @param others the values of attributes whose options are not given, instead of the defaults
 */
export function attributesIn(
  options: object,
  isGiven: (name: string) => boolean,
  others: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const values = new Map(Object.entries(options));
  const entries = TABLE_OPTIONS.map(([name, option]) => {
    const key = option.attributeName();
    return [name, isGiven(key) || !Object.hasOwn(others, name) ? values.get(key) : others[name]];
  });
  return Object.fromEntries(entries);
}

function optionOf({ option: texts, default: preset, notation }: ReportAttribute): Option | null {
  if (texts === undefined) return null;
  const option = new Option(...texts);
  // Commander makes the default of a `--no-` option true.
  if (option.negate) return option;
  if (typeof preset === 'boolean') return option.default(preset);
  if (typeof preset === 'number') return option.default(preset).argParser(wholeNumber);
  if (notation === 'device_id') return option.default('').argParser(parseDevice);
  const isRepeatable = notation === 'urls' || notation === 'exclusions';
  return isRepeatable ? option.default([]).argParser(collect) : option.default('');
}

/** Returns what users of the command line call an attribute. */
export function optionName(attribute: string): string {
  return attribute === 'starting_url' ? 'The URL' : (ATTRIBUTE_OPTIONS.get(attribute)?.long ?? attribute);
}

/** Converts a RequestError about attributes to a usage error about their options, one line each. Returns other errors as they are. */
export function asUsageError(error: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  return new AppError('invalid_usage', error.problems.map(describeProblem).join('\n'), { cause: error });
}

/** Rewrites "Max pages must be …" as "--max-pages must be …". */
function describeProblem({ detail, source, sentenceWith }: Problem): string {
  const path = source !== undefined && 'pointer' in source ? source.pointer.split('/').slice(3) : [];
  const [attribute = '', ...parts] = path.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  const option = optionName(attribute);
  if (option === attribute || sentenceWith === undefined) return `${detail}.`;
  return `${[option, ...parts].join(' ')} ${sentenceWith(optionName)}.`;
}
