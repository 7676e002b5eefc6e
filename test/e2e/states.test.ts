import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { printSummary } from '../../src/commands/check-summary.ts';
import { findReport } from '../../src/store/reports/reports.ts';
import { collectingTerminal } from '../helpers/run-here.ts';
import { type Item, startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** Reports with `explore_states` show the issues of menus and dialogs, and how to reach them (decision 0149). */

const PASSWORD = 'a-password-of-the-site';
const PAGE = `<!DOCTYPE html><html lang="en"><head><title>Page</title></head><body><main><h1>Page</h1><img src="data:,">
  <button type="button" aria-expanded="false" aria-controls="menu" onclick="fetch('/data.json'); menu.hidden = !menu.hidden; this.setAttribute('aria-expanded', !menu.hidden)">Menu of ${PASSWORD}</button>
  <div id="menu" hidden><img src="data:,"><details><summary>More</summary><input></details></div></main></body></html>`;

let service: TestApp;
let site: TestSite;
before(async () => {
  const headers = { 'content-type': 'application/json', etag: '"1"' };
  site = await startTestSite({ '/': PAGE, '/data.json': { headers, body: '{}' } });
  service = await startTestApp();
});
after(async () => {
  await service?.close();
  await site?.stop();
});

async function check(more: object): Promise<string> {
  const definition = {
    starting_url: `${site.origin}/`,
    perform_html_checks: false,
    perform_a11y_checks: true,
    ...more,
  };
  const { id } = await service.finished((await service.ask('/reports', 'POST', definition)).data.id);
  await service.compared(id);
  return id;
}

/** Returns the rule, the line and the way of each occurrence, with its fingerprint. */
async function occurrencesIn(id: string, page = 0): Promise<readonly (readonly string[])[]> {
  const pages = await service.all(`/reports/${id}/web_pages`);
  const issues = await service.all(`/reports/${id}/web_pages/${pages[page]?.id}/a11y_issues`);
  return issues.flatMap(({ attributes: { rule_id: rule, occurrences } }) =>
    occurrences.map((each: Item['attributes']) => [rule, `${each.line}`, `${each.reached_by}`, each.fingerprint]),
  );
}

it('adds the issues of states, which keep their identity', async () => {
  const closed = await occurrencesIn(await check({}));
  const first = await check({ explore_states: true });
  const opened = await occurrencesIn(first);
  const words = opened.map(([rule, line, way]) => `${rule} ${line} ${way}`);
  assert.deepEqual(words, [
    'image-alt 1 null',
    `image-alt 3 Click the button “Menu of ${PASSWORD}”`,
    `label 3 Click the button “Menu of ${PASSWORD}”, then the summary “More”`,
  ]);
  // The occurrences of the closed page are the same as without the setting.
  assert.deepEqual(opened.slice(0, closed.length), closed);
  const changes = await service.all(`/reports/${first}/changes`);
  assert.deepEqual(changes.map(({ attributes: { change, cause } }) => `${change} ${cause}`).sort(), [
    'more settings',
    'new settings',
  ]);
  // The result depends on the setting, so only the second report with it has it from an earlier one.
  const second = await check({ explore_states: true });
  const third = await check({ explore_states: true });
  assert.deepEqual([await occurrencesIn(second), await occurrencesIn(third)], [opened, opened]);
  const reused = async (id: string) =>
    (await service.all(`/reports/${id}/web_pages`)).map(({ attributes }) => attributes.a11y_check.reused_from !== null);
  assert.deepEqual([await reused(first), await reused(third)], [[false], [true]]);
  const [issue] = (await service.all(`/reports/${third}/common_a11y_issues`)).filter(
    ({ attributes }) => attributes.rule_id === 'label',
  );
  const [occurrence] = await service.all(`/reports/${third}/common_a11y_issues/${issue?.id}/occurrences`);
  assert.match(occurrence?.attributes.reached_by, /then the summary “More”$/);
});

it('says in the terminal how to reach what the page has only in states', async () => {
  const { db } = service.app;
  const report = await findReport(db, await check({ explore_states: true }));
  assert.ok(report !== undefined);
  const printed = async (verbose: boolean): Promise<readonly string[]> => {
    const { terminal, printed: output } = collectingTerminal();
    await printSummary(db, report, { output: terminal.stdout, verbose });
    return output.stdout.match(/Click the button .*/g) ?? [];
  };
  const [menu, more] = [`Click the button “Menu of ${PASSWORD}”`, 'then the summary “More”'];
  // The page itself has an image without text, too.
  assert.deepEqual(await printed(false), [`${menu}, ${more}`]);
  assert.deepEqual((await printed(true)).toSorted(), [menu, `${menu}, ${more}`]);
});

it('shows how each page was checked, filters by it, and masks credentials in the way to a state', async () => {
  const banner = (path: string, content: string): string =>
    `<!DOCTYPE html><html lang="en"><head><title>${path}</title></head><body><main><h1>Page</h1><a href="/shop/a">a</a>${content}</main>
    <div id="cookies" style="position: fixed; bottom: 0"><p>Cookies</p><img src="data:,"><button onclick="localStorage.ok = 1; cookies.remove()">Accept all</button></div>
    <script>if (localStorage.ok) cookies.remove()</script></body></html>`;
  const menu = `<button type="button" aria-expanded="false" aria-controls="menu" onclick="menu.hidden = !menu.hidden; this.setAttribute('aria-expanded', !menu.hidden)">Menu of ${PASSWORD}</button><div id="menu" hidden><img src="data:,"></div>`;
  const shop = await startTestSite({ '/shop': banner('start', ''), '/shop/a': banner('a', menu) });
  try {
    const settings = { starting_url: `${shop.origin}/shop`, consent: 'accept', explore_states: true, max_pages: 2 };
    const id = await check({ ...settings, cookies: { session: PASSWORD } });
    const seen = async (ways: string): Promise<unknown[]> =>
      (await service.all(`/reports/${id}/web_pages?filter[seen]=${ways}`)).map(({ attributes }) => {
        const { signed_in: signedIn, signed_in_as: name, a11y_check: result } = attributes;
        return [signedIn, name, result.consent, result.opened_states, result.errors > 0].join(' ');
      });
    const [kept, dismissed] = ['credentials  kept 0 true', 'credentials  dismissed 1 true'];
    assert.deepEqual(await seen('signed_in'), [kept, dismissed]);
    assert.deepEqual(await seen('stranger,journey'), []);
    assert.deepEqual(await seen('states'), [dismissed]);
    assert.deepEqual(await seen('banner_kept'), [kept]);
    assert.deepEqual(await seen('banner_dismissed,journey'), [dismissed]);
    const headers = { authorization: `Bearer ${service.environment['SITEWARDEN_ADMIN_TOKEN']}` };
    const csv = await (await fetch(`${service.api}/reports/${id}/export?format=csv`, { headers })).text();
    assert.match(csv, /signed in, 0 states opened, with its consent banner/);
    const ways = (await occurrencesIn(id, 1)).map(([, , way]) => way ?? '');
    assert.deepEqual(ways, [`Click the button “Menu of ${'*'.repeat(PASSWORD.length)}”`]);
  } finally {
    await shop.stop();
  }
});
