import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { processesOf } from '../helpers/browser.ts';
import { startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** The browser and the validator stop without work. Only the metrics show it. */

let service: TestApp;
let site: TestSite;

before(async () => {
  service = await startTestApp({ SITEWARDEN_VNU_URL: '', SITEWARDEN_REST_SECONDS: '1' });
  site = await startTestSite({
    '/': '<!DOCTYPE html><html lang="en"><title>Start</title><main><h1>Start</h1><a href="/next">Next</a><img src="data:,"></main></html>',
    '/next': '<!DOCTYPE html><html lang="en"><title>Next</title><main><h1>Next</h1><img src="data:,"></main></html>',
  });
});

after(async () => {
  await service?.close();
  await site?.stop();
});

/** Values of the metric by part. */
async function resting(): Promise<Record<string, number>> {
  const text = await (await fetch(new URL('/metrics', service.api))).text();
  const values = text.matchAll(/^sitewarden_part_resting\{part="(\w+)"\} (\d)$/gm);
  return Object.fromEntries(Array.from(values, ([, part = '', value]) => [part, Number(value)]));
}

const allRest = async (): Promise<boolean> => {
  const { browser, validator } = await resting();
  return browser === 1 && validator === 1;
};

const browsers = (): number[] => processesOf([], `browser-profiles/${process.pid}-`);

async function check(attributes: object): Promise<void> {
  const { data } = await service.ask('/reports', 'POST', {
    ...{ starting_url: `${site.origin}/`, max_pages: 2, rate_limit: 100 },
    ...attributes,
  });
  assert.equal((await service.finished(data.id)).attributes.status, 'finished');
  const checks = await service.app.db.selectFrom('checks').select('status').where('report_id', '=', data.id).execute();
  assert.ok(checks.length >= 2);
  assert.deepEqual(new Set(checks.map(({ status }) => status)), new Set(['checked']));
}

test('browser and validator rest, the service stays ready, and the next report wakes what it needs', async () => {
  await until(allRest);
  await until(() => browsers().length === 0);
  // The last response is kept for a moment, and may be from before the start.
  await until(async () => {
    const health = await fetch(new URL('/health/ready', service.api));
    assert.equal(health.status, 200);
    const { status, parts } = Object(await health.json());
    return status === 'ready' && parts.validator === true && parts.browser === true;
  });
  assert.equal(await allRest(), true, 'the question wakes nothing');

  await check({ perform_html_checks: false, perform_a11y_checks: true, dynamic_crawler: true });
  assert.equal((await resting())['validator'], 1, 'a report without HTML checks starts no validator');
  await until(allRest);

  await check({ perform_a11y_checks: false });
  assert.equal((await resting())['browser'], 1, 'a report without accessibility checks starts no browser');
  await until(allRest);
  const problems = service.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40);
  assert.deepEqual(
    problems.filter(({ msg }) => /browser|validator/i.test(msg)),
    [],
  );
});
