import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { parseFailOn } from '../../src/commands/fail-on.ts';
import { FAIL_ON_DEFAULT } from '../../src/domain/fail-on.ts';
import { openCommandDesk } from '../helpers/command-desk.ts';
import { createTestDatabase, refuseReports, type TestDatabase } from '../helpers/database.ts';
import { page } from '../helpers/faulty-pages.ts';
import { runHere } from '../helpers/run-here.ts';
import { sharedValidator } from '../helpers/shared-parts.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** The action of GitHub and the template of GitLab, whose steps run as the runners run them, with their files and variables. */

const projectDirectory = join(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(join(projectDirectory, name), 'utf8');

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly if?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

interface GitlabJob {
  readonly variables: Readonly<Record<string, string>>;
  readonly script: readonly string[];
  readonly artifacts: { readonly reports: { readonly junit: string | readonly string[] } };
}

const action: Action = parse(read('action.yml'));
/** The files of a release, since no registry has them. */
const PACKAGE_FILE = `./sitewarden-${JSON.parse(read('package.json')).version}.tgz`;
/** A page whose text is a workflow command. */
const COMMAND = '::error::Injected by a page';

let folder: string;
/** A checkout, as far as the action and the template use it. */
let checkout: string;
let desk: Awaited<ReturnType<typeof openCommandDesk>>;
/** The environment of all commands, which start neither Java nor PostgreSQL. */
let shared: Readonly<Record<string, string>>;
let database: TestDatabase;
let site: TestSite;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sitewarden-ci-'));
  database = await createTestDatabase();
  shared = {
    ...(await sharedValidator()),
    DATABASE_URL: database.connectionString,
    SITEWARDEN_DATA_DIR: join(folder, 'data'),
  };
  checkout = join(folder, 'checkout');
  desk = await openCommandDesk(join(checkout, 'scripts/run.mjs'));
  symlinkSync(join(projectDirectory, 'ci'), join(checkout, 'ci'));
  site = await startTestSite({
    '/': page('Bakery', `<p id="rye">One<p id="rye">Two<p><a href="/hostile">Hostile</a>`),
    '/hostile': page(COMMAND, `<p><a href="/\n${COMMAND}">x</a><p id="${COMMAND}">One<p id="${COMMAND}">Two`),
    '/good': page('Good', '<p>Nothing is wrong here.'),
  });
});
after(async () => {
  desk.close();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
  await site.stop();
});

interface Ended {
  readonly status: number;
  readonly stdout: string;
}

function bash(script: string, env: Readonly<Record<string, string>>, cwd: string): Promise<Ended> {
  const environment = { PATH: process.env['PATH'], ...shared, ...env };
  return new Promise((resolve) => {
    // GitHub's `shell: bash` and GitLab's runner both end at the first failure.
    const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script];
    const child = execFile('bash', args, { cwd, env: environment }, (_error, stdout) =>
      resolve({ status: child.exitCode ?? -1, stdout }),
    );
  });
}

/**
 * Runs the step of the action that checks, and the last one.
 * @param configuration `sitewarden.yaml`
 * @param settings of sitewarden, as `env` of the job
 */
async function runAction(
  inputs: Readonly<Record<string, string>>,
  configuration?: string,
  settings: Readonly<Record<string, string>> = {},
) {
  const job = mkdtempSync(join(folder, 'job-'));
  if (configuration !== undefined) writeFileSync(join(job, 'sitewarden.yaml'), configuration);
  const files = { GITHUB_OUTPUT: join(job, 'output'), GITHUB_STEP_SUMMARY: join(job, 'summary') };
  for (const file of Object.values(files)) writeFileSync(file, '');
  const evaluated = (expression: string, outputs: Readonly<Record<string, string>>): string =>
    expression
      .replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name) => inputs[name] ?? action.inputs[name]?.default ?? '')
      .replace(/\$\{\{ steps\.check\.outputs\.(\w+) \}\}/g, (_, name) => outputs[name] ?? '');
  const run = async (step: Step | undefined, outputs: Readonly<Record<string, string>>) => {
    const env = Object.fromEntries(
      Object.entries(step?.env ?? {}).map(([name, text]) => [name, evaluated(text, outputs)]),
    );
    const runner = { RUNNER_TEMP: job, GITHUB_ACTION_PATH: checkout, ...files };
    return bash(step?.run ?? '', { ...settings, ...runner, ...env }, job);
  };
  const { steps } = action.runs;
  const checked = await run(
    steps.find(({ id }) => id === 'check'),
    {},
  );
  const outputs: Record<string, string> = Object.fromEntries(
    readFileSync(files.GITHUB_OUTPUT, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('=')),
  );
  const last = await run(steps.at(-1), outputs);
  return { checked, outputs, status: last.status, summary: readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8') };
}

/** The lines that the runner takes for commands. */
function commandsIn(stdout: string): readonly string[] {
  const commands: string[] = [];
  let stop: string | null = null;
  for (const line of stdout.split('\n').map((text) => text.trimStart())) {
    if (stop !== null) {
      if (line === `::${stop}::`) stop = null;
    } else if (line.startsWith('::stop-commands::')) stop = line.slice('::stop-commands::'.length);
    else if (line.startsWith('::')) commands.push(line);
  }
  return commands;
}

describe("GitHub's action", () => {
  test('annotates and sums up a failed check, keeps its files, and fails in the end', async () => {
    const { checked, outputs, status, summary } = await runAction({ url: `${site.origin}/`, a11y: 'false' });
    assert.equal(checked.status, 0, checked.stdout);
    assert.deepEqual([outputs['result'], outputs['status'], status], ['failed', '1', 1]);
    const [group, end, verdict, ...kinds] = commandsIn(checked.stdout);
    assert.deepEqual([group, end], ['::group::sitewarden', '::endgroup::']);
    assert.match(verdict ?? '', /^::error title=sitewarden 127\.0\.0\.1::Failed: \d+ errors \(0 allowed\)$/);
    const rye = kinds.find((line) => line.includes('Duplicate ID “rye”'));
    assert.equal(rye, `::error title=HTML%3A error%2C 1 occurrence on 1 page::Duplicate ID “rye”.%0A${site.origin}/`);
    for (const line of kinds) assert.match(line, /^::(error|warning) title=HTML%3A /);
    assert.match(summary, /^## Report on `http:\/\/127\.0\.0\.1/);
    const directory = outputs['directory'] ?? '';
    assert.deepEqual(readdirSync(directory).sort(), ['annotations.txt', 'report.html', 'report.md', 'report.sarif']);
  });

  test('passes, with its own arguments', async () => {
    const inputs = {
      url: `${site.origin}/good`,
      a11y: 'false',
      arguments: '--tags\nfrom ci, nightly\n',
      formats: 'junit',
    };
    const { checked, outputs, status, summary } = await runAction(inputs);
    assert.deepEqual([outputs['result'], status, summary], ['passed', 0, ''], checked.stdout);
    assert.equal(commandsIn(checked.stdout)[2], '::notice title=sitewarden 127.0.0.1::Passed: 0 errors (0 allowed)');
  });

  test('compares with a baseline', async () => {
    const baseline = join(folder, 'baseline.json');
    const options = ['--no-a11y', '--write-baseline', baseline, '--rate-limit', '10'];
    await runHere(['check', `${site.origin}/`, ...options], shared);
    const { outputs, checked } = await runAction({ url: `${site.origin}/`, a11y: 'false', baseline });
    assert.equal(outputs['result'], 'passed', checked.stdout);
  });

  test('checks the sites of a configuration file without a URL', async () => {
    const sites = ['', 'good'].map((path) => `  - { name: site${path}, starting_url: "${site.origin}/${path}" }\n`);
    const { checked, outputs, status, summary } = await runAction(
      {},
      `rate_limit: 10\nperform_a11y_checks: false\nsites:\n${sites.join('')}`,
    );
    assert.deepEqual([outputs['result'], status], ['failed', 1], checked.stdout);
    const verdicts = commandsIn(checked.stdout).filter((line) => line.includes(' title=sitewarden '));
    assert.deepEqual(
      verdicts.map((line) => line.slice(0, line.indexOf(' '))),
      ['::error', '::notice'],
    );
    assert.equal(summary.match(/^## Report on/gm)?.length, 2);
  });

  test('distinguishes a site that could not be checked from mistakes in the inputs', async () => {
    const gone = await runAction({ url: 'http://127.0.0.1:9/', a11y: 'false' });
    assert.deepEqual([gone.outputs['result'], gone.status], ['unchecked', 3]);
    assert.match(commandsIn(gone.checked.stdout)[2] ?? '', /^::error title=sitewarden::There is no result/);
    const wrong = await runAction({ url: `${site.origin}/`, 'fail-on': 'everything' });
    assert.deepEqual([wrong.outputs['result'], wrong.status], ['invalid', 2]);
  });

  test('distinguishes an error in sitewarden from a failed check', async (t) => {
    const refusing = await createTestDatabase();
    t.after(() => refusing.drop());
    await refuseReports(refusing.connectionString);
    const inputs = { url: `${site.origin}/`, a11y: 'false' };
    const { checked, outputs, status } = await runAction(inputs, undefined, {
      DATABASE_URL: refusing.connectionString,
    });
    assert.deepEqual([outputs['result'], outputs['status'], status], ['error', '70', 70], checked.stdout);
  });

  test('is documented: its inputs with their defaults, and an example that uses them', () => {
    const docs = read('docs/ci.md');
    const rows = [...docs.matchAll(/^\| (`[a-z].*?) \| (.*?) ?\| .* \|$/gm)].flatMap(
      ([, names = '', defaults = '']) => {
        const values = defaults.split(', ').map((text) => text.replaceAll('`', ''));
        return names.split(', ').map((name, index) => [name.replaceAll('`', ''), values[index] ?? '']);
      },
    );
    const documented: Readonly<Record<string, string>> = Object.fromEntries(rows);
    assert.deepEqual(Object.keys(documented).sort(), Object.keys(action.inputs).sort());
    // An input that is empty leaves the default to `check`.
    for (const [name, { default: preset = '' }] of Object.entries(action.inputs))
      if (preset !== '') assert.equal(documented[name], preset, name);
    // What fails the job depends on the baseline, as for `check`.
    for (const preset of [...FAIL_ON_DEFAULT, ...parseFailOn(undefined, true)]) {
      assert.match(docs, new RegExp(`^\\| \`fail-on\` \\| .*\`${preset}\``, 'm'));
      assert.match(read('action.yml'), new RegExp(`^ {2}fail-on:\n.*\`${preset}\``, 'm'));
    }
    const [workflow, include] = [...docs.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, block = '']) => parse(block));
    const step = workflow.jobs.check.steps.find(({ uses = '' }: Step) => uses.includes('sitewarden'));
    for (const name of Object.keys(step.with)) assert.ok(Object.hasOwn(action.inputs, name), name);
    const [{ spec }] = parseAllDocuments(read('ci/gitlab.yml')).map((document) => document.toJS());
    for (const name of Object.keys(include.include[0].inputs)) assert.ok(Object.hasOwn(spec.inputs, name), name);
    for (const [name, input] of Object.entries(spec.inputs))
      if (input === null || !Object.hasOwn(Object(input), 'default'))
        assert.ok(Object.hasOwn(include.include[0].inputs, name), `${name} is required`);
  });

  test('uses what it declares, and nothing else', () => {
    const text = read('action.yml');
    const used = new Set([...text.matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name));
    assert.deepEqual([...used].sort(), Object.keys(action.inputs).sort());
    const script = read('ci/github-action.sh');
    const variables = new Set([...script.matchAll(/\$INPUT_(\w+)/g)].map(([, name]) => `INPUT_${name}`));
    const step = action.runs.steps.find(({ id }) => id === 'check');
    assert.deepEqual([...variables].sort(), Object.keys(step?.env ?? {}).sort());
    for (const { value } of Object.values(action.outputs))
      assert.match(script, new RegExp(`echo "${/(\w+) \}\}$/.exec(value)?.[1]}=`));
  });
});

describe("GitLab's template", () => {
  const [spec, jobs] = parseAllDocuments(read('ci/gitlab.yml')).map((document) => document.toJS());
  const job: GitlabJob = jobs.sitewarden;
  const inputs: Readonly<Record<string, { readonly default?: string } | null>> = spec.spec.inputs;

  /** Runs the job in a repository. @param configuration `sitewarden.yaml` */
  async function runJob(values: Readonly<Record<string, string>>, configuration?: string) {
    const directory = mkdtempSync(join(folder, 'gitlab-'));
    if (configuration !== undefined) writeFileSync(join(directory, 'sitewarden.yaml'), configuration);
    const bin = join(directory, 'bin');
    mkdirSync(bin);
    // Stands in for the registry: the package is the checkout.
    writeFileSync(
      join(bin, 'npx'),
      `#!/bin/sh\nshift 2\nexec "${process.execPath}" "${checkout}/scripts/run.mjs" "$@"\n`,
    );
    chmodSync(join(bin, 'npx'), 0o755);
    const given: Readonly<Record<string, string>> = { package: PACKAGE_FILE, ...values };
    const variables = Object.entries(job.variables)
      .filter(([name]) => name.startsWith('CHECK_'))
      .map(([name, text]) => [
        name,
        text.replace(/\$\[\[ inputs\.(\w+) \]\]/g, (_, input) => given[input] ?? inputs[input]?.default ?? ''),
      ]);
    const env = { ...Object.fromEntries(variables), PATH: `${bin}${delimiter}${process.env['PATH']}` };
    assert.equal(env['CHECK_PACKAGE'], PACKAGE_FILE);
    const { status, stdout } = await bash(job.script.join('\n'), env, directory);
    const reports = [job.artifacts.reports.junit].flat().flatMap((pattern) => globSync(pattern, { cwd: directory }));
    return { status, stdout, reports };
  }

  test('checks a site, writes the files of its artifacts, and fails with the exit status', async () => {
    const values = { url: `${site.origin}/`, arguments: '--max-pages 5 --rate-limit 10 --no-a11y' };
    const { status, stdout, reports } = await runJob(values);
    assert.equal(status, 1, stdout);
    assert.match(stdout, /section_start:\d+:sitewarden[\s\S]*Failed: \d+ errors[\s\S]*section_end:\d+:sitewarden/);
    assert.deepEqual(reports, ['sitewarden/report.junit.xml']);
  });

  test('checks the sites of a configuration file without a URL', async () => {
    const sites = ['', 'good'].map((path) => `  - { name: site${path}, starting_url: "${site.origin}/${path}" }\n`);
    const { status, stdout, reports } = await runJob(
      {},
      `rate_limit: 10\nperform_a11y_checks: false\nsites:\n${sites.join('')}`,
    );
    assert.equal(status, 1, stdout);
    assert.deepEqual(reports.sort(), ['sitewarden/site/report.junit.xml', 'sitewarden/sitegood/report.junit.xml']);
  });
});
