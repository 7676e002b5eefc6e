import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { REPORT_SCHEMA_NAME, reportJsonSchema } from '../../src/api/openapi/report-schema.ts';
import { BrowserFault } from '../../src/browser/browser-fault.ts';
import { createPrinter } from '../../src/browser/print-document.ts';
import { writeReportFile } from '../../src/commands/report-files.ts';
import { EXPORT_FORMAT_NAMES, EXPORT_FORMATS } from '../../src/domain/export-formats.ts';
import { AppError } from '../../src/platform/errors.ts';
import { findReport } from '../../src/store/reports/reports.ts';
import { type Item, type printNothing, startApi, type TestApi } from '../helpers/api.ts';
import {
  A11Y_ISSUE_TYPES,
  element,
  HTML_ISSUE_TYPES,
  occurrence,
  SAMPLE_PAGES,
  seedSamplePath,
} from '../helpers/sample-report.ts';
import { seedReport } from '../helpers/seed.ts';
import { until } from '../helpers/until.ts';

describe('exports of reports', () => {
  let api: TestApi;
  let path: string;
  before(async () => {
    api = await startApi();
    path = await seedSamplePath(api);
  });
  after(() => api?.close());

  const share = async (report: string): Promise<string> => {
    const { document } = await api.send('PATCH', report, { attributes: { shared: true } });
    return document.data.attributes.share_url.split('/').at(-1);
  };

  /** Starts a download without reading any of it yet. */
  const startDownload = async (report: string): Promise<IncomingMessage> => {
    const headers = { authorization: `Bearer ${api.people.owner}` };
    const outgoing = request(`${api.origin}${report}/export?format=json`, { headers, agent: false }).end();
    const [incoming]: IncomingMessage[] = await once(outgoing, 'response');
    assert.ok(incoming);
    return incoming;
  };

  /** A report that does not fit into the buffers of a connection. */
  const seedLarge = async (): Promise<string> => {
    const extract = 'x'.repeat(1_000);
    const occurrences = Array.from({ length: 1_000 }, (_, line) => ({ ...occurrence(line + 1), extract }));
    const pages = Array.from({ length: 20 }, (_, number) => ({
      url: `https://example.com/${number}`,
      checks: { html: { status: 'checked', issues: [{ kind: HTML_ISSUE_TYPES.duplicateId, occurrences }] } } as const,
    }));
    const { reportId } = await seedReport(api.db, { account_id: api.people.ownerId }, ['html'], pages);
    return `/api/v1/reports/${reportId}`;
  };

  test('every format is documented', () => {
    const documented = readFileSync(new URL('../../docs/exports.md', import.meta.url), 'utf8');
    const rows = documented.match(/^\| \[`\w+`\]\(#\w+\) \| `[\w.]+`/gm);
    const expected = EXPORT_FORMAT_NAMES.map(
      (name) => `| [\`${name}\`](#${name}) | \`${EXPORT_FORMATS[name].extension}\``,
    );
    assert.deepEqual(rows?.toSorted(), expected.toSorted());
  });

  test('everyone who can read the report gets it as a file', async () => {
    const report = await seedSamplePath(api);
    const { owner, reader, stranger, free } = api.people;
    const texts: Record<string, string> = {};
    for (const format of EXPORT_FORMAT_NAMES) {
      const url = `${report}/export?format=${format}`;
      const { status, headers, text } = await api.get(url);
      assert.equal(status, 200, text);
      const { mediaType, extension } = EXPORT_FORMATS[format];
      assert.equal(headers['content-type'], mediaType);
      assert.match(
        String(headers['content-disposition']),
        /^attachment; filename="example\.com-\d{4}-\d\d-\d\d\.[\w.]+"$/,
      );
      assert.ok(String(headers['content-disposition']).endsWith(`.${extension}"`));
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.deepEqual((await api.get(url, stranger)).errors, ['404 not_found']);
      texts[format] = text;
    }
    const [url, secret] = [`${report}/export?format=json`, await share(report)];
    assert.equal((await api.get(`${report}/export?format=csv`, reader)).text, texts['csv']);
    const head = await api.send('HEAD', url, { token: owner });
    assert.deepEqual([head.status, head.text], [200, '']);
    for (const token of [stranger, secret]) assert.equal((await api.get(url, token)).status, 200);
    // Without a Pro plan, nothing of accessibility checks is shown.
    for (const format of EXPORT_FORMAT_NAMES) {
      const basic = await api.get(`${report}/export?format=${format}`, free);
      assert.equal(basic.status, 200);
      assert.ok(!basic.text.includes(A11Y_ISSUE_TYPES.contrast.message), format);
    }
  });

  test('json: has everything, and is valid against the published schema', async () => {
    const { document } = await api.get(`${path}/export?format=json`);
    const schema = await api.get(`/api/v1/schemas/${REPORT_SCHEMA_NAME}`, '');
    const published = readFileSync(new URL(`../../docs/schemas/${REPORT_SCHEMA_NAME}`, import.meta.url), 'utf8');
    assert.deepEqual(JSON.parse(published), reportJsonSchema(), 'run npm run export-schema');
    assert.deepEqual(schema.document, reportJsonSchema());
    const validate = new Ajv2020({ strictTypes: false })
      .addVocabulary(['x-pro', 'x-additive'])
      .compile(schema.document);
    const isValid = (value: unknown): boolean => validate(value);
    assert.ok(isValid(document), JSON.stringify(validate.errors));
    assert.ok(!isValid({ ...document, web_pages: [{ ...document.web_pages[0], url: 1 }] }));
    assert.deepEqual(
      document.web_pages.map(({ url }: { url: string }) => url),
      SAMPLE_PAGES.map(({ url }) => url),
    );
    for (const [index, page] of (await api.walk(`${path}/web_pages`)).entries()) {
      for (const kind of ['html', 'a11y']) {
        const listed = await api.walk(page.relationships[`${kind}_issues`].links.related);
        const expected = listed.map(({ id, attributes }: Item) => ({ id, ...attributes }));
        assert.deepEqual(document.web_pages[index][`${kind}_issues`], expected);
      }
    }
    const common = await api.walk(`${path}/common_a11y_issues`);
    assert.deepEqual(
      document.common_a11y_issues,
      common.map(({ id, attributes }) => ({ id, ...attributes })),
    );
  });

  test('json: many occurrences of a page are written in slices, and are the same as in the API', async () => {
    const many = <Occurrence>(make: (number: number) => Occurrence) =>
      Array.from({ length: 1_000 }, (_, number) => make(number));
    const page = {
      url: 'https://example.com/',
      checks: {
        html: { status: 'checked', issues: [{ kind: HTML_ISSUE_TYPES.duplicateId, occurrences: many(occurrence) }] },
        a11y: {
          status: 'checked',
          issues: [{ kind: A11Y_ISSUE_TYPES.contrast, occurrences: many((number) => element(`e${number}`)) }],
        },
      },
    } as const;
    const { reportId } = await seedReport(api.db, { account_id: api.people.ownerId }, ['html', 'a11y'], [page]);
    const report = `/api/v1/reports/${reportId}`;
    const [exported] = (await api.get(`${report}/export?format=json`)).document.web_pages;
    for (const kind of ['html', 'a11y']) {
      const [{ id, ...attributes }] = exported[`${kind}_issues`];
      const { document } = await api.get(`${report}/web_pages/${exported.id}/${kind}_issues/${id}`);
      assert.deepEqual(attributes, document.data.attributes);
    }
  });

  test('an unfinished report has no exports, and a missing or unknown format is an error', async () => {
    const running = await seedReport(api.db, { account_id: api.people.ownerId, status: 'checking' }, ['html'], []);
    const url = `/api/v1/reports/${running.reportId}/export`;
    assert.deepEqual((await api.get(`${url}?format=json`)).errors, ['409 report_not_finished']);
    assert.deepEqual((await api.get(url)).errors, ['400 invalid_parameter format']);
    assert.deepEqual((await api.get(`${url}?format=docx`)).errors, ['400 invalid_parameter format']);
  });

  test('a report that cannot be printed is an error, does not count as a download, and leaves no file', async () => {
    let failure: Error = new AppError('browser_missing', 'No /usr/bin/chromium.');
    const own = await startApi({ print: () => Promise.reject(failure) });
    try {
      const report = await seedSamplePath(own);
      for (let time = 0; time < 5; time += 1) {
        const refused = await own.get(`${report}/export?format=pdf`);
        assert.deepEqual(refused.errors, ['503 not_printable']);
        assert.equal(refused.headers['retry-after'], '60');
        assert.doesNotMatch(refused.text, /usr/);
      }
      failure = new BrowserFault('time_limit');
      const lasting = await own.get(`${report}/export?format=pdf`);
      assert.deepEqual([lasting.errors, lasting.headers['retry-after']], [['422 too_large_to_print'], undefined]);
      const directory = mkdtempSync(join(tmpdir(), 'sitewarden-files-'));
      const found = await findReport(own.db, report.split('/').at(-1) ?? '');
      assert.ok(found);
      const interrupted: typeof printNothing = () => Promise.reject(new Error('interrupted'));
      const writing = writeReportFile(
        { db: own.db, print: interrupted },
        found,
        { compared: null, outcome: null },
        'pdf',
        { directory, fileName: null },
      );
      await assert.rejects(writing, { code: 'too_large_to_print' });
      assert.deepEqual(readdirSync(directory), [], 'no part of a file is left');
      rmSync(directory, { recursive: true });
    } finally {
      await own.close();
    }
  });

  test('printing stops when the client disconnects', async () => {
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<void>();
    const print: typeof printNothing = (_html, signal) => {
      signal?.addEventListener('abort', () => giveUp());
      start();
      return givenUp.then(() => Promise.reject(new BrowserFault('aborted')));
    };
    const own = await startApi({ print });
    try {
      const headers = { authorization: `Bearer ${own.people.owner}` };
      const url = `${own.origin}${await seedSamplePath(own)}/export?format=pdf`;
      const outgoing = request(url, { headers, agent: false }).on('error', () => undefined);
      outgoing.end();
      await started;
      outgoing.destroy();
      await givenUp;
    } finally {
      await own.close();
    }
  });

  test('one document is printed at a time, and a cancelled document makes way for the next one', async () => {
    let begun = 0;
    const print = createPrinter({
      withPage: ({ signal }) => {
        begun += 1;
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new BrowserFault('aborted')));
        });
      },
    });
    const clients = [new AbortController(), new AbortController(), new AbortController()];
    const prints = clients.map(({ signal }) => print('', signal));
    const refused = prints.map((each) => assert.rejects(each, { kind: 'aborted' }));
    await until(async () => begun === 1);
    clients[1]?.abort();
    await refused[1];
    assert.equal(begun, 1);
    clients[0]?.abort();
    await until(async () => begun === 2);
    clients[2]?.abort();
    await Promise.all(refused);
  });

  test('reading stops when the client disconnects, and an account can have at most four downloads', async () => {
    const report = await seedLarge();
    const open = await Promise.all(Array.from({ length: 4 }, () => startDownload(report)));
    const refused = await api.get(`${report}/export?format=json`);
    assert.deepEqual(refused.errors, ['429 too_many_exports']);
    assert.equal(refused.headers['retry-after'], '10');
    // Files of what was fixed on a site count with them.
    const { related: site } = (await api.get(report)).document.data.relationships.site.links;
    const fixed = await api.get(`${site}/comparison/export?format=md`);
    assert.deepEqual(fixed.errors, ['429 too_many_exports']);
    assert.equal(fixed.headers['retry-after'], '10');
    assert.equal((await api.get(`${await seedSamplePath(api)}/export?format=json`, api.people.free)).status, 404);
    for (const incoming of open) incoming.destroy();
    await until(async () => (await api.get(`${path}/export?format=json`)).status === 200);
  });

  test('deleting or changing a report aborts its download', async () => {
    for (const change of ['delete', 're-check']) {
      const report = await seedLarge();
      const [page] = (await api.get(`${report}/web_pages`)).document.data;
      const incoming = await startDownload(report);
      const changed =
        change === 'delete'
          ? await api.send('DELETE', report)
          : await api.send('PATCH', page.links.self, { attributes: { status: 'pending' } });
      assert.ok(changed.status < 300, changed.text);
      await assert.rejects(incoming.resume().toArray(), { code: 'ECONNRESET' }, change);
    }
  });
});
