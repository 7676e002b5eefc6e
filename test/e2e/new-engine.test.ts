import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { agentAt } from '../helpers/agent.ts';
import type { TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** A new engine is a folder and a line: tested on a copy of the source with these additions only. */

const root = join(import.meta.dirname, '..', '..');
const SECRET = 'CAPITALLETTERSTHATSIGNIN';
const PAGE = `<!DOCTYPE html><title>Shop</title><h1>SALE SALE</h1><p>HURRY ${SECRET}`;

let copy: string;
let site: TestSite;
let service: TestApp;

before(async () => {
  // Within the project, so that packages are found.
  copy = await mkdtemp(join(root, '.new-engine-'));
  for (const name of ['src', 'test/helpers', 'package.json']) {
    await cp(join(root, name), join(copy, name), { recursive: true });
  }
  for (const name of ['migrations', 'packages']) await symlink(join(root, name), join(copy, name));
  await cp(join(root, 'test/fixtures/new-engine'), join(copy, 'src/checks/shout'), { recursive: true });
  const registry = join(copy, 'src/checks/registry.ts');
  const text = await readFile(registry, 'utf8');
  await writeFile(
    registry,
    `import { SHOUT } from './shout/description.ts';\n${text.replace(/(EngineDescription\[\] = \[.*)\]/, '$1, SHOUT]')}`,
  );
  site = await startTestSite({ '/': `${PAGE}<a href="/b">b</a>`, '/b': PAGE });
  const { startTestApp } = await import(join(copy, 'test/helpers/start-app.ts'));
  service = await startTestApp();
});
after(async () => {
  await service?.close();
  await site?.stop();
  await rm(copy, { recursive: true, force: true });
});

describe('an engine added with a folder and a line', () => {
  it('can be requested, runs, and shows its findings everywhere', async () => {
    const created = await service.ask('/reports', 'POST', {
      starting_url: `${site.origin}/`,
      perform_html_checks: false,
      perform_shout_checks: true,
      store_raw_shout_checks: true,
      headers: { 'X-Preview': SECRET },
    });
    const report = await service.finished(created.data.id);
    const path = `/reports/${report.id}`;
    assert.deepEqual(
      [report.attributes.status, report.attributes.perform_html_checks, report.attributes.perform_shout_checks],
      ['finished', false, true],
    );
    assert.deepEqual(report.attributes.checks.shout.status, { pending: 0, checked: 2, failed: 0 });
    assert.equal(report.attributes.checks.shout.issues.errors, 8);
    assert.equal(report.attributes.checks.shout.issues.severity.serious, 8);

    const common = await service.all(`${path}/common_shout_issues`);
    const stars = '*'.repeat(SECRET.length);
    assert.deepEqual(
      common.map(({ attributes }) => [attributes.message, attributes.how_many, attributes.num_web_pages]),
      [
        ['SALE', 4, 2],
        ['HURRY', 2, 2],
        [stars, 2, 2],
      ],
    );
    const [sale] = common;
    const pages = await service.all(`${path}/web_pages?filter[common_shout_issue_id]=${sale?.id}`);
    assert.equal(pages.length, 2);
    const [page] = pages;
    assert.equal(page?.attributes.shout_check.errors, 4);
    const issues = await service.all(`${path}/web_pages/${page?.id}/shout_issues?filter[message]=sale`);
    assert.deepEqual(
      issues.map(({ attributes }) => attributes.lines),
      [['… SALE …', '… SALE …']],
    );
    const raw = await service.ask(`${path}/web_pages/${page?.id}/raw_shout_check`);
    assert.deepEqual(raw.data.attributes.raw, { words: ['SALE', 'SALE', 'HURRY', stars] });
    const [first] = await service.all('/reports?sort=shout_errors-desc');
    assert.equal(first?.id, report.id);
  });

  it('has its argument, filter and findings in the tools of agents', async () => {
    const agent = await agentAt(
      new URL('/mcp', service.api).href,
      service.environment['SITEWARDEN_ADMIN_TOKEN'] ?? null,
    );
    try {
      const { text, isError } = await agent.call('check_site', {
        ...{ url: `${site.origin}/b`, max_pages: 1, shouting: true, wait_seconds: 60 },
      });
      assert.equal(isError, false, text);
      assert.match(text, /^Shouting: 4 errors \(4 serious\), 0 need review/m);
      const [, id] = /^Report (\S+) /m.exec(text) ?? [];
      const input = { report_id: id, kind: 'shout', impact: 'serious', contains: 'sale' };
      for (const more of [{}, { page_url: '/b' }]) {
        const listed = await agent.call('list_issues', { ...input, ...more });
        assert.equal(listed.isError, false, listed.text);
        assert.match(listed.text, /^Shouting: 1 issue type\n- shout:\d+ serious error: ⟦SALE⟧, /m);
      }
    } finally {
      await agent.close();
    }
  });

  it('has its option', async () => {
    const { createProgram } = await import(join(copy, 'src/commands/program.ts'));
    const help: string = createProgram({ stdout: process.stdout, stderr: process.stderr })
      .commands.find((command: { name(): string }) => command.name() === 'check')
      .helpInformation();
    assert.match(help, /--shout +check for words in capital letters/);
    assert.match(help, /shouted words/);
  });
});
