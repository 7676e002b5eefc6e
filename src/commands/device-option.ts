import { CommanderError, InvalidArgumentError } from 'commander';
import { DEFAULT_DEVICE, type Device, findDevice, listDevices } from '../browser/devices.ts';
import { table } from './text-layout.ts';

/** Names that are proposed instead of one that nobody knows. */
const PROPOSALS_MAX = 5;
/** Below this, names have nothing to do with each other. */
const LIKENESS_MIN = 0.3;

/**
 * The id of the device that is meant by its name, in whatever case, or by its id; empty for the default device.
 * @throws InvalidArgumentError with similar names; CommanderError of the exit status 0 when `help` has listed all devices
 */
export function deviceIdOf(text: string): string {
  const wanted = text.trim().toLowerCase();
  if (wanted === 'help') {
    process.stdout.write(deviceTable());
    throw new CommanderError(0, 'sitewarden.devices', '');
  }
  if (wanted === '' || wanted === 'default') return '';
  const device = findDevice(wanted) ?? listDevices().find(({ name }) => name.toLowerCase() === wanted);
  if (device !== undefined) return device.id;
  const near = namesLike(wanted, listDevices());
  const proposal = near.length === 0 ? 'Names look like "iPhone 15" or "Pixel 7".' : `Similar names: ${near}.`;
  throw new InvalidArgumentError(`There is no such device. ${proposal} --device help lists all of them.`);
}

function deviceTable(): string {
  const rows = [DEFAULT_DEVICE, ...listDevices()].map(({ name, id, viewport }) => {
    const { width, height, deviceScaleFactor } = viewport;
    return [name, `${width}x${height}`, String(deviceScaleFactor), id];
  });
  return table([['NAME', 'VIEWPORT', 'SCALE', 'ID'], ...rows]);
}

function namesLike(wanted: string, devices: readonly Device[]): string {
  return devices
    .map(({ name }) => ({ name, likeness: likeness(wanted, name.toLowerCase()) }))
    .filter((candidate) => candidate.likeness >= LIKENESS_MIN)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, PROPOSALS_MAX)
    .map(({ name }) => `"${name}"`)
    .join(', ');
}

/**
 * The part of pairs of neighbouring characters that two texts have in common (Sørensen and Dice), from 0 to 1, and 1 more
 * where a name has the wanted text in it.
 */
function likeness(wanted: string, name: string): number {
  const pairsOf = (text: string): Set<string> =>
    new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => text.slice(index, index + 2)));
  const pairs = pairsOf(wanted);
  const others = pairsOf(name);
  const common = (2 * pairs.intersection(others).size) / Math.max(1, pairs.size + others.size);
  return name.includes(wanted) ? common + 1 : common;
}
