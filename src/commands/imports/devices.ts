import type { Client } from '../../../packages/client/client.ts';
import { isStatus } from '../../../packages/client/errors.ts';
import type { Attributes } from '../../../packages/client/schema.ts';
import { type Device, findDevice, listDevices } from '../../browser/devices.ts';

/** Devices are presets of a service, so the devices of another service become the same or similar devices of this one. */

/** A device of another service. Its attributes may be missing. */
type DeviceThere = Partial<Attributes['device']>;

/** The device that replaces a device of another service, for one line of the output. */
export interface DeviceMatch {
  readonly name: string;
  /** Undefined if there is no similar device here. */
  readonly here: Device | undefined;
  /** The viewports, if they differ: `393 x 852`. */
  readonly size: string;
  readonly sizeHere: string;
}

/**
 * Returns the replacement of the device of a relationship. Each device is read once.
 * @param path undefined for the default device
 * @returns null for the default device
 */
export type FindDevice = (path: string | undefined) => Promise<DeviceMatch | null>;

export function createFindDevice(remote: Client): FindDevice {
  const matches = new Map<string, DeviceMatch | null>();
  return async (path) => {
    const id = /\/devices\/([^/?]+)$/.exec(path ?? '')?.[1];
    if (path === undefined || id === undefined || id === 'default') return null;
    const match = matches.get(id);
    if (match !== undefined) return match;
    const read = await matchAt(path, id, remote);
    matches.set(id, read);
    return read;
  };
}

/** Returns null for the default device. */
async function matchAt(path: string, id: string, remote: Client): Promise<DeviceMatch | null> {
  try {
    const theirs: DeviceThere = await remote.read<'device'>(path);
    // The default device may also have the id that its settings show: an empty id.
    if (theirs.id === '') return null;
    const here = deviceLike(theirs) ?? findDevice(id);
    const [size, sizeHere] = [sizeOf(theirs), here === undefined ? '' : sizeOf(here.viewport)];
    return { name: String(theirs.name ?? id), here, size, sizeHere };
  } catch (error) {
    // Plans may exclude devices, and presets may have been removed.
    if (!isStatus(error, 403, 404)) throw error;
    return { name: id, here: findDevice(id), size: '', sizeHere: '' };
  }
}

/**
 * Returns the device here with the same name as the other service's device, regardless of spelling; if there is none, a device
 * that pages cannot distinguish from it, except by the version in its user agent.
 */
export function deviceLike(theirs: DeviceThere): Device | undefined {
  const devices = listDevices();
  const name = plainName(String(theirs.name ?? ''));
  const names = theirs.is_landscape === true && !name.includes('landscape') ? [`${name}landscape`] : [name];
  const alike = (device: Device): boolean => {
    const { width, height, deviceScaleFactor, isMobile, hasTouch, userAgent } = device.viewport;
    return (
      width === theirs.width &&
      height === theirs.height &&
      deviceScaleFactor === theirs.device_scale_factor &&
      isMobile === theirs.is_mobile &&
      hasTouch === theirs.has_touch &&
      systemOf(userAgent ?? '') === systemOf(theirs.user_agent ?? '')
    );
  };
  return devices.find((device) => names.includes(plainName(device.name))) ?? devices.find(alike);
}

/** `iPhone 8 (landscape)` and `iPhone-8 landscape` are the same, and so are `Galaxy S9+` and `Galaxy S9 Plus`. */
function plainName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll('+', 'plus')
    .replace(/[^a-z0-9]/g, '');
}

const SYSTEMS = ['iPad', 'iPhone', 'Android', 'Windows', 'Macintosh', 'Linux'];

function systemOf(userAgent: string): string | undefined {
  return SYSTEMS.find((name) => userAgent.includes(name));
}

function sizeOf({ width, height }: { readonly width?: number; readonly height?: number }): string {
  return width === undefined || height === undefined ? '' : `${width} x ${height}`;
}
