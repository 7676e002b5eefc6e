import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startApi, type TestApi } from '../helpers/api.ts';
import { seedSample } from '../helpers/sample-report.ts';

describe('reports', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());

  test('POST creates a report with the defaults of the contract and returns its URL', async () => {
    const reply = await api.send('POST', '/api/v1/reports', {
      attributes: { starting_url: 'HTTPS://Example.com/a b#x' },
    });
    assert.equal(reply.status, 201, reply.text);
    const { id } = reply.document.data;
    assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    const self = `${api.origin}/api/v1/reports/${id}`;
    assert.equal(reply.headers['location'], self);
    assert.equal(reply.headers['content-type'], 'application/vnd.api+json');
    const { inserted_at, updated_at, ...attributes } = reply.document.data.attributes;
    assert.match(inserted_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    assert.equal(updated_at, inserted_at);
    assert.deepEqual(attributes, {
      starting_url: 'https://example.com/a%20b',
      initial_urls: [],
      inclusions: [],
      exclusions: [],
      domain: 'example.com',
      max_pages: 10,
      num_pages: 0,
      pages: { checked: 0, passed: 0 },
      rate_limit: 1,
      deep_crawl: true,
      prefer_canonical_urls: true,
      dynamic_crawler: false,
      respect_robots_txt: false,
      perform_html_checks: true,
      perform_a11y_checks: false,
      device_rotated: false,
      change: null,
      at_end: null,
      site_name: '',
      verdict: null,
      wait_for: null,
      standard: null,
      best_practices: false,
      block_writes: true,
      journeys: [],
      only_journeys: false,
      explore_states: false,
      consent: null,
      store_screenshots: false,
      reuse: true,
      untested_rules: [],
      size: null,
      signs_in: false,
      checks: {
        html: {
          status: { pending: 0, checked: 0, failed: 0 },
          pages: { passed: 0, with_errors: 0 },
          issues: { errors: 0, warnings: 0 },
        },
        a11y: null,
      },
      shared: false,
      tags: [],
      status: 'pending',
      crawl_error: null,
      crawl_error_code: null,
      stopped_early: null,
      fix_effect: null,
      last_checked_at: null,
      finished_at: null,
    });
    const { site, ...relationships } = reply.document.data.relationships;
    assert.match(site.links.related, /\/api\/v1\/sites\/[\da-f-]{36}$/);
    assert.deepEqual(relationships, {
      web_pages: { links: { related: `${self}/web_pages` } },
      common_html_issues: { links: { related: `${self}/common_html_issues` } },
      mutings: { links: { related: `${self}/mutings` } },
      excluded_urls: { links: { related: `${self}/excluded_urls` } },
      discovered_urls: { links: { related: `${self}/discovered_urls` } },
      changes: { links: { related: `${self}/changes` } },
      fixes: { links: { related: `${self}/fixes` } },
    });
    assert.deepEqual(reply.document.data.links, { self });
    assert.deepEqual(reply.document.jsonapi, { version: '1.0' });
    assert.deepEqual((await api.get(self)).document, reply.document);
  });

  test('POST accepts every attribute of the contract', async () => {
    const reply = await api.send('POST', '/api/v1/reports', {
      body: {
        data: {
          type: 'reports',
          attributes: {
            starting_url: 'http://localhost:8080/?a=%5B',
            initial_urls: ' https://example.com/1#top\r\n\nhttps://example.com/2\nhttps://example.com/1 ',
            inclusions: ' /shop/\r\n\nHTTPS://example.com/help/\n/shop/ ',
            exclusions: '/private\n\nhttps://example.com/old ',
            max_pages: 10_000,
            rate_limit: 100,
            deep_crawl: false,
            prefer_canonical_urls: false,
            perform_html_checks: false,
            perform_a11y_checks: true,
            store_raw_html_checks: false,
            store_raw_a11y_checks: false,
            dynamic_crawler: true,
            respect_robots_txt: true,
            device_id: '',
            device_rotated: true,
            wait_for: ' main > .ready ',
            shared: true,
            tags: 'blog, Ünï ,,BLOG,x',
          },
        },
      },
    });
    assert.equal(reply.status, 201, reply.text);
    const { attributes, relationships } = reply.document.data;
    assert.deepEqual(attributes.initial_urls, ['https://example.com/1', 'https://example.com/2']);
    assert.deepEqual(attributes.inclusions, ['/shop/', 'HTTPS://example.com/help/']);
    assert.deepEqual(attributes.exclusions, ['/private', 'https://example.com/old']);
    assert.deepEqual(attributes.tags, ['blog', 'Ünï', 'x']);
    assert.equal(attributes.domain, 'localhost');
    assert.equal(attributes.max_pages, 10_000);
    assert.equal(attributes.rate_limit, 100);
    assert.equal(attributes.deep_crawl, false);
    assert.equal(attributes.prefer_canonical_urls, false);
    assert.equal(attributes.dynamic_crawler, true);
    assert.equal(attributes.device_rotated, true);
    assert.equal(attributes.wait_for, 'main > .ready');
    assert.equal(attributes.shared, true);
    assert.equal(attributes.checks.html, null);
    assert.deepEqual(attributes.checks.a11y, {
      status: { pending: 0, checked: 0, failed: 0 },
      pages: { passed: 0, with_errors: 0, severe_free: 0 },
      issues: {
        errors: 0,
        warnings: 0,
        severity: { minor: 0, moderate: 0, serious: 0, critical: 0, total: { errors: 0, warnings: 0, total: 0 } },
        errors_by_impact: { minor: 0, moderate: 0, serious: 0, critical: 0 },
      },
    });
    assert.deepEqual(Object.keys(relationships), [
      'web_pages',
      'common_a11y_issues',
      'site',
      'device',
      'mutings',
      'excluded_urls',
      'discovered_urls',
      'changes',
      'fixes',
    ]);
  });

  test('POST reports all invalid attributes at once, in plain words', async () => {
    const reply = await api.send('POST', '/api/v1/reports', {
      attributes: {
        starting_url: 'example.com',
        max_pages: 0,
        rate_limit: '3',
        deep_crawl: 1,
        perform_html_checks: false,
        initial_urls: 'https://example.com/\nnonsense',
        tags: [5],
        colour: 'red',
        'a/b~c': 1,
      },
    });
    assert.equal(reply.status, 422);
    assert.deepEqual(
      [...reply.errors].sort(),
      [
        'a~1b~0c',
        'colour',
        'deep_crawl',
        'initial_urls',
        'max_pages',
        'perform_html_checks',
        'rate_limit',
        'starting_url',
        'tags',
      ].map((name) => `422 invalid /data/attributes/${name}`),
    );
    const first = reply.document.errors.find((error: { source: { pointer: string } }) =>
      error.source.pointer.endsWith('starting_url'),
    );
    assert.equal(first.title, 'has invalid format');
    const remedy = 'it must begin with http:// or https://, as in https://example.com';
    assert.equal(first.detail, `Starting url has invalid format: ${remedy}`);
    assert.deepEqual(reply.document.jsonapi, { version: '1.0' });
  });

  const url = 'https://example.com/';
  const invalid: [name: string, attributes: Record<string, unknown>, attribute: string][] = [
    ['no starting URL', {}, 'starting_url'],
    ['no CSS', { starting_url: url, wait_for: 'text=Sign in' }, 'wait_for'],
    ['no text', { starting_url: url, wait_for: 7 }, 'wait_for'],
    ['too long a selector', { starting_url: url, wait_for: 'a'.repeat(257) }, 'wait_for'],
    ['blank starting URL', { starting_url: ' ' }, 'starting_url'],
    ['null', { starting_url: null }, 'starting_url'],
    ['other scheme', { starting_url: 'ftp://example.com/' }, 'starting_url'],
    ['no host', { starting_url: 'https:///path' }, 'starting_url'],
    ['backslashes', { starting_url: 'http:\\\\example.com' }, 'starting_url'],
    ['line break', { starting_url: 'https://exam\nple.com' }, 'starting_url'],
    ['credentials', { starting_url: 'https://u:p@example.com' }, 'starting_url'],
    ['user alone', { starting_url: 'https://u@example.com' }, 'starting_url'],
    ['bad port', { starting_url: 'https://example.com:99999/' }, 'starting_url'],
    ['too long', { starting_url: `https://example.com/${'a'.repeat(2_029)}` }, 'starting_url'],
    ['too long when serialised', { starting_url: `https://example.com/${'é'.repeat(400)}` }, 'starting_url'],
    ['NUL', { starting_url: url, exclusions: '/a\0b' }, 'exclusions'],
    ['half a surrogate pair', { starting_url: url, tags: ['\ud800'] }, 'tags'],
    ['too many pages', { starting_url: url, max_pages: 10_001 }, 'max_pages'],
    ['broken pages', { starting_url: url, max_pages: 1.5 }, 'max_pages'],
    ['null pages', { starting_url: url, max_pages: null }, 'max_pages'],
    ['too fast', { starting_url: url, rate_limit: 101 }, 'rate_limit'],
    ['standing still', { starting_url: url, rate_limit: 0 }, 'rate_limit'],
    ['a word for a flag', { starting_url: url, shared: 'true' }, 'shared'],
    ['too many tags', { starting_url: url, tags: Array.from({ length: 33 }, (_, index) => `t${index}`) }, 'tags'],
    ['too long a tag', { starting_url: url, tags: 'x'.repeat(65) }, 'tags'],
    ['an empty tag', { starting_url: url, tags: ['a', ' '] }, 'tags'],
    ['a tag with a comma', { starting_url: url, tags: ['a,b'] }, 'tags'],
    ['a relative initial URL', { starting_url: url, initial_urls: '/about' }, 'initial_urls'],
    ['an array with a relative initial URL', { starting_url: url, initial_urls: [url, '/about'] }, 'initial_urls'],
    ['an array of numbers', { starting_url: url, initial_urls: [1] }, 'initial_urls'],
    [
      'too many exclusions',
      { starting_url: url, exclusions: Array.from({ length: 1_001 }, (_, index) => `/${index}`) },
      'exclusions',
    ],
    ['too long an exclusion', { starting_url: url, exclusions: ['/a', 'x'.repeat(2_049)] }, 'exclusions'],
    ['an inclusion without a slash', { starting_url: url, inclusions: '/a\nshop/' }, 'inclusions'],
    ['an inclusion with a wildcard', { starting_url: url, inclusions: ['/shop/*'] }, 'inclusions'],
    ['an inclusion with a fragment', { starting_url: url, inclusions: [`${url}#/shop`] }, 'inclusions'],
    ['an inclusion that is no URL', { starting_url: url, inclusions: ['https://'] }, 'inclusions'],
    ['an inclusion with NUL', { starting_url: url, inclusions: '/a\0b' }, 'inclusions'],
    [
      'too many inclusions',
      { starting_url: url, inclusions: Array.from({ length: 1_001 }, (_, index) => `/${index}`) },
      'inclusions',
    ],
    ['too long an inclusion', { starting_url: url, inclusions: ['/a', `/${'x'.repeat(2_048)}`] }, 'inclusions'],
    ['an array of numbers as inclusions', { starting_url: url, inclusions: [1] }, 'inclusions'],
    ['no check', { starting_url: url, perform_html_checks: false, perform_a11y_checks: false }, 'perform_html_checks'],
    ['a word for the dynamic crawler', { starting_url: url, dynamic_crawler: 'true' }, 'dynamic_crawler'],
    ['a word for raw checks', { starting_url: url, store_raw_html_checks: 'yes' }, 'store_raw_html_checks'],
    ['an unknown device', { starting_url: url, device_id: '0c0f6a3e-0000-4000-8000-000000000000' }, 'device_id'],
    ['a device by its name', { starting_url: url, device_id: 'iPhone 15' }, 'device_id'],
    ['a number for a device', { starting_url: url, device_id: 0 }, 'device_id'],
    ['prototype', { starting_url: url, constructor: 1 }, 'constructor'],
  ];
  for (const [name, attributes, attribute] of invalid) {
    test(`POST rejects ${name}`, async () => {
      const reply = await api.send('POST', '/api/v1/reports', { attributes });
      assert.deepEqual(reply.errors, [`422 invalid /data/attributes/${attribute}`], reply.text);
      const [error] = reply.document.errors;
      assert.match(error.detail, /^[A-Z][\w ]+ .+/);
      assert.ok(error.detail.includes(` ${error.title}`), error.detail);
    });
  }

  test('POST lists the allowed schemes, and suggests what was probably meant', async () => {
    const refusal = async (attributes: object) =>
      (await api.send('POST', '/api/v1/reports', { attributes: { starting_url: url, ...attributes } })).document
        .errors[0];
    for (const other of ['ftp://example.com/', 'FILE:///etc/passwd', 'chrome-extension://abc']) {
      assert.equal((await refusal({ starting_url: other })).title, 'must begin with http:// or https://');
    }
    const remedies = [
      ['example.com', 'it must begin with http:// or https://, as in https://example.com'],
      [' localhost:8080/a ', 'it must begin with http:// or https://, as in http://localhost:8080/a'],
      ['127.0.0.1:8080', 'it must begin with http:// or https://, as in http://127.0.0.1:8080'],
      ['example.com:8080/path', 'it must begin with http:// or https://, as in http://example.com:8080/path'],
      ['staging:8080', 'it must begin with http:// or https://, as in http://staging:8080'],
      ['[::1]:3000', 'it must begin with http:// or https://, as in http://[::1]:3000'],
      ['//bücher.example/', 'write https://bücher.example/'],
      ['HTTP:/example.com/a?b', 'write http://example.com/a?b'],
      ['https:\\\\example.com', 'write https://example.com'],
      ['http://https://example.com/', 'write https://example.com/'],
      [`example.com/${'a'.repeat(500)}`, /as in https:\/\/example\.com\/a{180}$/],
    ] as const;
    for (const [given, remedy] of remedies) {
      const { title, detail } = await refusal({ starting_url: given });
      assert.equal(title, 'has invalid format');
      if (typeof remedy === 'string') assert.equal(detail, `Starting url has invalid format: ${remedy}`);
      else assert.match(detail, remedy);
    }
    const slip = await refusal({ max_page: 5 });
    assert.equal(slip.detail, 'Max page is not a known attribute: did you mean max_pages?');
    const inside = await refusal({ basic_auth: { username: 'x', password: 'y', pass: 'z' } });
    assert.equal(inside.detail, 'Basic auth pass is not a known attribute: did you mean password?');
    const { detail } = await refusal({ starting_url: 'https://u:p@example.com/' });
    assert.equal(detail, 'Starting url must not contain credentials: set them in basic_auth');
    for (const riddle of ['nonsense', 'mailto:a@example.com', 'two words.example', '/about', 'https://exa mple.com']) {
      const { detail } = await refusal({ starting_url: riddle });
      assert.equal(detail, 'Starting url has invalid format: it must be a complete URL, as in https://example.com/');
    }
    assert.equal(
      (await refusal({ initial_urls: [url, 'example.org/b'] })).detail,
      'Initial urls has an invalid URL: example.org/b has invalid format (it must begin with http:// or https://, as in https://example.org/b)',
    );
    assert.equal(
      (await refusal({ inclusions: '/shop/\nshop/*' })).detail,
      'Inclusions has an invalid inclusion: shop/* must begin with /, http:// or https://',
    );
  });

  test('POST accepts lines as text or as an array', async () => {
    const made = async (attributes: object) => {
      const reply = await api.send('POST', '/api/v1/reports', { attributes: { starting_url: url, ...attributes } });
      assert.equal(reply.status, 201, reply.text);
      const { initial_urls, inclusions, exclusions } = reply.document.data.attributes;
      return { initial_urls, inclusions, exclusions };
    };
    const expected = { initial_urls: [`${url}a`, `${url}b`], inclusions: ['/v', '/w'], exclusions: ['/x', '/y'] };
    const lines = { inclusions: '/v\n/w', exclusions: '/x\r\n\n/y\n' };
    assert.deepEqual(await made({ initial_urls: `${url}a\n${url}b`, ...lines }), expected);
    const array = {
      initial_urls: [`${url}a`, ` ${url}b`, `${url}a`, ''],
      inclusions: ['/v', ' /w'],
      exclusions: ['/x', '/y '],
    };
    assert.deepEqual(await made(array), expected);
    const none = { initial_urls: [], inclusions: [], exclusions: [] };
    assert.deepEqual(await made(none), none);
  });

  test('POST accepts values at the limits', async () => {
    const attributes = {
      starting_url: `https://example.com/${'a'.repeat(2_028)}`,
      tags: Array.from({ length: 32 }, (_, index) => '🙂'.repeat(62) + (10 + index)),
      device_id: null,
      max_pages: 1,
      rate_limit: 1,
    };
    const reply = await api.send('POST', '/api/v1/reports', { attributes });
    assert.equal(reply.status, 201, reply.text);
    assert.deepEqual(reply.document.data.attributes.tags, attributes.tags);
  });

  test('GET shows counts that add up, and null for what has not happened yet', async () => {
    const { reportId } = await seedSample(api.db, {
      account_id: api.people.ownerId,
      last_checked_at: new Date('2026-02-03T04:05:06.789Z'),
      crawl_error: JSON.stringify({ code: 'report_stopped', params: {} }),
    });
    const { attributes, relationships } = (await api.get(`/api/v1/reports/${reportId}`)).document.data;
    assert.deepEqual(attributes.checks, {
      html: {
        status: { pending: 0, checked: 2, failed: 1 },
        pages: { passed: 0, with_errors: 2 },
        issues: { errors: 4, warnings: 3 },
      },
      a11y: {
        status: { pending: 1, checked: 1, failed: 1 },
        pages: { passed: 0, with_errors: 1, severe_free: 0 },
        issues: {
          errors: 3,
          warnings: 2,
          severity: { minor: 0, moderate: 2, serious: 2, critical: 1, total: { errors: 3, warnings: 2, total: 5 } },
          errors_by_impact: { minor: 0, moderate: 0, serious: 2, critical: 1 },
        },
      },
    });
    assert.equal(attributes.num_pages, 3);
    assert.equal(attributes.status, 'finished');
    assert.equal(attributes.crawl_error, 'The report was stopped before it was complete.');
    assert.equal(attributes.crawl_error_code, 'report_stopped');
    assert.equal(attributes.stopped_early, 'report_stopped');
    assert.equal(attributes.last_checked_at, '2026-02-03T04:05:06');
    assert.deepEqual(Object.keys(relationships), [
      'web_pages',
      'common_html_issues',
      'common_a11y_issues',
      'site',
      'device',
      'mutings',
      'excluded_urls',
      'discovered_urls',
      'changes',
      'fixes',
    ]);
    for (const { links } of Object.values<{ links: { related: string } }>(relationships)) {
      assert.equal((await api.get(links.related)).status, 200, links.related);
    }
  });

  test('PATCH shares a report, DELETE removes it', async () => {
    const { reportId } = await seedSample(api.db, { account_id: api.people.ownerId });
    const path = `/api/v1/reports/${reportId}`;
    assert.equal((await api.get(path, api.people.stranger)).status, 404);
    const body = { data: { type: 'report', id: reportId.toUpperCase(), attributes: { shared: true } } };
    const patched = await api.send('PATCH', path, { body });
    assert.equal(patched.status, 200, patched.text);
    assert.equal(patched.document.data.attributes.shared, true);
    assert.equal((await api.get(path, api.people.stranger)).status, 200);
    assert.equal((await api.send('PATCH', path, { attributes: { shared: false } })).status, 200);
    assert.equal((await api.get(path, api.people.stranger)).status, 404);

    const deleted = await api.send('DELETE', path);
    assert.equal(deleted.status, 204);
    assert.equal(deleted.text, '');
    assert.equal(deleted.headers['content-type'], undefined);
    assert.equal((await api.get(path)).status, 404);
    assert.equal((await api.send('DELETE', path)).status, 404);
    assert.ok((await api.walk('/api/v1/reports')).every((report) => report.id !== reportId));
  });

  test('sharing a report that waits to be crawled leaves it waiting', async () => {
    const { reportId } = await seedSample(api.db, {
      account_id: api.people.ownerId,
      ...{ status: 'pending', crawl_pending: true, crawl_failed: null },
    });
    const { document } = await api.send('PATCH', `/api/v1/reports/${reportId}`, { attributes: { shared: true } });
    assert.equal(document.data.attributes.status, 'pending');
  });

  test('PATCH rejects everything but shared and the standard', async () => {
    const { reportId } = await seedSample(api.db, { account_id: api.people.ownerId });
    const path = `/api/v1/reports/${reportId}`;
    const patch = async (attributes: unknown) => (await api.send('PATCH', path, { attributes })).errors;
    assert.deepEqual(await patch({}), ['422 invalid /data/attributes/shared']);
    assert.deepEqual(await patch({ standard: 'wcag3' }), ['422 invalid /data/attributes/standard']);
    assert.deepEqual(await patch({ shared: 'yes' }), ['422 invalid /data/attributes/shared']);
    assert.deepEqual(await patch({ shared: null }), ['422 invalid /data/attributes/shared']);
    const reply = await api.send('PATCH', path, { attributes: { shared: true, max_pages: 3 } });
    assert.deepEqual(reply.errors, ['422 invalid /data/attributes/max_pages']);
    assert.equal(
      reply.document.errors[0].detail,
      'Max pages cannot be changed: only shared, standard and best_practices can',
    );
    assert.equal((await api.get(path)).document.data.attributes.shared, false);
  });
});
