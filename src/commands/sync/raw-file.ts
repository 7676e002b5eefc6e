import type { TSchema } from 'typebox';
import Type from 'typebox';
import { REPORT_ATTRIBUTES } from '../../checks/check-attributes.ts';
import { isObject, type JsonObject } from '../../platform/json-object.ts';
import { type FilePlace, type FileProblem, readYaml, type ValuePath } from '../configuration-file/read-yaml.ts';
import { type CsvRow, readCsv } from './read-csv.ts';
import { SCHEDULE_KEYS, SCHEDULE_SCHEMA, SITE_SCHEMA } from './schema.ts';

/** A map of the file, whose values are not validated yet. */
export interface RawMap {
  readonly values: JsonObject;
  /** Returns the position of a value, or of the whole map. */
  placeOf(key?: string): FilePlace;
}

export interface RawSite extends RawMap {
  readonly schedules: readonly RawMap[];
}

export interface RawFile {
  readonly sites: readonly RawSite[];
  readonly mutings: readonly RawMap[];
  readonly channels: readonly RawMap[];
  readonly problems: readonly FileProblem[];
}

/** Reads CSV: a site per row, with up to one schedule. */
export function readCsvFile(text: string): RawFile {
  const { header, rows, problems } = readCsv(text);
  const names = header.map(({ text: name }) => name);
  const twice = header.filter(({ text: name }, index) => names.indexOf(name) < index);
  const all = [...problems, ...twice.map((cell) => ({ ...cell, text: `The column ${cell.text} appears twice.` }))];
  if (!names.includes('starting_url'))
    all.push({
      line: 1,
      column: 1,
      text: 'The first row must name the columns, and one of them must be starting_url.',
    });
  return all.length > 0
    ? { sites: [], mutings: [], channels: [], problems: all }
    : { sites: rows.map(siteOfRow), mutings: [], channels: [], problems };
}

function siteOfRow(row: CsvRow): RawSite {
  const placeOf = (key = ''): FilePlace => row.cells.get(key) ?? row;
  const values = [...row.cells].map(([name, { text }]) => [name, cellValue(name, text)] as const);
  const timing = values.filter(([name]) => SCHEDULE_KEYS.includes(name));
  return {
    values: Object.fromEntries(values.filter(([name]) => !SCHEDULE_KEYS.includes(name))),
    schedules: timing.length === 0 ? [] : [{ values: Object.fromEntries(timing), placeOf }],
    placeOf,
  };
}

const SCHEMAS: Readonly<Record<string, TSchema | undefined>> = {
  ...Object.fromEntries(Object.entries(REPORT_ATTRIBUTES).map(([name, { schema }]) => [name, schema])),
  ...SITE_SCHEMA.properties,
  ...SCHEDULE_SCHEMA.properties,
};

/** Spreadsheets write TRUE. A value that is neither a number nor a boolean stays a string, which is reported later. */
function cellValue(name: string, text: string): unknown {
  const schema = SCHEMAS[name];
  if (Type.IsBoolean(schema) && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return Type.IsInteger(schema) && /^\d{1,9}$/.test(text) ? Number(text) : text;
}

/** Reads YAML: lists of mutings, of notification channels, and of sites with their schedules. */
export function readYamlFile(text: string): RawFile {
  const yaml = readYaml(text);
  if ('problems' in yaml) return { sites: [], mutings: [], channels: [], problems: yaml.problems };
  const problems: FileProblem[] = [];
  const report = (path: ValuePath, problem: string): void => {
    problems.push({ ...yaml.placeOf(path), text: problem });
  };
  const root = yaml.value ?? {};
  if (!isObject(root) || Object.keys(root).some((key) => !['sites', 'mutings', 'channels'].includes(key)))
    report([], 'The file must have the lists "sites:", "mutings:" and "channels:", or some of them, and nothing else.');
  const list = (within: unknown, path: ValuePath, what: string): RawMap[] => {
    const key = String(path.at(-1));
    const given = (isObject(within) ? within[key] : undefined) ?? [];
    if (!Array.isArray(given)) report(path, `${key} must be a list: start each ${what} with a hyphen.`);
    return (Array.isArray(given) ? given : []).flatMap((item: unknown, index): RawMap[] => {
      const at = [...path, index];
      if (!isObject(item)) report(at, `A ${what} must consist of settings in the form "name: value".`);
      const placeOf = (inner?: string): FilePlace => yaml.placeOf(inner === undefined ? at : [...at, inner]);
      return isObject(item) ? [{ values: item, placeOf }] : [];
    });
  };
  // Indexes match the file only if each site is a map; otherwise, the file has a problem and is not used.
  const sites = list(root, ['sites'], 'site').map((site, index): RawSite => {
    const { schedules: _, ...values } = site.values;
    return { ...site, values, schedules: list(site.values, ['sites', index, 'schedules'], 'schedule') };
  });
  return {
    sites,
    mutings: list(root, ['mutings'], 'muting'),
    channels: list(root, ['channels'], 'channel'),
    problems,
  };
}
