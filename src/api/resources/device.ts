import Type from 'typebox';
import { DEFAULT_DEVICE, type Device, defaultUserAgent, findDevice, listDevices } from '../../browser/devices.ts';
import { flag, UUID, UUID_EXAMPLE } from '../../domain/schemas.ts';
import { userAgent } from '../../egress/user-agent.ts';
import { notFound } from '../../platform/errors.ts';
import { VERSION } from '../../platform/version.ts';
import { PAGING_QUERY } from '../attributes/parameters.ts';
import { type Call, endpoint, listed, listOf, one } from '../http/endpoint.ts';
import { type Resource, resource } from '../jsonapi/document.ts';
import { resourceType } from '../jsonapi/resource-type.ts';

const pixels = (description: string, example: number) =>
  Type.Integer({
    minimum: 1,
    description: `${description} of the viewport, in CSS pixels.`,
    examples: [example],
  });

const USER_AGENT =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

/** See docs/contract/resources.md#device. */
const DEVICE = resourceType('device', {
  description: 'A device that accessibility checks can emulate. Every installation has the same devices.',
  id: Type.String({
    description: 'A UUID derived from the name; empty for the default device.',
    examples: [UUID_EXAMPLE],
  }),
  attributes: Type.Object({
    id: Type.String({ description: 'Same as `id`.', examples: [UUID_EXAMPLE] }),
    name: Type.String({ description: 'The name of the device.', examples: ['iPhone 15'] }),
    width: pixels('Width', 393),
    height: pixels('Height', 659),
    device_scale_factor: Type.Number({
      description: 'Screen pixels per CSS pixel.',
      examples: [3],
    }),
    is_mobile: flag('Whether it uses the viewport that a page declares, as phones do.', { examples: [true] }),
    is_landscape: flag('Whether the device is in landscape orientation.'),
    has_touch: flag('Whether it has a touch screen.', { examples: [true] }),
    user_agent: Type.String({
      description:
        'The user agent of all requests. sitewarden appends its own product token, which is only shown for the default device.',
      examples: [USER_AGENT],
    }),
  }),
  relationships: {},
});

export const DEVICE_ENDPOINTS = [
  endpoint({
    method: 'GET',
    path: '/devices',
    summary: 'List devices',
    description: 'Returns all devices that accessibility checks can emulate except the default device, sorted by name.',
    pro: true,
    query: PAGING_QUERY,
    answers: listOf(DEVICE),
    async answer({ call, paging }) {
      const all = listDevices();
      const rows = all.slice((paging.number - 1) * paging.size, paging.number * paging.size);
      return listed({ total: all.length, rows }, (device) => renderDevice(device, call));
    },
  }),
  endpoint({
    method: 'GET',
    path: '/devices/default',
    summary: 'Get the default device',
    description: 'Returns the device used by reports that do not set one. Its `id` is an empty string.',
    pro: true,
    answers: one(DEVICE),
    answer: async ({ call }) => renderDevice(DEFAULT_DEVICE, call),
  }),
  endpoint({
    method: 'GET',
    path: '/devices/{device_id}',
    summary: 'Get a device',
    description: 'Returns a device from the list.',
    pro: true,
    params: Type.Object({ device_id: UUID }),
    answers: one(DEVICE),
    subject: async () => null,
    async answer({ call, params }) {
      const device = findDevice(params.device_id);
      if (device === undefined) throw notFound();
      return renderDevice(device, call);
    },
  }),
];

/** Returns the path of a device. Null and empty mean the default device. */
export function devicePath(id: string | null): string {
  return `/devices/${id || 'default'}`;
}

function renderDevice({ id, name, isLandscape, viewport }: Device, { links, contactUrl }: Call): Resource {
  return resource(DEVICE, {
    id,
    attributes: {
      id,
      name,
      width: viewport.width,
      height: viewport.height,
      device_scale_factor: viewport.deviceScaleFactor,
      is_mobile: viewport.isMobile,
      is_landscape: isLandscape,
      has_touch: viewport.hasTouch,
      user_agent: viewport.userAgent ?? `${defaultUserAgent()} ${userAgent(VERSION, contactUrl)}`,
    },
    self: links(devicePath(id)),
  });
}
