import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { startApi, type TestApi } from '../helpers/api.ts';
import { HOME, seedSample } from '../helpers/sample-report.ts';

/** Whatever is sent, the answer is one of ours: never a fault, never something else than a document. */
describe('bad input', () => {
  let api: TestApi;
  let lists: string[];
  before(async () => {
    api = await startApi();
    const sample = await seedSample(api.db, { account_id: api.people.ownerId });
    const report = `/api/v1/reports/${sample.reportId}`;
    const page = `${report}/web_pages/${sample.pageIds.get(HOME)}`;
    lists = [
      '/api/v1/reports',
      `${report}/web_pages`,
      `${report}/common_html_issues`,
      `${report}/common_a11y_issues`,
      `${page}/html_issues`,
      `${page}/a11y_issues`,
      `${report}/excluded_urls`,
    ];
  });
  after(() => api?.close());

  const NAMES = [
    'page[number]',
    'page[size]',
    'sort',
    'filter[url]',
    'filter[status]',
    'filter[tags][mode]',
    'filter[tags][list]',
    'filter[message]',
    'filter[help]',
    'filter[muted]',
    'filter[common_html_issue_id]',
    'filter[schedule_id]',
    'created_by',
    '__proto__',
  ];
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom(
      '',
      '\0',
      '%',
      '_',
      '\\',
      "'",
      '";--',
      'url-asc',
      '-url',
      '1',
      '100',
      '2147483648',
      '9223372036854775808',
      'any',
      'true',
      '{}',
      '\u202e',
      '🙂',
    ),
    fc.integer().map(String),
  );
  const encoded = hostile.map((text) => encodeURIComponent(text.toWellFormed()));
  const raw = fc.string({ unit: fc.constantFrom(...'abc[]{}%=&;+?#/\\\'"<>^`|~%0%f'.split('')), maxLength: 20 });

  const check = async (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<void> => {
    const reply = await api.send(method, path, { body, ...(headers && { headers }) });
    assert.ok(reply.status < 500, `${method} ${path} ${JSON.stringify(body)}: ${reply.text}`);
    if (reply.status >= 400 && method !== 'HEAD') assert.ok(reply.errors.length > 0, reply.text);
  };

  test('queries', async () => {
    const pair = fc.tuple(fc.constantFrom(...NAMES), encoded).map(([name, value]) => `${name}=${value}`);
    const query = fc.array(fc.oneof({ weight: 4, arbitrary: pair }, { weight: 1, arbitrary: raw }), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.nat(lists.length - 1), query, (list, pairs) =>
        check('GET', `${lists[list]}?${pairs.join('&')}`),
      ),
      { numRuns: 200 },
    );
  });

  test('ids', async () => {
    const segment = fc.oneof(
      encoded,
      raw.map((text) => text.replace(/[?#]/g, '')),
    );
    const method = fc.constantFrom('GET', 'DELETE', 'HEAD');
    await fc.assert(
      fc.asyncProperty(method, fc.nat(lists.length - 1), segment, (verb, list, id) =>
        check(verb, `${lists[list]}/x${id}`),
      ),
      { numRuns: 100 },
    );
  });

  test('bodies', async () => {
    const attribute = fc.constantFrom(
      'starting_url',
      'initial_urls',
      'exclusions',
      'max_pages',
      'rate_limit',
      'tags',
      'device_id',
      'shared',
      '__proto__',
      'constructor',
    );
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      hostile,
      hostile.map((text) => `https://example.com/${text}`),
      hostile.map((text) => `http://${text}.example/`),
      fc.array(hostile, { maxLength: 4 }),
      fc.double(),
    );
    const attributes = fc
      .dictionary(attribute, value, { maxKeys: 5 })
      .map((given) => ({ starting_url: HOME, ...given }));
    const body = fc.oneof(
      { weight: 6, arbitrary: attributes.map((given) => ({ data: { attributes: given } })) },
      { weight: 1, arbitrary: fc.jsonValue() },
      { weight: 1, arbitrary: fc.string() },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes)) },
    );
    await fc.assert(
      fc.asyncProperty(body, (given) => check('POST', '/api/v1/reports', given)),
      { numRuns: 200 },
    );
  });
});
