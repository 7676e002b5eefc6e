import { CommanderError, InvalidArgumentError } from 'commander';
import { DEFAULT_DEVICE, type Device, findDevice, listDevices } from '../browser/devices.ts';
import { AppError } from '../platform/errors.ts';
import { table } from './text-layout.ts';

/** Parsers of option values. Those that Commander calls throw an InvalidArgumentError that describes valid values. */

export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 1 or more.');
  return Number(text);
}

export function wholeNumberFromZero(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 0 or more.');
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

/** Names suggested for an unknown device. */
const SUGGESTIONS_MAX = 5;
/** Names that are less similar than this are not suggested. */
const SIMILARITY_MIN = 0.3;

/**
 * Returns the id of a device, given by id or by name in any case; empty for the default device.
 * @throws InvalidArgumentError with similar names; CommanderError with exit status 0 after `help` has listed all devices
 */
export function parseDevice(text: string): string {
  const wanted = text.trim().toLowerCase();
  if (wanted === 'help') {
    process.stdout.write(deviceTable());
    throw new CommanderError(0, 'sitewarden.devices', '');
  }
  if (wanted === '' || wanted === 'default') return '';
  const device = findDevice(wanted) ?? listDevices().find(({ name }) => name.toLowerCase() === wanted);
  if (device !== undefined) return device.id;
  const similar = similarNames(wanted, listDevices());
  const hint = similar === '' ? 'Names look like "iPhone 15" or "Pixel 7".' : `Similar names: ${similar}.`;
  throw new InvalidArgumentError(`There is no such device. ${hint} --device help lists all devices.`);
}

function deviceTable(): string {
  const rows = [DEFAULT_DEVICE, ...listDevices()].map(({ name, id, viewport }) => {
    const { width, height, deviceScaleFactor } = viewport;
    return [name, `${width}x${height}`, String(deviceScaleFactor), id];
  });
  return table([['NAME', 'VIEWPORT', 'SCALE', 'ID'], ...rows]);
}

function similarNames(wanted: string, devices: readonly Device[]): string {
  return devices
    .map(({ name }) => ({ name, score: similarity(wanted, name.toLowerCase()) }))
    .filter((candidate) => candidate.score >= SIMILARITY_MIN)
    .sort((a, b) => b.score - a.score)
    .slice(0, SUGGESTIONS_MAX)
    .map(({ name }) => `"${name}"`)
    .join(', ');
}

/** Returns the Sørensen–Dice coefficient of the texts' character pairs, from 0 to 1, plus 1 if the name contains the wanted text. */
function similarity(wanted: string, name: string): number {
  const pairsOf = (text: string): Set<string> =>
    new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => text.slice(index, index + 2)));
  const pairs = pairsOf(wanted);
  const others = pairsOf(name);
  const common = (2 * pairs.intersection(others).size) / Math.max(1, pairs.size + others.size);
  return name.includes(wanted) ? common + 1 : common;
}
