import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { describe, it } from 'node:test';
import { SETTINGS } from '../../src/config.ts';
import { databaseConnectionsMax, embeddedConnectionsMax, workerConnectionsMax } from '../../src/platform/limits.ts';

const text = await readFile(new URL('../../docs/settings.md', import.meta.url), 'utf8');
const workers = await readFile(new URL('../../docs/workers.md', import.meta.url), 'utf8');
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, name = '', fallback = '', meaning = '', allowed = '']) => ({
    name: name.replaceAll('`', ''),
    fallback,
    meaning,
    allowed,
  }));
const settings = Object.values(SETTINGS);

/** The default of a setting, regardless of the listening address and the log's output. */
function unsetValues(setting: (typeof settings)[number]): unknown[] {
  const contexts = ['127.0.0.1', '0.0.0.0'].flatMap((host) =>
    [true, false].map((isTerminal) => ({ environment: { HOST: host }, host, isTerminal, isWorker: false })),
  );
  return [...new Set(contexts.map((context) => setting.unset(context)))];
}

function literals(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, literal = '']) => literal);
}

describe('docs/settings.md', () => {
  it('lists the settings in order, and no others', () => {
    assert.deepEqual(
      rows.map(({ name }) => name),
      settings.map(({ name }) => name),
    );
  });

  it('and the other pages, the code and the dashboard name no setting that does not exist', async () => {
    const root = new URL('../../', import.meta.url);
    const named = new Map<string, string>();
    for await (const path of glob(['*.md', 'docs/*.md', 'src/**/*.ts', 'web/src/**/*.{ts,tsx}', 'scripts/**/*.mjs'], {
      cwd: root,
    })) {
      const content = await readFile(new URL(path, root), 'utf8');
      for (const [name] of content.matchAll(/\bSITEWARDEN_\w*[A-Z0-9]\b/g)) named.set(name, path);
    }
    // The name of a deploy hook's URL in the pipelines of users.
    const known = new Set<string>(['SITEWARDEN_HOOK', ...settings.map(({ name }) => name)]);
    assert.deepEqual(
      [...named].filter(([name]) => !known.has(name)),
      [],
    );
    assert.ok(named.size > 20);
  });

  it('has the number of connections of a process to a database of its own', () => {
    const { requests, work, background, worker, lease } = databaseConnectionsMax;
    const sum = requests + work + background + worker;
    const ofWorker = Object.values(workerConnectionsMax).reduce((total, number) => total + number, 0);
    for (const row of [
      `| \`serve\` | ${requests} | ${work} | ${background} | ${worker} | ${sum} |`,
      `| \`work\` | – | ${workerConnectionsMax.work} | ${workerConnectionsMax.background} | ${worker} | ${ofWorker} |`,
      `one \`serve\` and 200 \`work\` processes open at most ${sum + 200 * ofWorker}`,
    ])
      assert.ok(workers.includes(row), row);
    assert.ok(4 * (sum + lease) < embeddedConnectionsMax, 'four processes share the embedded database');
  });

  for (const setting of settings) {
    const row = rows.find(({ name }) => name === setting.name);

    it(`has the default of ${setting.name}`, () => {
      assert.ok(row !== undefined);
      const values = unsetValues(setting);
      if (row.fallback === 'unset') {
        for (const value of values) assert.ok(value === null || (Array.isArray(value) && value.length === 0));
      } else if (literals(row.fallback).length === 0) {
        assert.equal(row.fallback, 'the number of cores, at most 64');
        assert.deepEqual(values, [Math.min(availableParallelism(), 64)]);
      } else {
        const told = literals(row.fallback).map((literal) => setting.parse(literal));
        assert.deepEqual(new Set(told), new Set(values));
      }
    });

    it(`names only allowed values of ${setting.name}`, () => {
      assert.ok(row !== undefined);
      assert.notEqual(row.meaning, '');
      assert.notEqual(row.allowed, '');
      for (const literal of literals(row.allowed)) assert.doesNotThrow(() => setting.parse(literal), literal);
    });
  }
});
