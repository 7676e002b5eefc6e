import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { startApi, type TestApi } from '../helpers/api.ts';
import { seedSample, seedSamplePath } from '../helpers/sample-report.ts';

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

describe('compression of responses', () => {
  let api: TestApi;
  let report: string;
  before(async () => {
    api = await startApi();
    report = await seedSamplePath(api);
  });
  after(() => api?.close());

  const ask = (path: string, accepted?: string, method = 'GET'): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const authorization = `Bearer ${api.people.owner}`;
      const headers = { authorization, ...(accepted === undefined ? {} : { 'accept-encoding': accepted }) };
      const outgoing = request(api.origin + path, { method, headers, agent: false }, async (incoming) => {
        const chunks = await incoming.toArray();
        resolve({ status: incoming.statusCode, headers: incoming.headers, bytes: Buffer.concat(chunks) });
      });
      outgoing.on('error', reject).end();
    });

  for (const path of ['list', '/api/docs', '/metrics']) {
    test(`${path} is compressed in an encoding that the client accepts`, async () => {
      const url = path === 'list' ? `${report}/web_pages?page[size]=100` : path;
      const plain = await ask(url);
      assert.equal(plain.headers['content-encoding'], undefined);
      assert.equal(plain.headers.vary, 'accept-encoding');
      assert.equal((await ask(url, 'compress, snappy')).headers['content-encoding'], undefined);
      const encodings = [
        ['gzip, deflate, br', 'br', brotliDecompressSync],
        ['gzip, deflate, br, zstd', 'zstd', zstdDecompressSync],
        ['gzip', 'gzip', gunzipSync],
        ['br;q=0.5, gzip', 'gzip', gunzipSync],
        ['br;q=0, *', 'gzip', gunzipSync],
      ] as const;
      for (const [accepted, encoding, decompress] of path === 'list' ? encodings : encodings.slice(0, 1)) {
        const { status, headers, bytes } = await ask(url, accepted);
        assert.equal(status, 200);
        assert.equal(headers['content-encoding'], encoding, accepted);
        assert.equal(headers['content-type'], plain.headers['content-type']);
        assert.equal(headers.vary, 'accept-encoding');
        assert.ok(bytes.length < plain.bytes.length / 2, `${accepted}: ${bytes.length} of ${plain.bytes.length}`);
        if (path !== '/metrics') assert.ok(decompress(bytes).equals(plain.bytes), accepted);
      }
    });
  }

  test('HEAD returns the headers of the uncompressed response without content', async () => {
    for (const path of [report, `${report}/web_pages`]) {
      const get = await ask(path);
      const head = await ask(path, 'br, gzip', 'HEAD');
      assert.equal(head.status, 200);
      assert.equal(head.bytes.length, 0);
      for (const name of ['content-type', 'content-length', 'content-encoding', 'vary']) {
        assert.equal(head.headers[name], get.headers[name], name);
      }
    }
  });

  test('short responses, errors and empty responses are not compressed', async () => {
    const { reportId } = await seedSample(api.db, { account_id: api.people.ownerId });
    for (const [method, path, status] of [
      ['GET', '/health/live', 200],
      ['GET', '/api/v1/api_tokens?page[size]=1', 200],
      ['GET', '/nowhere', 404],
      ['DELETE', `/api/v1/reports/${reportId}`, 204],
    ] as const) {
      const answer = await ask(path, 'gzip, br', method);
      assert.equal(answer.status, status, path);
      assert.equal(answer.headers['content-encoding'], undefined, path);
      assert.equal(answer.headers.vary, 'accept-encoding');
      if (status === 204) assert.equal(answer.bytes.length, 0);
      else assert.equal(String(answer.bytes.length), answer.headers['content-length']);
    }
  });

  test('a long list of errors is compressed too', async () => {
    const query = Array.from({ length: 30 }, (_, index) => `filter[unknown_${index}]=1`).join('&');
    const answer = await ask(`${report}/web_pages?${query}`, 'br');
    assert.equal(answer.status, 400);
    assert.equal(answer.headers['content-type'], 'application/vnd.api+json');
    assert.equal(JSON.parse(brotliDecompressSync(answer.bytes).toString()).errors.length, 30);
  });

  test('several requests on one connection each get a response', async () => {
    for (const encoding of ['gzip', 'br', 'zstd']) {
      const replies = await Promise.all(
        Array.from({ length: 5 }, () =>
          fetch(`${api.origin}${report}/web_pages`, {
            headers: { authorization: `Bearer ${api.people.owner}`, 'accept-encoding': encoding },
          }),
        ),
      );
      const texts = new Set(await Promise.all(replies.map((reply) => reply.text())));
      assert.equal(texts.size, 1);
    }
  });
});
