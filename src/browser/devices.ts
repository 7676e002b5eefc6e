import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { DEFAULT_VIEWPORT, type Viewport } from '../domain/check.ts';

/** A device that the browser can emulate. */
export interface Device {
  /** A UUID derived from the name, so it is the same in every installation; empty for the default device. */
  readonly id: string;
  readonly name: string;
  /** Whether this is the landscape variant of a device that is also listed in portrait. */
  readonly isLandscape: boolean;
  readonly viewport: Viewport;
}

/** The device of reports that name no device. It is not listed. */
export const DEFAULT_DEVICE: Device = { id: '', name: 'Default', isLandscape: false, viewport: DEFAULT_VIEWPORT };

/** The namespace of the ids (RFC 9562, section 5.5). Changing it would invalidate every stored id. */
const NAMESPACE = 'cff25f10-35aa-4039-acfe-54c3c38b70e2';
const load = createRequire(import.meta.url);
const inNaturalOrder = new Intl.Collator('en', { numeric: true }).compare;

/** Returns the user agent of the default device: desktop Chrome on Linux, in the version of Playwright's descriptors. */
export function defaultUserAgent(): string {
  const { devices }: { devices: Readonly<Record<string, Descriptor>> } = load('playwright-core');
  const [, major = ''] = /Chrome\/(\d+)/.exec(devices['Desktop Chrome']?.userAgent ?? '') ?? [];
  return `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`;
}

let known: ReadonlyMap<string, Device> | null = null;

/** Returns all devices known to Playwright in natural order of their names: iPhone 8 before iPhone 11. */
export function listDevices(): readonly Device[] {
  return [...devicesById().values()];
}

/** Returns a listed device by its id, in upper or lower case; undefined when this version does not have it. */
export function findDevice(id: string): Device | undefined {
  return devicesById().get(id.toLowerCase());
}

/** Returns the viewport of a report's device; undefined when this version no longer has the device. */
export function viewportOf(deviceId: string | null, isRotated: boolean): Viewport | undefined {
  const viewport = (deviceId === null ? DEFAULT_DEVICE : findDevice(deviceId))?.viewport;
  return viewport !== undefined && isRotated ? rotated(viewport) : viewport;
}

/** Returns the viewport of the same device rotated by 90 degrees. */
export function rotated({ width, height, screen, ...rest }: Viewport): Viewport {
  const turned = { ...rest, width: height, height: width };
  return screen === undefined ? turned : { ...turned, screen: { width: screen.height, height: screen.width } };
}

function devicesById(): ReadonlyMap<string, Device> {
  known ??= new Map(readDescriptors().map((device) => [device.id, device]));
  return known;
}

/** Playwright's description of a device. Its own type lacks `screen`. */
interface Descriptor extends Omit<Viewport, 'width' | 'height'> {
  readonly viewport: { readonly width: number; readonly height: number };
}

/** Loads Playwright at first use: it takes longer to load than everything else that the API needs. */
function readDescriptors(): Device[] {
  const { devices }: { devices: Readonly<Record<string, Descriptor>> } = load('playwright-core');
  return Object.entries(devices)
    .map(([name, { viewport, screen, deviceScaleFactor, isMobile, hasTouch, userAgent }]) => ({
      id: idOf(name),
      name,
      isLandscape: name.endsWith(' landscape'),
      viewport: { ...viewport, ...(screen && { screen }), deviceScaleFactor, isMobile, hasTouch, userAgent },
    }))
    .sort((a, b) => inNaturalOrder(a.name, b.name));
}

/** Returns the UUID (version 5) of a name. */
function idOf(name: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(NAMESPACE.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
