import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listDevices } from '../../src/browser/devices.ts';
import { deviceLike } from '../../src/commands/imports/devices.ts';

/** The devices that match devices of another service. */

const viewportOf = (name: string) => {
  const { viewport } = listDevices().find((device) => device.name === name) ?? assert.fail(name);
  const { width, height, deviceScaleFactor, isMobile, hasTouch, userAgent } = viewport;
  return {
    ...{ width, height, device_scale_factor: deviceScaleFactor, is_mobile: isMobile, has_touch: hasTouch },
    user_agent: userAgent ?? '',
  };
};

test('devices are the same by name, however it is written', () => {
  const cases: readonly (readonly [object, string | undefined])[] = [
    [{ name: 'iPhone 15' }, 'iPhone 15'],
    [{ name: 'IPHONE-15 (Landscape)' }, 'iPhone 15 landscape'],
    [{ name: 'iPhone 15', is_landscape: true }, 'iPhone 15 landscape'],
    [{ name: 'Galaxy S9 Plus' }, 'Galaxy S9+'],
    [{ name: 'iPhone' }, undefined],
    [{ name: 42 }, undefined],
    [{}, undefined],
  ];
  for (const [theirs, expected] of cases) assert.equal(deviceLike(theirs)?.name, expected, JSON.stringify(theirs));
});

test('devices of other names are the same if pages cannot tell them apart', () => {
  const pixel = viewportOf('Pixel 7');
  const like = (changes: object) => deviceLike({ name: 'Our phone', ...pixel, ...changes });
  assert.deepEqual(viewportOf(like({})?.name ?? '').width, pixel.width);
  const otherVersion = pixel.user_agent.replace(/Chrome\/\d+/, 'Chrome/99');
  assert.equal(like({ user_agent: otherVersion })?.name, like({})?.name);
  assert.equal(like({ user_agent: viewportOf('iPhone 15').user_agent }), undefined);
  assert.equal(like({ width: pixel.width + 1 }), undefined);
  assert.equal(like({ has_touch: false }), undefined);
});
