import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Standard } from '../../packages/client/standards.ts';
import { A11Y } from '../../src/checks/a11y/description.ts';
import { createA11yEngine } from '../../src/checks/a11y/engine.ts';
import { rulesBeyondDefault } from '../../src/checks/a11y/optional-rules.ts';
import { DEFAULT_VIEWPORT, type FoundIssue } from '../../src/domain/check.ts';
import { fetchDocument, recordChildren, testPool } from '../helpers/browser.ts';
import { type DirectAxe, type DirectResults, startDirectAxe } from '../helpers/direct-axe.ts';
import { type LoopbackProxy, startLoopbackProxy } from '../helpers/loopback-proxy.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** The engine's issues equal, element by element, the results of axe in a fresh browser page that loads the same URL. */

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
/** Pages of all kinds: 9. The others repeat their parts. */
const CORPORA = [
  { name: 'startbootstrap-sb-admin-2', pattern: '{buttons,index,tables}.html' },
  { name: 'html5-boilerplate', pattern: 'dist/*.html' },
  { name: '@tabler/preview', pattern: 'dist/{2-step-verification-code,colors,index,pricing}.html' },
] as const;
/** Longer than any animation in the corpora, so that the direct run sees settled pages. */
const directRestMs = 700;

const SPECIAL: Readonly<Record<string, { headers?: Record<string, string>; body: string | Uint8Array }>> = {
  '/latin1.html': {
    headers: { 'content-type': 'text/html; charset=iso-8859-1' },
    body: Buffer.from(
      '<!DOCTYPE html><html lang=xx><title>t</title><main><img src=x><p>caf\u00e9</p></main>',
      'latin1',
    ),
  },
  '/utf16.html': {
    headers: { 'content-type': 'text/html' },
    body: Buffer.from('\ufeff<!DOCTYPE html><title>t</title><main><img src=x><p id=\u20ac>caf\u00e9</main>', 'utf16le'),
  },
  '/policy.html': {
    headers: { 'content-security-policy': "default-src 'none'; style-src 'nonce-a'; script-src 'nonce-a'" },
    body: `<!DOCTYPE html><title>t</title><style>p{color:#999}</style><style nonce=a>h1{color:#aaa}</style>
      <script nonce=a>addEventListener('DOMContentLoaded',()=>document.body.append(new Image))</script>
      <h1 style="color:#fff">Heading</h1><p>Text</p>`,
  },
  '/frames.html': {
    body: `<!DOCTYPE html><html lang=en><title>t</title><main><h1>Frames</h1><img src=x>
      <iframe id=own title=own src="/inner.html"></iframe>
      <iframe id=written title=written srcdoc="<html lang=en><title>w</title><h1>W</h1><img src=y>"></iframe></main>`,
  },
  '/inner.html': {
    body: '<!DOCTYPE html><title>inner</title><h1>Inner</h1><img src=z><iframe src="/innermost.html"></iframe>',
  },
  '/innermost.html': { body: '<!DOCTYPE html><html lang=en><title>innermost</title><h1>In</h1><input>' },
  '/shadow.html': {
    body: `<!DOCTYPE html><html lang=en><title>t</title><main><h1>Shadow</h1><div id=host></div></main>
      <script>host.attachShadow({mode:'open'}).innerHTML='<img src=x><p style="color:#aaa;background:#fff">pale</p>'</script>`,
  },
  '/storage.html': {
    body: `<!DOCTYPE html><html lang=en><title>t</title><main><h1>Banner</h1></main>
      <script>if(!localStorage.seen){localStorage.seen=1;document.querySelector('main').append(new Image)}</script>`,
  },
};

interface Sample {
  readonly name: string;
  readonly url: string;
}

interface ComparedIssue {
  readonly rule: string | null;
  readonly type: string;
  readonly impact: string | null;
  readonly message: string;
  readonly elements: readonly string[];
}

const children = recordChildren();
const sites: TestSite[] = [];
const samples: Sample[] = [];
let proxy: LoopbackProxy;
let direct: DirectAxe;
let engine: ReturnType<typeof createA11yEngine>;

function byRule(a: ComparedIssue, b: ComparedIssue): number {
  return `${a.rule} ${a.type}`.localeCompare(`${b.rule} ${b.type}`);
}

function compared(results: DirectResults): ComparedIssue[] {
  const issuesOf = (rules: DirectResults['violations'], type: string) =>
    rules.map((rule) => ({
      rule: rule.id,
      type,
      impact: rule.impact ?? 'minor',
      message: rule.help,
      elements: rule.nodes.map((node) => JSON.stringify([node.html, node.target, node.failureSummary])).sort(),
    }));
  return [...issuesOf(results.violations, 'error'), ...issuesOf(results.incomplete, 'warning')].sort(byRule);
}

/** The results for each URL, which several tests compare. */
const directly = new Map<string, Promise<DirectResults>>();

function runDirectly(url: string): Promise<DirectResults> {
  const known = directly.get(url) ?? direct.run(url, directRestMs);
  directly.set(url, known);
  return known;
}

interface Occurrence {
  readonly html: string;
  readonly target: unknown;
  readonly failure_summary: string;
}

function occurrencesOf(issue: FoundIssue): Occurrence[] {
  return JSON.parse(JSON.stringify(issue.occurrences));
}

/** Issues of one rule in several frames are one result of axe. */
function merged(issues: readonly FoundIssue[]): ComparedIssue[] {
  const groups = Map.groupBy(issues, (issue) =>
    JSON.stringify([issue.ruleId, issue.type, issue.impact, issue.message]),
  );
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      const { ruleId: rule, type, impact, message } = first;
      const occurrences = group.flatMap(occurrencesOf);
      assert.equal(
        group.reduce((sum, issue) => sum + issue.howMany, 0),
        occurrences.length,
      );
      const elements = occurrences.map((o) => JSON.stringify([o.html, o.target, o.failure_summary])).sort();
      return [{ rule, type, impact, message, elements }];
    })
    .sort(byRule);
}

async function collect(url: string, keepsRaw: boolean, standard: Standard | null = null) {
  const cacheGroup = new URL(url).origin;
  const input = { document: await fetchDocument(url), viewport: DEFAULT_VIEWPORT, cacheGroup, keepsRaw, standard };
  return engine.collect(input, AbortSignal.timeout(120_000));
}

async function check(url: string): Promise<readonly FoundIssue[]> {
  const raw = await collect(url, false);
  const { issues, rawCheck } = A11Y.interpret(raw, url);
  assert.equal(rawCheck(), null, 'nothing is kept unless it is requested');
  return issues;
}

before(async () => {
  proxy = await startLoopbackProxy();
  direct = await startDirectAxe([`--proxy-server=${proxy.address}`, '--proxy-bypass-list=<-loopback>']);
  // This compares what axe finds, however slow the machine is.
  const limits = { checkTimeoutMs: 200_000, unresponsiveMs: 60_000 };
  engine = createA11yEngine({ pool: testPool({ children, proxyServer: proxy.address }), limits });
  await engine.start();
  for (const { name, pattern } of CORPORA) {
    const site = await startTestSite({ directory: join(MODULES, name) });
    sites.push(site);
    const files = globSync(pattern, { cwd: join(MODULES, name) }).sort();
    for (const file of files) samples.push({ name: `${name}/${file}`, url: `${site.origin}/${file}` });
  }
  const special = await startTestSite(SPECIAL);
  sites.push(special);
  for (const path of Object.keys(SPECIAL)) samples.push({ name: path.slice(1), url: `${special.origin}${path}` });
});

after(async () => {
  await engine?.stop();
  await direct?.close();
  for (const site of sites) await site.stop();
  await proxy?.stop();
});

describe('the accessibility check', () => {
  it('finds what axe finds directly', async () => {
    assert.equal(samples.length, 17, 'the corpora exist');
    let issues = 0;
    const waiting = [...samples];
    const compare = async (): Promise<void> => {
      for (let sample = waiting.shift(); sample !== undefined; sample = waiting.shift()) {
        const [ours, expected] = await Promise.all([check(sample.url), runDirectly(sample.url)]);
        assert.deepEqual(merged(ours), compared(expected), sample.name);
        issues += compared(expected).length;
      }
    };
    await Promise.all([compare(), compare()]);
    assert.ok(issues > 100, `${issues} issues were compared`);
  });

  it('runs the rules that a standard needs, and finds what axe finds with them', async () => {
    const found = new Set<string | null>();
    for (const { url, name } of samples.filter((sample) => /colors|admin-2\/index/.test(sample.name))) {
      const rules = rulesBeyondDefault('wcag22-aaa');
      const [raw, expected] = await Promise.all([
        collect(url, false, 'wcag22-aaa'),
        direct.run(url, directRestMs, rules),
      ]);
      const { issues } = A11Y.interpret(raw, url);
      assert.deepEqual(merged(issues), compared(expected), name);
      for (const { ruleId } of issues) found.add(ruleId);
    }
    assert.ok(found.has('color-contrast-enhanced'));
  });

  it('keeps the complete output of axe on request, and finds the same', async () => {
    const names = ['frames.html', 'shadow.html', 'latin1.html', 'html5-boilerplate/dist/index.html'];
    for (const { url, name } of samples.filter(
      (sample) => names.includes(sample.name) || /buttons/.test(sample.name),
    )) {
      const [raw, expected] = await Promise.all([collect(url, true), runDirectly(url)]);
      const found = A11Y.interpret(raw, url);
      assert.deepEqual(merged(found.issues), compared(expected), name);
      const kept = found.rawCheck();
      const { timestamp: ours, ...results } = JSON.parse(kept?.json ?? '{}');
      const { timestamp: theirs, ...whole } = expected;
      assert.match(ours, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      assert.equal(ours.length, theirs?.length);
      assert.deepEqual(results, whole, name);
      assert.equal(kept?.omitted, 0);
      assert.ok(whole.passes.length > 3);
    }
  });

  it('finds the same again, regardless of what earlier pages have stored', async () => {
    const url = samples.find(({ name }) => name === 'storage.html')?.url ?? '';
    for (let time = 0; time < 4; time += 1) {
      assert.ok(
        (await check(url)).some((issue) => issue.ruleId === 'image-alt'),
        'the first visitor sees the banner',
      );
    }
  });

  it('lists issues in document order, with the URL of their document', async () => {
    const url = samples.find(({ name }) => name === 'frames.html')?.url ?? '';
    const inner = url.replace('frames.html', 'inner.html');
    const innermost = url.replace('frames.html', 'innermost.html');
    const issues = await check(url);
    const found = (rule: string) => issues.filter((issue) => issue.ruleId === rule).map((issue) => issue.url);
    // A document that is written in its parent's markup has the parent's address.
    assert.deepEqual(found('image-alt'), [url, inner]);
    assert.deepEqual(issues.find((issue) => issue.ruleId === 'image-alt' && issue.url === url)?.howMany, 2);
    assert.deepEqual(found('label'), [innermost]);
    assert.equal(issues[0]?.ruleId, 'image-alt', 'the image of the page comes before the frames');
  });
});
