import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { listDevices } from '../../src/browser/devices.ts';
import { runHere } from '../helpers/run-here.ts';
import { startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** `import --service --reports`: from another installation, and from a service that has only what the contract says. */

const token = 'test-admin-token-0123456789';
const html = '<!DOCTYPE html><html lang="en"><title>A page</title><h1>A page</h1>';
let there: TestApp;
let here: TestApp;
let sites: TestSite;
let simple: TestSite;

const PHONE = listDevices().find(({ name }) => name === 'iPhone 15') ?? assert.fail();

/** Reports of 12 sites by turns, newest first, in pages of 10: 24 reports with the attributes of the contract. */
const SITES = 12;
const REPORTS = 24;
const reportThere = (index: number) => ({
  type: 'report',
  id: `r-${index}`,
  attributes: {
    ...{ starting_url: `http://site-${index % SITES}.example`, domain: 'example', initial_urls: [], exclusions: [] },
    ...{ max_pages: 10, num_pages: 7, rate_limit: 1, deep_crawl: true, prefer_canonical_urls: true },
    ...{ dynamic_crawler: false, perform_html_checks: true, perform_a11y_checks: true, device_rotated: false },
    ...{ checks: {}, shared: false, tags: [`run ${index}`], last_checked_at: null },
    ...{ inserted_at: `2026-05-01T00:00:${String(index % 60).padStart(2, '0')}`, updated_at: null },
  },
  relationships: {
    mutings: {},
    device: { links: { related: `https://other.example/api/v1/devices/d-${index % SITES}` } },
  },
});
const deviceThere = (id: number) => {
  const phone = { name: 'iPhone-15', width: 393, height: 852 };
  const unknown = { name: `Phone ${id}`, width: 1, height: 1 };
  const attributes = { ...(id < SITES - 1 ? phone : unknown), is_mobile: true };
  return { type: 'device', id: id === 0 ? '' : `d-${id}`, attributes };
};

before(async () => {
  const body = { headers: { 'content-type': 'text/html' }, body: html };
  const json = (data: unknown, links?: object) => JSON.stringify({ data, jsonapi: { version: '1.0' }, links });
  const refused = new Set<string>();
  [there, here, sites, simple] = await Promise.all([
    startTestApp({}, {}, null),
    startTestApp({}, {}, null),
    startTestSite({ '/': body, '/a': body, '/b': body }),
    startTestSite({
      '/api/v1/schedules': (_, response) => void response.end(json([])),
      '/api/v1/mutings': (_, response) => void response.writeHead(403).end('{"errors": []}'),
      '*': (request, response) => {
        const url = new URL(request.url ?? '', 'http://simple.example');
        // Each page is refused once.
        if (url.pathname.endsWith('/reports') && !refused.has(url.search)) {
          if (refused.size % 2 === 0) response.writeHead(429, { 'retry-after': '1' });
          else response.writeHead(503);
          refused.add(url.search);
          response.end('Try later.');
          return;
        }
        const device = /\/devices\/d-(\d+)$/.exec(url.pathname)?.[1];
        if (device !== undefined) {
          response.end(json(deviceThere(Number(device))));
          return;
        }
        if (!url.pathname.endsWith('/reports')) {
          response.writeHead(404).end('{}');
          return;
        }
        const start = Number(url.searchParams.get('after') ?? 0);
        const all = Array.from({ length: REPORTS }, (_, index) => reportThere(index));
        const next = start + 10 < REPORTS ? `/api/v1/reports?after=${start + 10}` : null;
        response.end(json(all.slice(start, start + 10), { next }));
      },
    }),
  ]);
  const url = `${sites.origin}/`;
  const report = (attributes: object) => there.ask('/reports', 'POST', { starting_url: url, ...attributes });
  await report({ tags: 'old', max_pages: 5 });
  await report({ tags: 'new', max_pages: 5, rate_limit: 7, exclusions: '/b' });
  await report({ tags: 'newest', max_pages: 5 });
  await report({ perform_a11y_checks: true, device_id: PHONE.id, device_rotated: true, wait_for: 'h1' });
  await report({ basic_auth: { username: 'me', password: 'secret words' } });
  await there.ask('/schedules', 'POST', {
    ...{ starting_url: `${sites.origin}/a`, periodicity: { every: 'day' }, max_pages: 3, active: false },
  });
  await report({ starting_url: `${sites.origin}/a`, max_pages: 3 });
  // As if they had been crawled.
  await there.app.db.updateTable('reports').set({ num_pages: 1 }).execute();
});
after(async () => {
  await Promise.all([there?.close(), here?.close(), sites?.stop(), simple?.stop()]);
});

const run = (...args: string[]) => runHere(['import', ...args], { ...here.environment, SITEWARDEN_TOKEN: token });

test('the newest report of each site is created here once, with its settings', async () => {
  const service = new URL(there.api).origin;
  const url = `${sites.origin}/`;
  const dry = await run('--service', service, '--reports', '--dry-run');
  assert.equal(dry.status, 0, dry.stderr);
  assert.deepEqual(dry.stdout.split('\n').slice(0, -1), [
    'device    iPhone 15 -> iPhone 15',
    `schedule  day     ${sites.origin}/a`,
    `report    1 page there  ${url}`,
    `report    1 page there  ${url}`,
    `report    1 page there  ${url}`,
    'Would create 1 schedule, 0 mutings and 3 reports; 0 already exist. Nothing was created.',
    'These sites had 3 pages in the other service. Checking them takes 4 credits if credits are limited.',
    '1 site with reports has a schedule, so no report is created.',
    'The results of 6 reports stay in the other service. If it is sitewarden, save a report as a file with /reports/{id}/export.',
  ]);
  assert.match(dry.stderr, /^The site http:\S+ is not imported: it has credentials, which services never show\./m);
  assert.equal((await here.all('/reports')).length, 0);

  const two = await run('--service', service, '--reports', '2');
  assert.equal(two.status, 0, two.stderr);
  assert.match(two.stdout, /^Created 1 schedule, 0 mutings and 2 reports; 0 already exist\.$/m);
  assert.match(two.stdout, /^1 more site can be imported: run the command again\.$/m);
  assert.doesNotMatch(two.stdout, /start when the service runs/);
  const rest = await run('--service', service, '--reports', '2');
  assert.match(rest.stdout, /^Created 0 schedules, 0 mutings and 1 report; 3 already exist\.$/m);
  const again = await run('--service', service, '--reports');
  assert.match(again.stdout, /^Created 0 schedules, 0 mutings and 0 reports; 4 already exist\.$/m);

  const reports = await here.all('/reports');
  assert.equal(reports.length, 3);
  const settings = async (app: TestApp, isTaken: (attributes: { tags: string[]; signs_in: boolean }) => boolean) => {
    const found = (await app.all('/reports')).filter(({ attributes }) => isTaken(attributes));
    const shown = found.map(({ attributes, relationships }) => {
      const {
        id,
        num_pages,
        inserted_at,
        updated_at,
        last_checked_at,
        finished_at,
        fix_effect,
        status,
        change,
        size,
        ...rest
      } = attributes;
      return JSON.stringify({ ...rest, device: new URL(relationships.device?.links.related ?? 'x:').pathname });
    });
    return shown.sort();
  };
  const isTaken = (attributes: { tags: string[]; signs_in: boolean; starting_url?: string }) =>
    !attributes.signs_in && !attributes.tags.includes('old') && !attributes.starting_url?.endsWith('/a');
  assert.deepEqual(await settings(here, () => true), await settings(there, isTaken));
});

test('a service that has only what the contract says is read patiently; devices are found by name', async () => {
  const first = await run('--service', simple.origin, '--reports', '10', '--dry-run');
  assert.equal(first.status, 0, first.stderr);
  assert.match(first.stderr, /^The service returned 429\. Trying again in 1 s\.$/m);
  assert.match(first.stderr, /^The service returned 503\. Trying again in 0\.5 s\.$/m);
  assert.match(first.stderr, /^The mutings cannot be read: The service returned 403\.$/m);
  assert.match(first.stdout, /^device {4}iPhone-15 \(393 x 852\) -> iPhone 15 \(393 x 659\)$/m);
  assert.match(first.stdout, /^Would create 0 schedules, 0 mutings and 10 reports; 0 already exist/m);
  assert.match(first.stdout, /^These sites had 70 pages in the other service\. Checking them takes 140 credits/m);
  assert.match(first.stdout, /^2 more sites can be imported/m);
  assert.match(first.stdout, /^The results of 24 reports stay in the other service\./m);

  const all = await run('--service', simple.origin, '--reports');
  assert.match(all.stdout, /^Created 0 schedules, 0 mutings and 12 reports; 0 already exist\.$/m);
  assert.match(all.stderr, /^The device "Phone 11" is not imported/m);
  const again = await run('--service', simple.origin, '--reports');
  assert.match(again.stdout, /^Created 0 schedules, 0 mutings and 0 reports; 12 already exist\.$/m);
  const taken = await here.all('/reports?filter[url]=.example');
  assert.equal(taken.length, SITES);
  const seventh = taken.find(({ attributes }) => attributes.starting_url === 'http://site-7.example/');
  // Reports 7 and 19: the newer one has the higher second.
  assert.deepEqual(seventh?.attributes.tags, ['run 19']);
  const device = await here.ask(seventh?.relationships.device.links.related);
  assert.equal(device.data.attributes.name, 'iPhone 15');
});

test('settings that the plan does not allow are reported first, and missing credits end the import', async () => {
  const limited = { ...here.environment, SITEWARDEN_PLAN_LIMITS: 'max_pages=5', SITEWARDEN_TOKEN: token };
  const refused = await runHere(['import', '--service', simple.origin, '--reports', '--dry-run'], limited);
  assert.match(refused.stdout, /^Would create 0 schedules, 0 mutings and 0 reports/m);
  assert.equal(refused.stderr.match(/is not imported: Max pages must be a whole number from 1 to 5\.?$/gm)?.length, 10);
  assert.match(refused.stderr, /^2 other sites are not imported either\.$/m);

  const { data: account } = await here.ask('/account');
  await runHere(['account', 'credits', '--account', account.id, '--set', '0'], here.environment);
  await here.app.db.deleteFrom('reports').execute();
  const { status, stdout, stderr } = await run('--service', simple.origin, '--reports');
  assert.equal(status, 2, stdout);
  assert.match(stdout, /^Created 0 schedules, 0 mutings and 0 reports; 0 already exist\.$/m);
  assert.match(
    stderr,
    /^The report of http:\/\/site-11\.example was rejected: .*credits.*\n1 could not be created\.$/m,
  );
});

test('wrong options are reported', async () => {
  const alone = await run('x.json', '--reports');
  assert.deepEqual([alone.status, alone.stderr], [2, '--reports requires --service with the address of a service.\n']);
  const none = await run('--service', simple.origin, '--reports', '0');
  assert.match(none.stderr, /It must be a whole number of at least 1\./);
});
