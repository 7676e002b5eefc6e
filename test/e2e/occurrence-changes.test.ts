import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { CHANGES, PRESENT_CHANGES } from '../../packages/client/changes.ts';
import { CHANGE_NAMES, PRESENT_CHANGE_NAMES } from '../../src/domain/change.ts';
import { randomFrom } from '../helpers/random.ts';
import { type Item, startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** How each occurrence of an issue changed. */

/** Blocks with errors and warnings; some occur several times on a page. */
const BLOCKS = [
  '<center>News</center>',
  '<div id="a"><font color="red">Red</font> <font color="blue">Blue</font></div>',
  '<p><img src="/logo.png"></p>',
  '<section class="s"><p>No heading</p></section>',
  '<ul><li><a>One<a>Two</a></a></li></ul>',
  '<p>Fine</p>',
  '<form><input type="date" role="x"><label for="nothing">x</label></form>',
  '<table border="1"><tr><td align="center">1</td></tr></table>',
];
const PATHS = ['/', '/two'];
/** Edits of elements with issues that leave them what they are. */
const EDITS: readonly (readonly [RegExp, string])[] = [
  [/Red|Blue|Green/, 'Green'],
  [/<center( class="\w+")?>/, '<center class="wide">'],
  [/<img/, '<img class="round"'],
];

let service: TestApp;
let site: TestSite;
let bodies = new Map<string, string>();

before(async () => {
  const serve = (path: string) => (_: unknown, response: ServerResponse) => {
    const body = bodies.get(path);
    const links = PATHS.map((to) => `<a href="${to}">To ${to}</a>`).join(' ');
    response.writeHead(body === undefined ? 500 : 200, { 'content-type': 'text/html' });
    response.end(`<!doctype html><html lang="en"><head><title>Page</title></head><body>${body}${links}</body></html>`);
  };
  site = await startTestSite(Object.fromEntries(PATHS.map((path) => [path, serve(path)])));
  service = await startTestApp();
});
after(async () => {
  await service?.close();
  await site?.stop();
});

async function check(definition: object = {}): Promise<string> {
  const attributes = { starting_url: `${site.origin}/`, rate_limit: 50, ...definition };
  const { id } = await service.finished((await service.ask('/reports', 'POST', attributes)).data.id);
  await service.compared(id);
  return id;
}

// biome-ignore lint/suspicious/noExplicitAny: the test looks into the response freely.
async function changes(id: string, at = 'end'): Promise<{ data: Item[]; meta: any }> {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const answer: { data: Item[]; meta: any } = (await service.ask(
    `/reports/${id}/changes?page[size]=100&at=${at}`,
  )) as never;
  // Even while the diff is made again.
  const counts = { new: 0, regressed: 0, not_checked_before: 0, persisting: 0, unverified: 0, fixed: 0 };
  for (const { attributes } of answer.data) {
    for (const change of CHANGES) counts[change] += attributes.occurrences[change];
  }
  assert.deepEqual(counts, answer.meta.changes);
  return answer;
}

type Occurrence = Readonly<Record<'fingerprint' | 'change', string | null>>;

/** All issues of all pages, with their occurrences. */
async function issuesOf(id: string): Promise<{ issue: Item; kind: string; url: string; occurrences: Occurrence[] }[]> {
  const found = [];
  for (const page of await service.all(`/reports/${id}/web_pages`)) {
    for (const [kind, occurrences] of [
      ['html', 'html'],
      ['a11y', 'occurrences'],
    ] as const) {
      const list = page.relationships[`${kind}_issues`]?.links.related;
      const issues = list === undefined ? [] : await service.all(list);
      const { url } = page.attributes;
      found.push(...issues.map((issue) => ({ issue, kind, url, occurrences: issue.attributes[occurrences] })));
    }
  }
  return found;
}

/**
 * Counts the occurrences of each issue type and change: on the pages, and in the diff with the previous report.
 * @param inLists also in the lists of issues, which takes hundreds of requests
 */
async function assertSame(id: string, inLists = true): Promise<Record<string, number>> {
  const onPages = new Map<string, number>();
  const all = { new: 0, persisting: 0, regressed: 0, not_checked_before: 0 };
  const issues = await issuesOf(id);
  for (const { issue, kind, occurrences } of issues) {
    const { fingerprint, change, how_many } = issue.attributes;
    assert.equal(occurrences.length, how_many);
    const found = new Set(occurrences.map((occurrence) => occurrence.change));
    assert.equal(
      change,
      ['persisting', 'not_checked_before', 'regressed', 'new'].find((one) => found.has(one)) ?? null,
    );
    for (const occurrence of occurrences) {
      assert.match(occurrence.fingerprint ?? '', /^[0-9a-f]{32}$/);
      const key = `${kind} ${fingerprint} ${occurrence.change}`;
      onPages.set(key, (onPages.get(key) ?? 0) + 1);
      all[occurrence.change as keyof typeof all] += 1;
    }
  }
  const { data, meta } = await changes(id);
  const compared = new Map<string, number>();
  for (const { attributes } of data) {
    const { kind, fingerprint, occurrences } = attributes;
    for (const change of PRESENT_CHANGES) {
      if (occurrences[change] > 0) compared.set(`${kind} ${fingerprint} ${change}`, occurrences[change]);
    }
  }
  assert.deepEqual(new Map([...onPages].sort()), new Map([...compared].sort()));
  if (inLists) {
    assert.deepEqual(await countOccurrences(id), onPages);
    await assertFilters(id, data, meta);
  }
  const { new: added, persisting, regressed, not_checked_before } = meta.changes;
  assert.deepEqual(all, { new: added, persisting, regressed, not_checked_before });
  await assertSums(issues, meta);
  return meta.changes;
}

/** The groups add up to the occurrences of both reports. */
// biome-ignore lint/suspicious/noExplicitAny: the test looks into the response freely.
async function assertSums(issues: Awaited<ReturnType<typeof issuesOf>>, meta: any): Promise<void> {
  const occurrencesOf = (of: typeof issues): number => sum(of.map(({ occurrences }) => occurrences.length));
  const { new: added, regressed, not_checked_before, persisting, unverified, fixed } = meta.changes;
  assert.equal(added + regressed + not_checked_before + persisting, occurrencesOf(issues));
  assert.equal(persisting + fixed + unverified, occurrencesOf(await issuesOf(meta.with)));
}

/** Each filter finds what the counts count: in the diff, and in the lists of common issues. */
// biome-ignore lint/suspicious/noExplicitAny: the test looks into the response freely.
async function assertFilters(id: string, all: readonly Item[], meta: any): Promise<void> {
  const common = [
    ...(await service.all(`/reports/${id}/common_html_issues`)),
    ...(await service.all(`/reports/${id}/common_a11y_issues`)),
  ];
  for (const { attributes } of common) {
    const row = all.find((each) => each.attributes.fingerprint === attributes.fingerprint)?.attributes;
    assert.deepEqual(
      [attributes.change, attributes.how_many, attributes.how_many_before, attributes.changed_occurrences],
      [row?.change, row?.how_many, row?.how_many_before, row?.occurrences],
    );
  }
  for (const name of CHANGE_NAMES) {
    const found = await service.all(`/reports/${id}/changes?filter[change]=${name}`);
    assert.equal(found.length, meta.issue_types[name], name);
    if (name === 'more' || name === 'fewer') assert.ok(found.every(({ attributes }) => attributes.change === name));
    else assert.equal(sum(found.map(({ attributes }) => attributes.occurrences[name])), meta.changes[name], name);
    if (!PRESENT_CHANGE_NAMES.some((known) => known === name)) continue;
    const listed = [
      ...(await service.all(`/reports/${id}/common_html_issues?filter[change]=${name}`)),
      ...(await service.all(`/reports/${id}/common_a11y_issues?filter[change]=${name}`)),
    ];
    const present = found.filter(({ attributes }) => attributes.how_many > 0);
    const names = (items: readonly Item[]): string[] => items.map(({ attributes }) => attributes.fingerprint).sort();
    assert.deepEqual(names(listed), names(present), name);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The same counts in the lists of occurrences, which read the occurrences of some issues only. */
async function countOccurrences(id: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const kind of ['html', 'a11y']) {
    for (const { attributes, relationships } of await service.all(`/reports/${id}/common_${kind}_issues`)) {
      const { related } = relationships.occurrences.links;
      for (const change of PRESENT_CHANGES) {
        const { meta } = (await service.ask(`${related}?filter[change]=${change}&page[size]=1`)) as unknown as Counted;
        const key = `${kind} ${attributes.fingerprint} ${change}`;
        if (meta.total > 0) counts.set(key, (counts.get(key) ?? 0) + meta.total);
      }
    }
  }
  return counts;
}

interface Counted {
  readonly meta: { readonly total: number };
}

describe('the changes of occurrences', () => {
  it('are counted by the comparison, even if elements are moved, inserted, repeated or removed', async () => {
    const random = randomFrom();
    const one = <Thing>(things: readonly Thing[]): Thing => things[Math.floor(random() * things.length)] as Thing;
    const edited = (blocks: readonly string[]): string[] => {
      const [moved = '', ...others] = blocks;
      others.splice(Math.floor(random() * others.length), 0, one(BLOCKS), one(blocks));
      others.splice(Math.floor(random() * others.length), 2);
      const [words, replacement] = one(EDITS);
      return [...others, moved].map((block) => (random() < 0.3 ? block.replace(words, replacement) : block));
    };
    const first = new Map(PATHS.map((path) => [path, BLOCKS.slice(0, 4)]));
    let pages = first;
    const seen = { new: 0, persisting: 0, regressed: 0, not_checked_before: 0, fixed: 0, unverified: 0 };
    for (let report = 0; report < 4; report += 1) {
      if (report > 0)
        pages = report === 3 ? first : new Map([...pages].map(([path, blocks]) => [path, edited(blocks)]));
      bodies = new Map([...pages].map(([path, blocks]) => [path, blocks.join('\n')]));
      if (report === 2) bodies.delete('/two');
      const id = await check({ perform_a11y_checks: true });
      if (report === 0) {
        for (const { issue, occurrences } of await issuesOf(id)) {
          assert.ok([issue.attributes, ...occurrences].every(({ change }) => change === null));
        }
        continue;
      }
      const counts = await assertSame(id, report === 3);
      for (const change of Object.keys(seen) as (keyof typeof seen)[]) seen[change] += counts[change] ?? 0;
    }
    assert.ok(
      Object.values(seen).every((count) => count > 0),
      JSON.stringify(seen),
    );
  });

  it('follow an element whose text or classes were edited, but not an element that replaced another', async () => {
    const definition = { deep_crawl: false, max_pages: 1 };
    const changed = async (body: string) => {
      bodies = new Map(PATHS.map((path) => [path, body]));
      const id = await check(definition);
      const { new: added, persisting, fixed } = await assertSame(id, false);
      return { added, persisting, fixed };
    };
    bodies = new Map(PATHS.map((path) => [path, '<center>News</center><p><font color="red">Red</font></p>']));
    await check(definition);
    const edited = '<center class="wide">News</center><p class="x"><font color="red">Redder</font></p>';
    assert.deepEqual(await changed(edited), { added: 0, persisting: 2, fixed: 0 });
    const other = '<p></p><center class="wide">News</center><p><font color="blue">Redder</font></p>';
    assert.deepEqual(await changed(other), { added: 1, persisting: 1, fixed: 1 });
  });

  it('are not shown for muted issues', async () => {
    const id = await check({ deep_crawl: false, max_pages: 1 });
    const { id: muting } = (
      await service.ask('/mutings', 'POST', { url_match: site.origin, message: '“font” element', comment: 'x' })
    ).data;
    await until(async () => (await changes(id, 'now')).meta.changes.persisting === 1);
    const [page] = await service.all(`/reports/${id}/web_pages`);
    const issues = await service.all(`${page?.relationships.html_issues.links.related}?filter[muted]=all`);
    const told = issues.map(({ attributes: { message, change, html } }) => [
      /“(center|font)”/.exec(message)?.[1],
      change,
      html[0].change,
    ]);
    assert.deepEqual(told.sort(), [
      ['center', 'persisting', 'persisting'],
      ['font', null, null],
    ]);
    await service.ask(`/mutings/${muting}`, 'DELETE');
    await until(async () => (await changes(id, 'now')).meta.changes.persisting === 2);
  });
});
