import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { devices as descriptors } from 'playwright-core';
import { startApi, type TestApi } from '../helpers/api.ts';
import { IPHONE_15 } from '../helpers/devices.ts';
import { HOME, seedSample } from '../helpers/sample-report.ts';

describe('devices', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());

  test('the list has every device of Playwright, by name', async () => {
    const items = await api.walk('/api/v1/devices?page[size]=40');
    assert.deepEqual(items.map(({ attributes }) => attributes.name).toSorted(), Object.keys(descriptors).toSorted());
    assert.equal(new Set(items.map(({ id }) => id)).size, items.length);
    const positionOf = (name: string) => items.findIndex(({ attributes }) => attributes.name === name);
    const inOrder = ['Blackberry PlayBook', 'Galaxy S9+', 'iPhone 8', 'iPhone 11', 'iPhone 11 landscape', 'Pixel 7'];
    assert.deepEqual(
      inOrder.map(positionOf),
      inOrder.map(positionOf).toSorted((a, b) => a - b),
    );
    assert.ok(positionOf('Blackberry PlayBook') === 0);
    for (const { id, type, attributes, links } of items) {
      const { viewport, deviceScaleFactor, isMobile, hasTouch, userAgent } = descriptors[attributes.name] ?? {};
      assert.equal(type, 'device');
      assert.match(id, /^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
      assert.deepEqual(attributes, {
        id,
        name: attributes.name,
        ...viewport,
        device_scale_factor: deviceScaleFactor,
        is_mobile: isMobile,
        is_landscape: attributes.name.endsWith(' landscape'),
        has_touch: hasTouch,
        user_agent: userAgent,
      });
      assert.equal(links.self, `${api.origin}/api/v1/devices/${id}`);
    }
    const landscape = items.filter(({ attributes }) => attributes.is_landscape);
    assert.ok(landscape.length > 50);
    for (const { attributes } of landscape) assert.ok(!/^Desktop/.test(attributes.name));
  });

  test('a device has the same id in every installation', async () => {
    const { data } = (await api.get(`/api/v1/devices/${IPHONE_15}`)).document;
    assert.equal(data.attributes.name, 'iPhone 15');
    assert.deepEqual((await api.get(`/api/v1/devices/${IPHONE_15.toUpperCase()}`)).document.data, data);
  });

  test('the default device is served at default and has no id', async () => {
    const { data } = (await api.get('/api/v1/devices/default')).document;
    assert.equal(data.id, '');
    const { user_agent: userAgent, ...attributes } = data.attributes;
    assert.match(userAgent, /^Mozilla\/5\.0 .*Chrome\/\d+\.0\.0\.0 Safari\/537\.36 sitewarden\//);
    assert.deepEqual(attributes, {
      id: '',
      name: 'Default',
      width: 800,
      height: 600,
      device_scale_factor: 1,
      is_mobile: false,
      is_landscape: false,
      has_touch: false,
    });
    assert.equal(data.links.self, `${api.origin}/api/v1/devices/default`);
  });

  test('an unknown device is not found', async () => {
    for (const id of ['0c0f6a3e-0000-4000-8000-000000000000', 'iPhone%2015', 'DEFAULT', '%00', 'x'.repeat(99)]) {
      assert.deepEqual((await api.get(`/api/v1/devices/${id}`)).errors, ['404 not_found'], id);
    }
    assert.deepEqual((await api.get('/api/v1/devices?filter[name]=iPhone')).errors, [
      '400 invalid_parameter filter[name]',
    ]);
  });

  describe('the device of a report', () => {
    const relationshipOf = async (attributes: object): Promise<string | undefined> => {
      const reply = await api.send('POST', '/api/v1/reports', { attributes: { starting_url: HOME, ...attributes } });
      assert.equal(reply.status, 201, reply.text);
      const { device } = reply.document.data.relationships;
      if (device !== undefined) assert.equal((await api.get(device.links.related)).status, 200);
      return device?.links.related.replace(`${api.origin}/api/v1`, '');
    };

    test('is the given device, in upper or lower case', async () => {
      const path = `/devices/${IPHONE_15}`;
      assert.equal(await relationshipOf({ device_id: IPHONE_15, perform_a11y_checks: true }), path);
      assert.equal(await relationshipOf({ device_id: ` ${IPHONE_15.toUpperCase()} ` }), path);
    });

    test('is the default device if none was given, and is shown only with accessibility checks', async () => {
      for (const attributes of [{}, { device_id: null }, { device_id: '' }, { device_id: 'default' }]) {
        assert.equal(await relationshipOf({ ...attributes, perform_a11y_checks: true }), '/devices/default');
        assert.equal(await relationshipOf(attributes), undefined);
      }
    });

    test('is not shown to accounts whose plan does not include it', async () => {
      const { reportId } = await seedSample(api.db, { account_id: api.people.ownerId, shared: true });
      const relationships = async (token?: string) =>
        Object.keys((await api.get(`/api/v1/reports/${reportId}`, token)).document.data.relationships);
      assert.ok((await relationships()).includes('device'));
      assert.ok(!(await relationships(api.people.free)).includes('device'));
    });
  });
});
