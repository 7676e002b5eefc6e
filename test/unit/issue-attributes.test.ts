import assert from 'node:assert/strict';
import { test } from 'node:test';
import { occurrencesOf, type PageIssueItem } from '../../packages/client/occurrences.ts';
import { issueAttributes, issueAttributesInSteps } from '../../src/api/resources/issue.ts';
import { ENGINES, engineOf } from '../../src/checks/registry.ts';
import type { Json } from '../../src/domain/check.ts';
import { slicesOf } from '../../src/platform/slices.ts';
import type { PageIssue } from '../../src/store/issues/issues.ts';
import { element, occurrence } from '../helpers/sample-report.ts';

const OCCURRENCES = 1_000;
const SLICE = 128;
const FINGERPRINTS = { fingerprint: Buffer.alloc(16), fingerprints: Buffer.alloc(16 * OCCURRENCES) };

const MAKE: Readonly<Record<string, (index: number) => object>> = {
  html: (index) => occurrence(index + 1),
  a11y: (index) => ({ ...element(`#e${index}`), failure_summary: ['', 'Fix this', 'Fix that'][index % 3] }),
  link: (index) => ({ url: `https://example.com/${index}`, final_url: 'https://example.com/' }),
};

for (const engine of ENGINES) {
  test(`the attributes of many occurrences of ${engine.kind} issues are rendered a slice at a time`, () => {
    const occurrences = Array.from(
      { length: OCCURRENCES },
      (_, index) => MAKE[engine.kind]?.(index) ?? assert.fail(),
    ) as Json[];
    const marks = occurrences.map((_, index) => ({
      ...({ fingerprint: index.toString(16).padStart(32, '0'), change: 'new', recheck: null } as const),
    }));
    const issue: Omit<PageIssue, 'occurrences'> = {
      issue_type: 'error',
      ...{
        id: 1,
        report_id: 'r',
        common_issue_id: 2,
        web_page_id: 3,
        kind: engine.kind,
        position: 0,
        how_many: OCCURRENCES + 5,
      },
      ...{ issue_sub_type: null, message: 'A problem', rule_id: 'image-alt', help_url: null },
      ...{ impact: null, impact_order: 0, tags: [], url: null, muted: false, ...FINGERPRINTS },
      ...{ decision: null, new_occurrences: null, inserted_at: new Date(0), updated_at: new Date(0) },
    };
    const page = { url: 'https://example.com/' };
    let taken = 0;
    function* slices(): Generator<readonly Json[]> {
      for (const slice of slicesOf(occurrences, SLICE)) {
        taken += slice.length;
        yield slice;
      }
    }
    const steps = issueAttributesInSteps(engine, { ...issue, slices: slices() }, page, marks);
    let step = steps.next();
    for (let before = 0; step.done !== true; step = steps.next()) {
      assert.ok(taken - before <= SLICE, `${taken - before} occurrences in one step`);
      before = taken;
    }
    const whole = issueAttributes(engine, { ...issue, occurrences }, page, marks);
    assert.equal(JSON.stringify(step.value), JSON.stringify(whole));
    assert.deepEqual([whole.change, whole.omitted], ['new', 5]);
    const lists = Object.values<unknown>(whole).filter(Array.isArray);
    for (const list of lists) assert.ok([0, OCCURRENCES].includes(list.length));
    assert.ok(JSON.stringify(whole).includes(marks.at(-1)?.fingerprint ?? '?'));

    // Clients of the API show each occurrence as the service does. Summaries belong to the issue there.
    const shown = engine.issues.shownOccurrences({ url: null, occurrences });
    const listed = occurrencesOf({ ...whole, type: `${engine.kind}_issue` } as object as PageIssueItem);
    const summaryless = { failureSummary: null, change: 'new', recheck: null };
    assert.deepEqual(
      listed,
      shown.map((each) => ({ ...each, ...summaryless })),
    );
  });
}

test('an element whose contrast is insufficient has its colors as cause, regardless of its markup', () => {
  const { issues } = engineOf('a11y');
  const summary = (colors: string) =>
    `Fix any of the following:\n  Element has insufficient color contrast of 3.54 (${colors}, font size: 12.0pt (16px), font weight: normal). Expected contrast ratio of 4.5:1`;
  const white = 'foreground color: #ffffff, background color: #17a2b8';
  const link = 'link text: #0000ff, surrounding text: #000000';
  const occurrences = [
    { ...element('a'), failure_summary: summary(white) },
    { ...element('p'), failure_summary: summary(white) },
    { ...element('b'), failure_summary: summary(link) },
    element('i'),
  ];
  const causes = ['#ffffff on #17a2b8', '#ffffff on #17a2b8', '#0000ff on #000000', null];
  assert.deepEqual(
    issues.occurrenceClues({ url: null, occurrences }).map(({ cause }) => cause),
    causes,
  );
  // A link has to differ from the text next to it.
  assert.deepEqual(
    issues.shownOccurrences({ url: null, occurrences }).map(({ cause }) => cause),
    causes.with(2, '#0000ff next to #000000'),
  );
});
