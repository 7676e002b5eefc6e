import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { DEFAULT_VIEWPORT, type Viewport } from '../domain/check.ts';

/** A device that the browser can take itself for. */
export interface Device {
  /** Follows from the name, so that it is the same in every installation; empty for the default device. */
  readonly id: string;
  readonly name: string;
  /** Whether this is the landscape form of a device that is listed upright, too. */
  readonly isLandscape: boolean;
  readonly viewport: Viewport;
}

/** The device of a report that names none. It is not in the list. */
export const DEFAULT_DEVICE: Device = { id: '', name: 'Default', isLandscape: false, viewport: DEFAULT_VIEWPORT };

/** The namespace of the ids (RFC 9562, 5.5). With another one every stored id would be unknown. */
const NAMESPACE = 'cff25f10-35aa-4039-acfe-54c3c38b70e2';
const load = createRequire(import.meta.url);
const inNaturalOrder = new Intl.Collator('en', { numeric: true }).compare;

/** The user agent of the default device: desktop Chrome as it names itself on Linux, of the version that Playwright describes. */
export function defaultUserAgent(): string {
  const { devices }: { devices: Readonly<Record<string, Descriptor>> } = load('playwright-core');
  const [, major = ''] = /Chrome\/(\d+)/.exec(devices['Desktop Chrome']?.userAgent ?? '') ?? [];
  return `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`;
}

let known: ReadonlyMap<string, Device> | null = null;

/** Every device that Playwright describes, in the order of their names: iPhone 8 before iPhone 11. */
export function listDevices(): readonly Device[] {
  return [...devicesById().values()];
}

/** The device with an id of the list, in whatever case; undefined when this version has none. */
export function findDevice(id: string): Device | undefined {
  return devicesById().get(id.toLowerCase());
}

/** How the device of a report shows pages; undefined when this version no longer knows it. */
export function viewportOf(deviceId: string | null, isRotated: boolean): Viewport | undefined {
  const viewport = (deviceId === null ? DEFAULT_DEVICE : findDevice(deviceId))?.viewport;
  return viewport !== undefined && isRotated ? rotated(viewport) : viewport;
}

/** The same device held the other way round. */
export function rotated({ width, height, screen, ...rest }: Viewport): Viewport {
  const turned = { ...rest, width: height, height: width };
  return screen === undefined ? turned : { ...turned, screen: { width: screen.height, height: screen.width } };
}

function devicesById(): ReadonlyMap<string, Device> {
  known ??= new Map(readDescriptors().map((device) => [device.id, device]));
  return known;
}

/** What Playwright says of a device; its own type leaves the screen out. */
interface Descriptor extends Omit<Viewport, 'width' | 'height'> {
  readonly viewport: { readonly width: number; readonly height: number };
}

/** Loads Playwright when the first device is asked for: that takes longer than everything else that the API needs. */
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

/** The UUID of version 5 of a name. */
function idOf(name: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(NAMESPACE.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
