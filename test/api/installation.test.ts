import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { VERSION } from '../../src/platform/version.ts';
import { putPassword } from '../../src/store/accounts/passwords.ts';
import { startApi, type TestApi } from '../helpers/api.ts';

describe('the installation', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi({
      signUp: 'invite',
      scheduleTimeMs: 12_600_000,
      ready: async () => ({ database: true, writable: true, browser: false }),
    });
  });
  after(() => api?.close());

  const get = async () => (await api.send('GET', '/api/v1/installation', { token: null })).document.data;

  test('is shown to everyone', async () => {
    const { id, type, attributes } = await get();
    assert.deepEqual([type, id], ['installation', 'installation']);
    const shown = {
      sign_up: 'invite',
      version: VERSION,
      command: 'npm start --',
      needs_owner: true,
      sends_mail: true,
      oidc: null,
      paused: false,
      unavailable_parts: ['browser'],
      schedule_time: '03:30',
    };
    assert.deepEqual(attributes, shown);
    const head = await api.send('HEAD', '/api/v1/installation', { token: null });
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.deepEqual((await api.send('POST', '/api/v1/installation', { token: null })).errors, [
      '405 method_not_allowed',
    ]);
  });

  test('needs an owner until a user can sign in', async () => {
    await putPassword(api.db, api.people.guestId, 'a hash');
    assert.equal((await get()).attributes.needs_owner, false);
  });
});
