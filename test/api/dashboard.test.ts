import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { isBuilt, readWebBuild } from '../../src/api/dashboard/web-build.ts';
import { startApi, type TestApi, testServer } from '../helpers/api.ts';

/** An entry of the manifest that Vite writes. */
interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
  readonly isDynamicEntry?: boolean;
}

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
let api: TestApi;
let server: FastifyInstance;

before(async () => {
  api = await startApi();
  server = testServer(api.db, {});
});

after(async () => {
  await server?.close();
  await api?.close();
});

describe('the dashboard', () => {
  test('is sent for every path of a screen, with a strict policy', async () => {
    const web = readWebBuild();
    assert.ok(isBuilt(web), 'npm test builds it');
    for (const path of web.paths) {
      const { statusCode, headers, body } = await server.inject({ url: path.replaceAll('$', ''), headers: browser });
      const status = /^\/(share|latest)\//.test(path) ? 404 : 200;
      assert.deepEqual([statusCode, headers['content-type']], [status, 'text/html; charset=utf-8'], path);
      assert.match(
        String(headers['content-security-policy']),
        /^default-src 'none'; script-src 'self'; style-src 'self';/,
      );
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.doesNotMatch(body, /<script>|<style|style="/);
    }
  });

  test('loads files that are cached forever and compressed in advance', async () => {
    const { body: page } = await server.inject({ url: '/sign-in', headers: browser });
    const scripts = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    assert.ok(scripts.length >= 2, page);
    for (const path of scripts) {
      const plain = await server.inject({ url: path });
      assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
      if (plain.rawPayload.length < 1_024) continue;
      const brotli = await server.inject({ url: path, headers: { 'accept-encoding': 'gzip, br' } });
      const gzip = await server.inject({ url: path, headers: { 'accept-encoding': 'gzip' } });
      assert.deepEqual([brotli.headers['content-encoding'], gzip.headers['content-encoding']], ['br', 'gzip'], path);
      assert.ok(brotliDecompressSync(brotli.rawPayload).equals(plain.rawPayload));
      assert.ok(gunzipSync(gzip.rawPayload).equals(plain.rawPayload));
    }
  });

  test('stays within its size budget', () => {
    const manifest: Record<string, Chunk> = JSON.parse(
      readFileSync(new URL('../../web/dist/.vite/manifest.json', import.meta.url), 'utf8'),
    );
    const sizeOf = (names: Iterable<string>, suffix: RegExp): number =>
      [...names]
        .filter((name) => suffix.test(name))
        .reduce(
          (sum, name) => sum + gzipSync(readFileSync(new URL(`../../web/dist/${name}`, import.meta.url))).length,
          0,
        );
    const first = filesOf(manifest, ['index.html', 'style.css']);
    assert.ok(sizeOf(first, /\.js$/) <= 153_500, `first load: ${sizeOf(first, /\.js$/)} bytes of script`);
    assert.ok(sizeOf(first, /\.css$/) <= 20_000, `first load: ${sizeOf(first, /\.css$/)} bytes of style`);
    for (const [name, { isDynamicEntry }] of Object.entries(manifest)) {
      if (isDynamicEntry !== true) continue;
      const own = filesOf(manifest, [name]).difference(first);
      assert.ok(sizeOf(own, /\.js$/) <= 60_000, `${name}: ${sizeOf(own, /\.js$/)} bytes of script`);
    }
  });

  test('says that a page does not exist, to browsers as a page and to programs in their format', async () => {
    const page = await server.inject({ url: '/nowhere', headers: browser });
    assert.deepEqual([page.statusCode, page.headers['content-type']], [404, 'text/html; charset=utf-8']);
    const program = await server.inject({ url: '/nowhere' });
    assert.deepEqual([program.statusCode, program.json().errors[0].code], [404, 'not_found']);
    const api = await server.inject({ url: '/api/v2', headers: browser });
    assert.equal(api.json().errors[0].code, 'not_found');
    const assets = await server.inject({ url: '/assets/../../../package.json' });
    assert.equal(assets.statusCode, 404);
  });

  test('explains how to build it if it is not built', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'sitewarden-web-'));
    t.after(() => rm(folder, { recursive: true }));
    const bare = testServer(api.db, { web: readWebBuild(folder) });
    t.after(() => bare.close());
    const page = await bare.inject({ url: '/', headers: browser });
    assert.equal(page.statusCode, 503);
    assert.match(page.body, /npm run build/);
    assert.equal((await bare.inject({ url: '/health/live' })).statusCode, 200);
    assert.equal((await bare.inject({ url: '/reports', headers: browser })).statusCode, 404);
  });
});

/** Returns the files that a browser loads for chunks, including the files that they import. */
function filesOf(manifest: Readonly<Record<string, Chunk>>, names: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    waiting.push(...(manifest[name]?.imports ?? []));
  }
  return new Set([...seen].flatMap((name) => [manifest[name]?.file ?? '', ...(manifest[name]?.css ?? [])]));
}
