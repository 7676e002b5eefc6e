import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { parse } from 'yaml';
import { type DefaultsAccount, REPORT_DEFAULTS, reportDefaults } from '../../packages/client/report-defaults.ts';
import { agentAt } from '../helpers/agent.ts';
import type { Ended } from '../helpers/command-line.ts';
import { page } from '../helpers/faulty-pages.ts';
import { runHere } from '../helpers/run-here.ts';
import { startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** Every way to create a report gives the same report of a site, unless options say otherwise (decision 0030). */

let service: TestApp;
let site: TestSite;
let directory: string;

before(async () => {
  service = await startTestApp();
  site = await startTestSite({ '/': page('Home', '<img src="data:,">') });
  directory = mkdtempSync(join(tmpdir(), 'sitewarden-defaults-'));
});
after(async () => {
  await service.close();
  await site.stop();
  rmSync(directory, { recursive: true });
});

const run = (...args: string[]): Promise<Ended> => runHere(args, service.environment);

async function settingsOf(reportId: string | undefined): Promise<object> {
  const { attributes } = (await service.ask(`/reports/${reportId}`)).data;
  const { max_pages, rate_limit, perform_html_checks, perform_a11y_checks } = attributes;
  return { max_pages, rate_limit, perform_html_checks, perform_a11y_checks };
}

async function checkedBy(...args: string[]): Promise<object> {
  const { stdout, stderr } = await run('check', ...args, '--keep', '--fail-on', 'never');
  assert.match(stdout, /Passed/, stderr);
  return settingsOf(/Report (\S+) was saved/.exec(stdout)?.[1]);
}

const configuration = (text: string): string => {
  const path = join(directory, 'sites.yaml');
  writeFileSync(path, text);
  return path;
};

async function byAgent(args: object): Promise<string> {
  const agent = await agentAt(
    service.api.replace('/api/v1', '/mcp'),
    service.environment['SITEWARDEN_ADMIN_TOKEN'] ?? '',
  );
  const { text, isError } = await agent.call('check_site', { url: `${site.origin}/`, wait_seconds: 200, ...args });
  await agent.close();
  assert.equal(isError, false, text);
  return text;
}
const reportIn = (text: string): string | undefined => /Report ([0-9a-f-]{36})/.exec(text)?.[1];

test('dashboard, check, files, init and agents have the same defaults', async () => {
  const { plan, limits } = (await service.ask('/account')).data.attributes;
  const written = join(directory, 'init.yaml');
  assert.equal((await run('init', `${site.origin}/`, '--output', written)).status, 0);
  const ways = {
    dashboard: reportDefaults({ plan, limits }),
    check: await checkedBy(`${site.origin}/`),
    file: await checkedBy('--config', configuration(`sites: [{starting_url: "${site.origin}/"}]\n`)),
    init: await checkedBy('--config', written),
    agents: await settingsOf(reportIn(await byAgent({}))),
  };
  for (const [way, settings] of Object.entries(ways)) assert.deepEqual(settings, { ...REPORT_DEFAULTS }, way);
});

test('given values take precedence, and HTML alone can be checked', async () => {
  const given = { max_pages: 3, rate_limit: 7, perform_html_checks: true, perform_a11y_checks: false };
  const text = 'max_pages: 3\nrate_limit: 7\nperform_a11y_checks: false\n';
  const file = configuration(`${text}sites: [{starting_url: "${site.origin}/"}]\n`);
  assert.deepEqual(await checkedBy('--config', file), given);
});

test('a desktop is offered by name, and first', async () => {
  const listed = await run('check', '--device', 'help');
  assert.match(listed.stdout, /^NAME.*\nDefault +800x600.*\nDesktop Chrome +1280x720/);
  const options = ['--max-pages', '3', '--rate-limit', '7', '--device', 'desktop', '--keep'];
  const { stdout } = await run('check', `${site.origin}/`, ...options);
  const byCommand = (await service.ask(`/reports/${/Report (\S+) was saved/.exec(stdout)?.[1]}`)).data;
  const given = { device: 'desktop', max_pages: 3 };
  const ofAgent = (await service.ask(`/reports/${reportIn(await byAgent(given))}`)).data;
  for (const { relationships, attributes } of [byCommand, ofAgent]) {
    const device = (await service.ask(relationships.device.links.related)).data.attributes;
    assert.deepEqual([device.name, device.width], ['Desktop Chrome', 1_280]);
    assert.deepEqual([attributes.max_pages, attributes.perform_a11y_checks], [3, true]);
  }
  assert.deepEqual(
    [byCommand, ofAgent].map(({ attributes }) => attributes.rate_limit),
    [7, REPORT_DEFAULTS.rate_limit],
  );
});

test('the API has the defaults of the contract', async () => {
  const starting_url = `${site.origin}/`;
  const { id } = (await service.ask('/reports', 'POST', { starting_url })).data;
  const contract = { max_pages: 10, rate_limit: 1, perform_html_checks: true, perform_a11y_checks: false };
  assert.deepEqual(await settingsOf(id), contract);
  const schedule = await service.ask('/schedules', 'POST', { starting_url, periodicity: { every: 'day' } });
  const { max_pages, rate_limit, perform_html_checks, perform_a11y_checks } = schedule.data.attributes;
  assert.deepEqual(
    { max_pages, rate_limit, perform_html_checks, perform_a11y_checks },
    { ...contract, max_pages: 100 },
  );
});

test('action and job forward only the inputs that are given', () => {
  const action = parse(readFileSync(new URL('../../action.yml', import.meta.url), 'utf8'));
  for (const name of ['max-pages', 'rate-limit']) assert.equal(action.inputs[name].default, '', name);
  for (const name of ['html', 'a11y']) assert.equal(action.inputs[name].default, 'true', name);
  assert.match(action.inputs['max-pages'].description, new RegExp(`\\b${REPORT_DEFAULTS.max_pages} by default`));
  assert.match(action.inputs['rate-limit'].description, new RegExp(`\\b${REPORT_DEFAULTS.rate_limit} by default`));
});

const setPlan = async (plan: DefaultsAccount['plan']): Promise<void> => {
  const { status, stderr } = await run('account', 'plan', '--account', 'admin@localhost', '--set', plan);
  assert.equal(status, 0, stderr);
};
afterEach(() => setPlan('enterprise'));

test('a plan without accessibility checks still works, and says so', async () => {
  await setPlan('free');
  assert.match(await byAgent({}), /HTML: 1 error, [\s\S]*\nAccessibility is not checked: the plan /);
  const { plan, limits } = (await service.ask('/account')).data.attributes;
  const { perform_a11y_checks: _, ...html } = REPORT_DEFAULTS;
  assert.deepEqual(reportDefaults({ plan, limits: { ...limits, rate_limit: 2 } }), { ...html, rate_limit: 2 });
});

test('without a browser, a check says how to run without it', async () => {
  const environment = { ...service.environment, SITEWARDEN_CHROMIUM: '/missing/chromium' };
  await service.restart(async () => {
    const { status, stderr, stdout } = await runHere(['check', `${site.origin}/`], environment);
    assert.equal(status, 3, stdout);
    assert.match(stderr, /\/missing\/chromium.* To check HTML only, add --no-a11y\.$/m);
    const html = await runHere(['check', `${site.origin}/`, '--no-a11y'], environment);
    assert.equal(html.status, 1, html.stderr);
    const rendered = await runHere(['check', `${site.origin}/`, '--no-a11y', '--dynamic-crawler'], environment);
    assert.equal(rendered.status, 3, rendered.stdout);
    assert.match(rendered.stderr, /\/missing\/chromium[^\n]* the bundled one\.$/m);
    // This process works on both sites, one after the other.
    const file = join(directory, 'two-sites.yaml');
    const sites = [
      { name: 'sent', starting_url: `${site.origin}/`, perform_a11y_checks: false },
      { name: 'rendered', starting_url: `${site.origin}/`, perform_a11y_checks: false, dynamic_crawler: true },
    ];
    writeFileSync(file, JSON.stringify({ sites }));
    const both = await runHere(['check', '--config', file], environment);
    assert.equal(both.status, 3, both.stderr);
    assert.match(both.stdout, /1 failed \(sent\), 1 could not be checked \(rendered\)/);
  });
});
