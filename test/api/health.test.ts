import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startApi, type TestApi } from '../helpers/api.ts';

describe('health and metrics', () => {
  let api: TestApi;
  let ready: () => Promise<Record<string, boolean>>;
  before(async () => {
    api = await startApi({ ready: () => ready() });
  });
  after(() => api?.close());

  const ask = (path: string) => api.send('GET', path, { token: null });

  test('the service is live as long as the process responds', async () => {
    const reply = await ask('/health/live');
    assert.equal(reply.status, 200);
    assert.deepEqual(reply.document, { status: 'live' });
  });

  test('the service is ready when the database responds, with the state of each part', async () => {
    ready = async () => ({ database: true, validator: true });
    const yes = await ask('/health/ready');
    assert.equal(yes.status, 200);
    assert.deepEqual(yes.document, { status: 'ready', parts: { database: true, validator: true }, paused: false });
    ready = async () => ({ database: true, validator: false });
    const degraded = await ask('/health/ready');
    assert.equal(degraded.status, 200);
    assert.deepEqual(degraded.document, {
      status: 'degraded',
      parts: { database: true, validator: false },
      paused: false,
    });
    ready = async () => ({ database: false, validator: true });
    const no = await ask('/health/ready');
    assert.equal(no.status, 503);
    assert.deepEqual(no.document, { status: 'not_ready', parts: { database: false, validator: true } });
    ready = async () => {
      throw new Error('nobody home');
    };
    const unknown = await ask('/health/ready');
    assert.equal(unknown.status, 503);
    assert.deepEqual(unknown.document, { status: 'not_ready', parts: {} });
  });

  test('metrics count responses by route, not by URL', async () => {
    await api.get('/api/v1/reports/00000000-0000-4000-8000-000000000000');
    await ask('/nowhere/at/all');
    const { status, headers, text } = await ask('/metrics');
    assert.equal(status, 200);
    assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4/);
    const count = 'sitewarden_http_request_duration_seconds_count';
    assert.ok(text.includes(`${count}{method="GET",route="/api/v1/reports/:report_id",status="404"} 1`), text);
    assert.ok(text.includes(`${count}{method="any",route="unknown",status="404"} 1`), text);
    assert.doesNotMatch(text, /00000000-|nowhere/);
  });
});
