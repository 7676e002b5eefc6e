import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { PAGE_LOAD_LIMITS } from '../../src/browser/page-load/limits.ts';
import { createAddressGuard } from '../../src/egress/address-guard.ts';
import { createHttpClient } from '../../src/egress/http-client.ts';

/** Tests of hostile sites have shorter limits; this verifies that a service has the documented ones. */
test('docs/hostile-sites.md has the actual time-outs', async () => {
  const { limits, close } = createHttpClient({
    addressGuard: createAddressGuard({ allowPrivateNetworks: false }),
    userAgent: 'test',
  });
  await close();
  const { loadTimeoutMs, unresponsiveMs } = PAGE_LOAD_LIMITS;
  const [headers, idle, request, load, unresponsive] = [
    limits.headersTimeoutMs,
    limits.bodyIdleTimeoutMs,
    limits.requestTimeoutMs,
    loadTimeoutMs,
    unresponsiveMs,
  ].map((limitMs) => `${limitMs / 1_000} s`);
  const docs = await readFile(new URL('../../docs/hostile-sites.md', import.meta.url), 'utf8');
  for (const sentence of [
    `does not respond for ${headers}, sends nothing for ${idle}, or takes more than ${request} |`,
    `gives up after ${unresponsive}, without a retry`,
    `gives up after ${load}, and retries once`,
    `checks the page in its state after ${load}`,
  ]) {
    assert.ok(docs.includes(sentence), sentence);
  }
});
