import { CommanderError, InvalidArgumentError } from 'commander';
import { DESKTOP_DEVICE } from '../../packages/client/report-defaults.ts';
import { STANDARDS } from '../../packages/client/standards.ts';
import { DEFAULT_DEVICE, findDevice, listDevices } from '../browser/devices.ts';
import { AppError } from '../platform/errors.ts';
import { nearestName } from '../platform/nearest-name.ts';
import { table } from './text-layout.ts';

/** Parsers of option values. Parsers that Commander calls throw an InvalidArgumentError that describes valid values. */

export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return Number(text);
}

export function wholeNumberFromZero(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of at least 0.');
  return Number(text);
}

export function collect(value: string, previous: readonly string[]): string[] {
  return [...previous, value];
}

/**
 * Parses a comma-separated list and removes duplicates.
 * @throws AppError invalid_usage, which lists the allowed words
 */
export function parseWords<const Word extends string>(option: string, text: string, words: readonly Word[]): Word[] {
  const given = text.split(',').map((word) => word.trim());
  const found = given.flatMap((name) => {
    if (name === '') return [];
    const word = words.find((candidate) => candidate === name);
    if (word !== undefined) return [word];
    throw new AppError('invalid_usage', `${option} takes ${words.join(', ')}, not "${name}".`);
  });
  return [...new Set(found)];
}

/**
 * Returns the id of an accessibility standard; empty for none.
 * @throws InvalidArgumentError with all ids
 */
export function parseStandard(text: string): string {
  if (text === '' || text === 'none') return '';
  if (STANDARDS.has(text)) return text;
  throw new InvalidArgumentError(`It must be ${[...STANDARDS.keys()].join(', ')}, or none.`);
}

/** The code of the error whose message lists all devices. */
export const DEVICES_LISTED = 'sitewarden.devices';
/** Names suggested for an unknown device. */
const SUGGESTIONS_MAX = 5;

/**
 * Returns the id of a device, given by id or by name in any case, or as `desktop`; empty for the default device.
 * @throws InvalidArgumentError with similar names; CommanderError `DEVICES_LISTED` for `help`
 */
export function parseDevice(text: string): string {
  const wanted = text.trim().toLowerCase();
  if (wanted === 'help') {
    throw new CommanderError(0, DEVICES_LISTED, deviceTable());
  }
  if (wanted === '' || wanted === 'default') return '';
  const name = wanted === 'desktop' ? DESKTOP_DEVICE.toLowerCase() : wanted;
  const device = findDevice(name) ?? listDevices().find((known) => known.name.toLowerCase() === name);
  if (device !== undefined) return device.id;
  const similar = similarNames(wanted).map((name) => `"${name}"`);
  const hint =
    similar.length === 0 ? 'Names look like "iPhone 15" or "Pixel 7".' : `Similar names: ${similar.join(', ')}.`;
  throw new InvalidArgumentError(`This device does not exist. ${hint} --device help lists all devices.`);
}

function deviceTable(): string {
  const isFirst = ({ name }: { readonly name: string }): number => Number(name === DESKTOP_DEVICE);
  const listed = listDevices().toSorted((one, other) => isFirst(other) - isFirst(one));
  const rows = [DEFAULT_DEVICE, ...listed].map(({ name, id, viewport }) => {
    const { width, height, deviceScaleFactor } = viewport;
    return [name, `${width}x${height}`, String(deviceScaleFactor), id];
  });
  return table([['NAME', 'VIEWPORT', 'SCALE', 'ID'], ...rows]);
}

/** Returns names that contain the given text, or else the name that was probably meant. */
function similarNames(wanted: string): readonly string[] {
  const names = listDevices().map(({ name }) => name);
  const containing = names.filter((name) => name.toLowerCase().includes(wanted));
  const nearest = nearestName(wanted, names);
  return containing.length > 0 || nearest === null ? containing.slice(0, SUGGESTIONS_MAX) : [nearest];
}
