import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse } from 'yaml';
import { runCommand } from '../../src/commands/program.ts';
import { browserCache } from '../helpers/browser.ts';
import { isReady } from '../helpers/command-line.ts';
import { SAME_KEY } from '../helpers/credential-store.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { collectingTerminal } from '../helpers/run-here.ts';
import { sharedValidator } from '../helpers/shared-parts.ts';
import { pageWith, startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** The metrics of `serve` and `work`, and everything that refers to them. */

const TOKEN = 'metrics-token-0123456789';
/** Of the rules and the dashboard: no metric of a process is called like this. */
const OF_PROMETHEUS = ['up'];

const projectDirectory = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(projectDirectory, path), 'utf8');

let database: TestDatabase;
let directory: string;
let site: TestSite;
/** Ends both commands. */
let stop: (signal: NodeJS.Signals) => void;
let serving: Running;
let working: Running;
/** The metrics of both commands, after a report. */
let texts: readonly [ofServe: string, ofWork: string];

interface Running {
  readonly printed: { readonly stdout: string; readonly stderr: string };
  readonly ended: Promise<void>;
}

before(async () => {
  database = await createTestDatabase();
  directory = mkdtempSync(join(tmpdir(), 'sitewarden-metrics-'));
  // As root, the browser runs as another user, who must be able to read its files.
  chmodSync(directory, 0o755);
  site = await startTestSite({ '*': pageWith() });
  const environment = {
    ...SAME_KEY,
    ...(await sharedValidator()),
    PORT: '0',
    DATABASE_URL: database.connectionString,
    SITEWARDEN_ADMIN_TOKEN: TOKEN,
    SITEWARDEN_METRICS_PORT: '0',
    SITEWARDEN_METRICS_TOKEN: TOKEN,
    SITEWARDEN_LOG_FORMAT: 'json',
    SITEWARDEN_ALLOW_PRIVATE_NETWORKS: 'true',
  };
  const { promise: stopped, resolve } = Promise.withResolvers<NodeJS.Signals>();
  stop = resolve;
  const start = (command: string): Running => {
    const dataDir = join(directory, command);
    mkdirSync(dataDir, { mode: 0o755 });
    symlinkSync(browserCache, join(dataDir, 'cache'));
    const { terminal, printed } = collectingTerminal({ ...environment, SITEWARDEN_DATA_DIR: dataDir });
    const ended = runCommand([command], Object.assign(terminal, { untilStopped: () => stopped }));
    return { printed, ended };
  };
  serving = start('serve');
  await until(() => serviceOrigin() !== undefined);
  working = start('work');
  for (const running of [serving, working]) await until(() => metricsAddress(running) !== null);
  await until(() => isReady(serviceOrigin() ?? ''));
  await checkSite();
  texts = [await metricsWhenReady(serving), await metricsWhenReady(working)];
});
after(async () => {
  stop?.('SIGINT');
  await Promise.all([serving?.ended, working?.ended]);
  await database?.drop();
  await site?.stop();
  rmSync(directory, { recursive: true });
});

function serviceOrigin(): string | undefined {
  return /listening on (http:\S+)/.exec(serving.printed.stdout)?.[1];
}

function metricsAddress({ printed }: Running): string | null {
  const [, line] = /^(.*"Serving metrics".*)$/m.exec(printed.stderr) ?? [];
  return line === undefined ? null : `http://127.0.0.1:${JSON.parse(line).port}/metrics`;
}

/** A busy machine may take longer for a probe than the probe waits. */
async function metricsWhenReady(running: Running): Promise<string> {
  let text = '';
  await until(async () => {
    text = await metricsOf(running);
    return !/^sitewarden_part_ready\{.*\} 0$/m.test(text);
  });
  return text;
}

async function metricsOf(running: Running): Promise<string> {
  const response = await fetch(metricsAddress(running) ?? '', { headers: { authorization: `Bearer ${TOKEN}` } });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text;
}

async function checkSite(): Promise<void> {
  const send = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const response = await fetch(`${serviceOrigin()}/api/v1${path}`, { headers, ...init });
    const document: { data: { id: string; attributes: { status: string } } } = JSON.parse(await response.text());
    return document.data;
  };
  const attributes = { starting_url: `${site.origin}/`, max_pages: 1, rate_limit: 100 };
  const { id } = await send('/reports', { method: 'POST', body: JSON.stringify({ data: { attributes } }) });
  await until(async () => (await send(`/reports/${id}`)).attributes.status === 'finished');
}

/** The metrics of a text in the format of Prometheus, by name. */
function typesIn(text: string): ReadonlyMap<string, string> {
  return new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]));
}

/** Returns the metrics that an expression names, without what it adds to the names of histograms, and their labels. */
function namedIn(expression: string): { readonly name: string; readonly labels: readonly string[] }[] {
  const texts = expression.replaceAll(/\b(by|on|without|ignoring) \([^)]*\)/g, '');
  return [...texts.matchAll(/\b(up|(?:sitewarden|process|nodejs)_\w+)(\{[^}]*\})?/g)].map(
    ([, name = '', labels = '']) => ({
      name: name.replace(/^(sitewarden\w*_seconds)_(bucket|count|sum)$/, '$1'),
      labels: [...labels.matchAll(/(\w+)(?:=|!=|=~|!~)"/g)].map(([, label = '']) => label),
    }),
  );
}

test('docs/metrics.md lists the metrics of the processes', () => {
  const listed = [...read('docs/metrics.md').matchAll(/^\| `(sitewarden_\w+)` \| (\w+) \|/gm)].map((row) =>
    row.slice(1, 3),
  );
  const present = new Map([...typesIn(texts[0]), ...typesIn(texts[1])]);
  const own = [...present].filter(([name]) => name.startsWith('sitewarden_'));
  assert.deepEqual(Object.fromEntries(listed), Object.fromEntries(own));
  for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds']) assert.ok(present.has(name));
  assert.match(texts[0], /^sitewarden_build_info\{version=".+",node="\d.+",command="serve"\} 1$/m);
  assert.match(texts[1], /^sitewarden_build_info\{.*command="work"\} 1$/m);
});

test('metrics show what was done and what is the case', () => {
  const [ofServe, ofWork] = texts;
  const both = `${ofServe}\n${ofWork}`;
  for (const present of [
    'sitewarden_check_duration_seconds_count{engine="html",outcome="checked"} 1',
    'sitewarden_crawl_requests_total{outcome="document"} 1',
  ])
    assert.ok(both.includes(`\n${present}\n`), present);
  for (const present of [
    'sitewarden_reports{state="finished"} 1',
    'sitewarden_checks_waiting{engine="html"} 0',
    'sitewarden_workers 2',
    'sitewarden_part_ready{part="writable"} 1',
    'sitewarden_database_connections_max{pool="requests"} 10',
  ])
    assert.ok(ofServe.includes(`\n${present}\n`), present);
  assert.match(ofWork, /^sitewarden_part_ready\{part="database"\} 1$/m);
  assert.doesNotMatch(ofWork, /^sitewarden_(reports|checks_waiting)/m);
});

test('the end of a report is logged once, with its counts', () => {
  const lines = `${serving.printed.stderr}${working.printed.stderr}`
    .split('\n')
    .filter((line) => line.includes('"A report ended"'));
  assert.equal(lines.length, 1);
  const { status, pages, checked, failed, seconds } = JSON.parse(lines[0] ?? '');
  assert.deepEqual({ status, pages, checked, failed }, { status: 'finished', pages: 1, checked: 1, failed: 0 });
  assert.ok(seconds >= 0);
});

test('metrics on a port of their own require the token, and nothing else is there', async () => {
  const address = metricsAddress(serving) ?? '';
  const statusOf = async (url: string | URL, init?: RequestInit) => (await fetch(url, init)).status;
  assert.equal(await statusOf(address), 401);
  assert.equal(await statusOf(address, { headers: { authorization: 'Bearer another-token-0123456789' } }), 401);
  assert.equal(await statusOf(new URL('/health/live', address)), 404);
  assert.equal(await statusOf(address, { method: 'POST' }), 405);
  assert.equal(await statusOf(new URL('/metrics', serviceOrigin())), 404, 'no longer on the port of the service');
});

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const { groups }: { groups: { rules: Rule[] }[] } = parse(read('deploy/prometheus/alerts.yaml'));
const rules = groups.flatMap((group) => group.rules);

test('each alert says what to do, and docs/monitor.md lists it', () => {
  for (const { alert, annotations, labels } of rules) {
    assert.ok(annotations.summary.length > 0 && annotations.runbook.length > 0, alert);
    assert.match(labels.severity, /^(critical|warning)$/);
  }
  const [, section = ''] = read('docs/monitor.md').split('## Alerts\n');
  const listed = [...(section.split('\n## ')[0] ?? '').matchAll(/`(Sitewarden\w+)`/g)].map(([, name]) => name);
  assert.deepEqual(listed.toSorted(), rules.map(({ alert }) => alert).toSorted());
});

test('alerts and dashboard name metrics and labels of the processes', () => {
  const dashboard: { panels: { title: string; targets?: { expr: string }[] }[] } = JSON.parse(
    read('deploy/grafana/dashboard.json'),
  );
  const expressions = [
    ...rules.map(({ alert, expr }) => [alert, expr] as const),
    ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
  ];
  assert.ok(expressions.length > 40);
  const text = texts.join('\n');
  const present = typesIn(text);
  for (const [where, expression] of expressions) {
    const named = namedIn(expression);
    assert.ok(named.length > 0, where);
    for (const { name, labels } of named) {
      assert.ok(present.has(name) || OF_PROMETHEUS.includes(name), `${where}: ${name}`);
      const samples = [...text.matchAll(new RegExp(`^${name}(?:_count|_bucket)?\\{(.*)\\} `, 'gm'))].map(
        ([, of = '']) => of,
      );
      // Some have samples only after an event that has not happened here.
      if (samples.length === 0) continue;
      for (const label of labels)
        assert.ok(
          label === 'job' || samples.some((sample) => sample.includes(`${label}="`)),
          `${where}: ${name} ${label}`,
        );
    }
  }
});
