import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse as parseJunit, type TestCase, type TestSuites } from 'junit2json';
import { type OpenBaseline, openBaseline, readBaseline } from '../../src/commands/baseline.ts';
import { showResult } from '../../src/commands/check-result.ts';
import type { ConfiguredBudget } from '../../src/commands/configuration-file/budgets.ts';
import { IMPACTS } from '../../src/domain/check.ts';
import type { CheckFailOn } from '../../src/domain/fail-on.ts';
import { findReport, type ReportWithChecks } from '../../src/store/reports/reports.ts';
import { page } from '../helpers/faulty-pages.ts';
import { collectingTerminal, runHere } from '../helpers/run-here.ts';
import { startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** Exit status, terminal and files of one report say the same, regardless of what fails the check. */

const LINKS = '<p><a href="gallery">Gallery</a> <a href="empty">Empty</a> <a href="gone">Gone</a>';
const colored = (body: string, content = ''): string =>
  page('Empty', `<p>Nothing.${content}`).replace('<main>', `${body}<main>`);
/** HTML errors and warnings, violations of each impact, and issues that need review. */
const OLD = {
  '/': page('Home', `<p id="a">One<p id="a">Two${LINKS}<h4>Deep</h4><a href="gallery"></a>`),
  '/gallery': page('Gallery', '<img src="data:,"><h2></h2>'),
  '/empty': colored('<body bgcolor="red">'),
};
/** Two more images, one more link and heading, an edited element, and a page that does not respond. */
const NEW = {
  '/': page(
    'Home',
    `<p id="a">One<p id="a">Two${LINKS}<h4 class="b">Deep</h4><a href="gallery"></a><a href="empty"></a>` +
      '<p style="background: linear-gradient(#fff, #777); color: #888">Pale',
  ),
  '/gallery': page('Gallery', '<img src="data:,"><img src="data:,"><h2></h2><h2></h2><hr role="separator">'),
  '/empty': colored('<body bgcolor="red" data-theme="dark">', '<p id="a">One<p id="a">Two'),
  '/gone': { status: 404, body: 'Gone' },
};

let service: TestApp;
let directory: string;
let old: TestSite;
let site: TestSite;
let report: ReportWithChecks;
let baseline: OpenBaseline;

before(async () => {
  service = await startTestApp();
  directory = mkdtempSync(join(tmpdir(), 'sitewarden-formats-'));
  old = await startTestSite(OLD);
  site = await startTestSite(NEW);
  const options = ['--a11y', '--rate-limit', '100'];
  const file = join(directory, 'baseline.json');
  const first = await runHere(['check', old.origin, ...options, '--write-baseline', file], service.environment);
  assert.equal(first.status, 0, first.stderr);
  baseline = await openBaseline(service.app.db, await readBaseline(file));
  const second = await runHere(['check', site.origin, ...options, '--keep'], service.environment);
  assert.equal(second.status, 1, second.stderr);
  const found = await findReport(service.app.db, /Report (\S+) was saved/.exec(second.stdout)?.[1] ?? '');
  assert.ok(found);
  report = found;
});
after(async () => {
  await service.close();
  rmSync(directory, { recursive: true });
  await old.stop();
  await site.stop();
});

interface Terms {
  readonly failOn: readonly CheckFailOn[];
  readonly maxIssues: number;
  readonly hasBaseline: boolean;
  readonly budgets?: readonly ConfiguredBudget[];
}

/** What a person or a program reads from the result of a check. */
async function resultOf({ failOn, maxIssues, hasBaseline, budgets = [] }: Terms) {
  const { terminal, printed } = collectingTerminal();
  await showResult(terminal, service.app, report, {
    ...{
      failOn,
      maxIssues,
      budgets,
      place: { directory, fileName: null },
      verbose: false,
      output: terminal.stdout,
      baselineFile: null,
    },
    formats: ['json', 'sarif', 'junit', 'md', 'html'],
    baseline: hasBaseline ? baseline : null,
    annotationsFile: join(directory, 'annotations.txt'),
  });
  const read = (name: string): string => readFileSync(join(directory, name), 'utf8');
  const annotations = read('annotations.txt').trimEnd().split('\n');
  rmSync(join(directory, 'annotations.txt'));
  const junit = await parseJunit(read('report.junit.xml'));
  assert.ok(junit && 'testsuite' in junit);
  return {
    exitStatus: terminal.exitStatus ?? 0,
    printed: printed.stdout,
    verdict: printed.stdout.trimEnd().split('\n').at(-1) ?? '',
    json: JSON.parse(read('report.json')).verdict as { readonly passed: boolean; readonly sentence: string },
    run: JSON.parse(read('report.sarif')).runs[0] as Run,
    junit: junit as TestSuites,
    markdown: /^\*\*(.*)\*\*$/m.exec(read('report.md'))?.[1],
    html: /<p><strong>(.*)<\/strong><\/p>/.exec(read('report.html'))?.[1],
    annotations,
  };
}

interface Run {
  readonly tool: {
    readonly driver: { readonly rules: readonly { readonly properties: { readonly impact?: string } }[] };
  };
  readonly results: readonly {
    readonly ruleId: string;
    readonly ruleIndex: number;
    readonly level: string;
    readonly message: { readonly text: string };
    readonly baselineState?: string;
  }[];
  readonly invocations: readonly {
    readonly executionSuccessful: boolean;
    readonly exitCode: number;
    readonly exitCodeDescription: string;
  }[];
}

/** Counts what fails a check by the words of `--fail-on`, from the results in SARIF alone. */
function expectedIn({ tool, results }: Run, failOn: readonly CheckFailOn[]): number {
  const impactsFrom = (least: string): readonly string[] =>
    IMPACTS.slice((IMPACTS as readonly string[]).indexOf(least));
  const counted = results.filter(({ ruleIndex, level, baselineState }) => {
    const impact = tool.driver.rules[ruleIndex]?.properties.impact ?? '';
    return failOn.some((name) => {
      if (name === 'warning') return true;
      if (name === 'error') return level !== 'note';
      if (name === 'new') return baselineState === 'new';
      return name !== 'unchecked' && level !== 'note' && impactsFrom(name).includes(impact);
    });
  });
  // One page does not respond.
  return counted.length + (failOn.includes('unchecked') ? 1 : 0);
}

function failuresIn({ testsuite = [] }: TestSuites) {
  const cases = testsuite.flatMap(({ testcase = [] }) => testcase);
  const all = (name: 'failure' | 'error'): readonly unknown[] => cases.flatMap((each: TestCase) => each[name] ?? []);
  const failing = (name: 'failure' | 'error'): number => cases.filter((each) => (each[name] ?? []).length > 0).length;
  const occurrences = cases.flatMap(({ failure = [] }) =>
    failure.map(({ message }) => Number.parseInt(message ?? '', 10)),
  );
  return {
    occurrences: occurrences.reduce((sum, number) => sum + number, 0),
    issues: all('failure').length,
    failures: failing('failure'),
    errors: failing('error'),
    skipped: cases.filter(({ skipped }) => skipped !== undefined).length,
  };
}

/** One of each kind, in turn with and without others: `test/store/fail-on.test.ts` counts each of them. */
const WITHOUT_BASELINE: readonly Limits[] = [
  [['never'], [0]],
  [['error'], [0, 'one too few', 'enough']],
  [['serious', 'unchecked'], [0]],
];
const WITH_BASELINE: readonly Limits[] = [
  [['new'], [0, 'enough']],
  [['warning', 'critical', 'new', 'unchecked'], [0]],
  [[], [0]],
];

type Limits = readonly [failOn: readonly CheckFailOn[], limits: readonly (0 | 'one too few' | 'enough')[]];

test('exit status, terminal, JUnit, SARIF, JSON, Markdown, HTML and annotations agree for every --fail-on', async () => {
  const seen = new Set<string>();
  for (const hasBaseline of [false, true]) {
    for (const [failOn, limits] of hasBaseline ? WITH_BASELINE : WITHOUT_BASELINE) {
      const isNever = failOn.some((name) => name === 'never');
      let expected = Number.NaN;
      for (const limit of limits) {
        const maxIssues = limit === 0 ? 0 : limit === 'enough' ? expected : expected - 1;
        const result = await resultOf({ failOn, maxIssues, hasBaseline });
        const { exitStatus, verdict, json, run, junit, markdown, html, annotations } = result;
        expected = isNever ? 0 : expectedIn(run, failOn);
        const isPassed = expected <= maxIssues;
        const what = `${failOn} --max-issues ${maxIssues}${hasBaseline ? ' --baseline' : ''}: ${verdict}`;
        seen.add(`${isPassed} ${hasBaseline}`);

        assert.equal(exitStatus, isPassed ? 0 : 1, what);
        assert.match(verdict, isPassed ? /^Passed/ : /^Failed/, what);
        assert.deepEqual(json, { passed: isPassed, sentence: verdict }, what);
        assert.equal(markdown, verdict);
        assert.equal(html, verdict);
        const [invocation] = run.invocations;
        assert.deepEqual([invocation?.exitCode, invocation?.exitCodeDescription], [exitStatus, verdict], what);
        assert.equal(invocation?.executionSuccessful, true, what);
        const states = new Set(run.results.map(({ baselineState }) => baselineState));
        assert.deepEqual([...states].sort(), hasBaseline ? ['new', 'unchanged', 'updated'] : [undefined], what);

        const { occurrences, failures, errors, issues, skipped } = failuresIn(junit);
        const unchecked = failOn.some((name) => name === 'unchecked') ? 1 : 0;
        assert.equal(occurrences, isPassed ? 0 : expected - unchecked, what);
        assert.equal(errors, isPassed ? 0 : unchecked * 2, what);
        assert.equal(skipped, 2 - errors, what);
        assert.deepEqual([junit.failures, junit.errors], [failures, errors], what);
        assert.equal(junit.tests, 8, what);

        assert.match(annotations[0] ?? '', isPassed ? /^::notice / : /^::error /, what);
        assert.ok(issues === 0 ? annotations.length === 1 : annotations.length > 1, what);
      }
    }
  }
  assert.equal(seen.size, 4, String([...seen]));
});

test('with a baseline, known issues are in JUnit as output, and annotations name pages with new issues', async () => {
  const { junit, annotations } = await resultOf({ failOn: ['new'], maxIssues: 0, hasBaseline: true });
  const gallery = junit.testsuite?.[0]?.testcase?.find(({ name }) => name === `${site.origin}/gallery`);
  const alt = gallery?.failure?.find(({ message }) => message?.includes('“img”'));
  assert.match(alt?.message ?? '', /^1 × /);
  assert.equal(alt?.inner?.match(/line \d+/g)?.length, 1);
  assert.match(String(gallery?.['system-out']), /“img”/);
  const gone = junit.testsuite?.[0]?.testcase?.find(({ name }) => name === `${site.origin}/gone`);
  assert.match(JSON.stringify(gone?.skipped), /The page returned 404/);
  const annotation = annotations.find((line) => line.includes('Duplicate ID “a”'));
  assert.ok(annotation?.endsWith(`%0A${site.origin}/empty`), String(annotation));
});

test('a fix has the same number and effect everywhere', async () => {
  const { printed } = await resultOf({ failOn: ['error'], maxIssues: 0, hasBaseline: false });
  const read = (name: string): string => readFileSync(join(directory, name), 'utf8');
  for (const text of [printed, read('report.md'), read('report.html')]) {
    assert.match(text, /\bremoves \d+ of \d+ errors/, 'a fix that makes no page pass says how many errors it removes');
    assert.doesNotMatch(text, /(\d+) → \1 of/);
  }
  const effect = /(?:\d+ → \d+ of \d+ pages? pass(?:es)?|removes \d+ of \d+ errors?)/.source;
  const effectsIn = (text: string, before: string): string[] =>
    [...text.matchAll(new RegExp(`${before}(${effect})`, 'g'))].map((match) => `${match[1]}. ${match[2]}`);
  const inHtml = effectsIn(read('report.html'), '<li value="(\\d+)">.*');
  const inMarkdown = effectsIn(read('report.md'), '\\n\\| (\\d+) \\| .*\\| ');
  const inTerminal = effectsIn(printed, '\\n  (\\d+)\\. (?:[^\\n]*\\n){1,4}? {5}');
  assert.equal(inTerminal.length, 3, printed);
  assert.deepEqual(inTerminal, inHtml.slice(0, 3));
  assert.ok(inMarkdown.length >= 5);
  for (const each of inMarkdown) assert.ok(inHtml.includes(each), each);
  const { fixes } = JSON.parse(read('report.json'));
  for (const [index, fix] of fixes.entries()) {
    assert.equal(fix.position, index + 1);
    assert.equal(fix.passing_before_plan, fixes[index - 1]?.passing_after_plan ?? fix.passing_before);
    const [before, after] = [fix.passing_before_plan, fix.passing_after_plan];
    if (after > before) assert.match(inHtml[index] ?? '', new RegExp(`^${fix.position}\\. ${before} → ${after} of `));
  }
});

test('an exceeded budget fails in all formats, and only its issues do', async () => {
  const image: ConfiguredBudget = { title: 'message "img"', of: { message: '“img”', isByRule: false }, max: 1 };
  const critical: ConfiguredBudget = { title: 'critical', of: { count: 'critical' }, max: 1 };
  for (const [hasBaseline, failOn, budgets, occurrences] of [
    [true, ['never'], [critical], 2],
    [false, ['never'], [{ ...image, max: 2 }], 0],
    [false, ['moderate', 'unchecked'], [image], null],
  ] as const) {
    const maxIssues = occurrences === null ? 100 : 0;
    const result = await resultOf({ failOn, maxIssues, hasBaseline, budgets });
    const found = failuresIn(result.junit);
    assert.equal(found.occurrences, occurrences ?? 2, `${failOn} ${result.verdict}`);
    assert.equal(found.errors, 0);
    assert.equal(result.exitStatus, found.occurrences > 0 ? 1 : 0);
    assert.equal(result.run.invocations[0]?.exitCode, result.exitStatus);
    assert.equal(result.json.passed, result.exitStatus === 0);
  }
});

test('a site that could not be checked passes in no format', async () => {
  const closed = await startTestSite({ '/': { status: 503, body: 'Closed' } });
  const output = join(directory, 'closed');
  const options = ['--format', 'json,sarif,junit,md', '--output', output, '--rate-limit', '100'];
  const { status, stdout } = await runHere(['check', closed.origin, ...options], service.environment);
  await closed.stop();
  assert.equal(status, 3, stdout);
  const junit = await parseJunit(readFileSync(join(output, 'report.junit.xml'), 'utf8'));
  assert.ok(junit && 'testsuite' in junit);
  assert.ok(Number(junit.errors) > 0);
  const [run] = JSON.parse(readFileSync(join(output, 'report.sarif'), 'utf8')).runs;
  assert.equal(run.invocations[0].executionSuccessful, false);
  assert.equal(JSON.parse(readFileSync(join(output, 'report.json'), 'utf8')).verdict, null);
  assert.match(readFileSync(join(output, 'report.md'), 'utf8'), /could not be checked/);
});
