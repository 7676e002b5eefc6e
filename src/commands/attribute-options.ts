import { Option } from 'commander';
import { type Problem, RequestError } from '../api/jsonapi/errors.ts';
import { REPORT_ATTRIBUTES } from '../checks/check-attributes.ts';
import type { ReportAttribute } from '../domain/report-attributes.ts';
import { AppError } from '../platform/errors.ts';
import { deviceIdOf } from './device-option.ts';
import { collect, wholeNumber } from './option-values.ts';
import { SITE_ACCESS_OPTIONS } from './site-access-options.ts';

const TABLE_OPTIONS = Object.entries(REPORT_ATTRIBUTES).flatMap(([name, attribute]) => {
  const option = optionOf(attribute);
  return option === null ? [] : [[name, option] as const];
});

/** The options of `check` that are attributes of the report, by the names of these. */
export const ATTRIBUTE_OPTIONS: ReadonlyMap<string, Option> = new Map([
  ...TABLE_OPTIONS,
  ...Object.entries(SITE_ACCESS_OPTIONS),
]);

/** The attributes that were given as options, but for what signs in; those of which there may be several are arrays. */
export function attributesIn(options: object): Readonly<Record<string, unknown>> {
  const values = new Map(Object.entries(options));
  return Object.fromEntries(TABLE_OPTIONS.map(([name, option]) => [name, values.get(option.attributeName())]));
}

function optionOf({ option: texts, default: preset, notation }: ReportAttribute): Option | null {
  if (texts === undefined) return null;
  const option = new Option(...texts);
  // Commander gives what a `--no-` turns off the value true.
  if (option.negate) return option;
  if (typeof preset === 'boolean') return option.default(preset);
  if (typeof preset === 'number') return option.default(preset).argParser(wholeNumber);
  if (notation === 'device_id') return option.default('').argParser(deviceIdOf);
  const isRepeatable = notation === 'urls' || notation === 'exclusions';
  return isRepeatable ? option.default([]).argParser(collect) : option.default('');
}

/** What the user knows an attribute as. */
export function optionName(attribute: string): string {
  return attribute === 'starting_url' ? 'The URL' : (ATTRIBUTE_OPTIONS.get(attribute)?.long ?? attribute);
}

/** What is wrong with the attributes that were made of options, as what is wrong with the options: one line each. */
export function asUsageError(error: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  return new AppError('invalid_usage', error.problems.map(asOptionProblem).join('\n'), { cause: error });
}

/** "Max pages must be …" as "--max-pages must be …". */
function asOptionProblem({ detail, source, toldWith }: Problem): string {
  const path = source !== undefined && 'pointer' in source ? source.pointer.split('/').slice(3) : [];
  const [attribute = '', ...parts] = path.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  const option = optionName(attribute);
  if (option === attribute || toldWith === undefined) return `${detail}.`;
  return `${[option, ...parts].join(' ')} ${toldWith(optionName)}.`;
}
