import assert from 'node:assert/strict';
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
import { PATIENT_PAGES, patienceMs } from '../helpers/patience.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** The engine's issues equal, element by element, the results of axe in a fresh browser page that loads the same URL. */

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
/** Pages of all kinds. The others repeat their parts. */
const CORPORA = [
  { name: 'startbootstrap-sb-admin-2', files: ['index.html', 'tables.html'] },
  { name: 'html5-boilerplate', files: ['dist/index.html'] },
  { name: '@tabler/preview', files: ['dist/2-step-verification-code.html', 'dist/colors.html'] },
] as const;
/** These are checked with the rules of the strictest standard, which include the default ones. */
const STRICT = ['startbootstrap-sb-admin-2/index.html', '@tabler/preview/dist/colors.html'];
/** The complete output of axe for these is compared, too. */
const RAW = [
  'startbootstrap-sb-admin-2/tables.html',
  'html5-boilerplate/dist/index.html',
  'latin1.html',
  'frames.html',
  'shadow.html',
];
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

/** Documents in the frames of another. */
const FRAMES = ['/inner.html', '/innermost.html'];

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
  return engine.collect(input, AbortSignal.timeout(patienceMs));
}

function urlOf(sample: string): string {
  return samples.find(({ name }) => name === sample)?.url ?? assert.fail(sample);
}

async function check(url: string): Promise<readonly FoundIssue[]> {
  return A11Y.interpret(await collect(url, false), url).issues;
}

/** Compares a page with what axe finds directly. Returns its issues. */
async function compare({ name, url }: Sample): Promise<readonly FoundIssue[]> {
  const standard = STRICT.includes(name) ? 'wcag22-aaa' : null;
  const keepsRaw = RAW.includes(name);
  const [raw, expected] = await Promise.all([
    collect(url, keepsRaw, standard),
    direct.run(url, directRestMs, rulesBeyondDefault(standard)),
  ]);
  const { issues, rawCheck } = A11Y.interpret(raw, url);
  assert.deepEqual(merged(issues), compared(expected), name);
  if (keepsRaw) assertSameOutput(rawCheck(), expected, name);
  else assert.equal(rawCheck(), null, 'nothing is kept unless it is requested');
  return issues;
}

type Interpreted = ReturnType<typeof A11Y.interpret>;

function assertSameOutput(kept: ReturnType<Interpreted['rawCheck']>, expected: DirectResults, name: string): void {
  const { timestamp: ours, ...results } = JSON.parse(kept?.json ?? '{}');
  const { timestamp: theirs, ...whole } = expected;
  assert.match(ours, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.equal(ours.length, theirs?.length);
  assert.deepEqual(results, whole, name);
  assert.equal(kept?.omitted, 0);
  assert.ok(whole.passes.length > 3);
}

before(async () => {
  proxy = await startLoopbackProxy();
  direct = await startDirectAxe([`--proxy-server=${proxy.address}`, '--proxy-bypass-list=<-loopback>']);
  engine = createA11yEngine({ pool: testPool({ children, proxyServer: proxy.address }), limits: PATIENT_PAGES });
  await engine.start();
  for (const { name, files } of CORPORA) {
    const site = await startTestSite({ directory: join(MODULES, name) });
    sites.push(site);
    for (const file of files) samples.push({ name: `${name}/${file}`, url: `${site.origin}/${file}` });
  }
  const special = await startTestSite(SPECIAL);
  sites.push(special);
  for (const path of Object.keys(SPECIAL).filter((each) => !FRAMES.includes(each))) {
    samples.push({ name: path.slice(1), url: `${special.origin}${path}` });
  }
});

after(async () => {
  await engine?.stop();
  await direct?.close();
  for (const site of sites) await site.stop();
  await proxy?.stop();
});

describe('the accessibility check', () => {
  it('finds what axe finds directly, with the rules of a standard and with its complete output', async () => {
    const found = new Set<string | null>();
    const waiting = [...samples];
    const compareAll = async (): Promise<void> => {
      for (let sample = waiting.shift(); sample !== undefined; sample = waiting.shift()) {
        for (const { ruleId } of await compare(sample)) found.add(ruleId);
      }
    };
    await Promise.all([compareAll(), compareAll()]);
    assert.ok(found.has('color-contrast-enhanced'));
    assert.ok(found.size > 15, `${found.size} rules found something`);
  });

  it('finds the same again, regardless of what earlier pages have stored', async () => {
    for (let time = 0; time < 2; time += 1) {
      assert.ok(
        (await check(urlOf('storage.html'))).some((issue) => issue.ruleId === 'image-alt'),
        'the first visitor sees the banner',
      );
    }
  });

  it('lists issues in document order, with the URL of their document', async () => {
    const url = urlOf('frames.html');
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
