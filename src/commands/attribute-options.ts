import { Option } from 'commander';
import { REPORT_ATTRIBUTES } from '../checks/check-attributes.ts';
import type { ReportAttribute } from '../domain/report-attributes.ts';
import { deviceIdOf } from './device-option.ts';
import { collect, wholeNumber } from './option-values.ts';

/** The options of `check` that are attributes of the report, by the names of these. */
export const ATTRIBUTE_OPTIONS: ReadonlyMap<string, Option> = new Map(
  Object.entries(REPORT_ATTRIBUTES).flatMap(([name, attribute]) => {
    const option = optionOf(attribute);
    return option === null ? [] : [[name, option]];
  }),
);

/** The attributes that were given as options; those of which there may be several are arrays. */
export function attributesIn(options: object): Readonly<Record<string, unknown>> {
  const values = new Map(Object.entries(options));
  return Object.fromEntries([...ATTRIBUTE_OPTIONS].map(([name, option]) => [name, values.get(option.attributeName())]));
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
