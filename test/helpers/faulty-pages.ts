import assert from 'node:assert/strict';

/** Pages with a few faults, one of them missing, and the output of `check` for them. */

export const page = (title: string, content: string): string =>
  `<!DOCTYPE html><html lang="en"><title>${title}</title><main><h1>${title}</h1>${content}</main></html>`;

export const FAULTY_PAGES = {
  '/bad': page(
    'Bad',
    '<p id="a">One<p id="a">Two<p><a href="/worse">Worse</a><p><a href="/missing">Missing</a>' +
      '<p><a href="https://elsewhere.invalid/">Elsewhere</a>',
  ),
  '/worse': page('Worse', '<img src="data:,"><img src="data:,"><p><a href="/bad">Bad</a>'),
  '/missing': { status: 404, body: 'Not found' },
};

const OF_IDS = {
  tags: ['duplicate id', 'id'],
  remedy: 'Give each element its own ID, and change the labels, links and scripts that refer to it.',
  effect_on_visitors:
    'Visitors may reach the wrong element, because links, labels and scripts find only the first of several with the same ID.',
  hindrance: 'some',
};
const DUPLICATE = { message: 'Duplicate ID “a”.', ...OF_IDS };
const FIRST = { message: 'The first occurrence of ID “a” was here.', ...OF_IDS };
const NO_ALT = {
  message:
    'An “img” element must have an “alt” attribute, except under certain conditions. For details, consult guidance on ' +
    'providing text alternatives for images.',
  tags: ['attribute', 'element', 'image', 'missing attribute'],
  remedy:
    'Add the attribute that the message names. In “alt”, describe the image; leave it empty for decorative images.',
  effect_on_visitors: "People who use a screen reader don't hear what the image shows.",
  hindrance: 'severe',
};
/** Stands for the report's id, which differs from run to run. */
const ID = 'the report';

/** The output, with a placeholder for the duration. */
export function withoutDuration(summary: string): string {
  return summary.replace(/ (in|after) [\d.]+ (s|min|h)$/m, ' $1 SECONDS');
}

/** The output of `check` for `/bad`, which links to the others, without the duration. */
export function summaryOfBad(origin: string, file: string): string {
  return `
${origin}/bad
3 pages found, finished in SECONDS
1 URL skipped: 1 on other sites

HTML  3 errors, 1 warning on 2 pages, 1 page could not be checked
       2 × error  ${NO_ALT.message}
           ${origin}/worse
       1 × error  ${DUPLICATE.message}
           ${origin}/bad
       1 × warning  ${FIRST.message}
           ${origin}/bad

Fix first
  1. ${NO_ALT.message}
     <img src="data:,">
     2 occurrences on 1 page: ${origin}/worse
     0 → 1 of 2 pages pass
  2. ${DUPLICATE.message}
     <p id="a">
     1 occurrence on 1 page: ${origin}/bad
     1 → 2 of 2 pages pass

Could not be checked: 1 page
  ${origin}/missing
      The page returned 404
      linked from ${origin}/bad

Wrote ${file}
Failed: 3 errors (0 allowed)
`;
}

interface Occurrence {
  readonly extract: string;
  readonly firstColumn: number;
  readonly length: number;
}

const NO_JOURNEY = {
  ...{ journey: null, journey_step: null, reached_url: null, is_rendered_dom: false },
  ...{ signed_in: null, signed_in_as: null },
};

/** The content of the file without ids and times. */
export function exportOfBad(origin: string) {
  const kind = (type: string, what: object, howMany: number) => ({
    ...{ issue_type: type, issue_sub_type: null, how_many: howMany, change: null },
    ...what,
  });
  const common = (type: string, what: object, howMany: number) => ({
    ...kind(type, what, howMany),
    ...{ report_id: ID, num_web_pages: 1, changed_occurrences: null, how_many_before: null, outside_standard: false },
    verdict: null,
  });
  const issue = (type: string, what: object, ...occurrences: readonly Occurrence[]) => ({
    ...kind(type, what, occurrences.length),
    decision: null,
    html: occurrences.map(({ extract, firstColumn, length }) => ({
      extract,
      change: null,
      coordinates: {
        ...{ first_line: 1, last_line: 1, first_column: firstColumn, last_column: firstColumn + length - 1 },
        ...{ hilite_start: 10, hilite_length: length },
      },
      recheck: null,
    })),
    omitted: 0,
  });
  const checked = (
    path: string,
    title: string,
    linkedFrom: string | null,
    counts: object,
    issues: readonly object[],
  ) => ({
    ...{ url: `${origin}${path}`, linked_from: linkedFrom, status: 'checked', http_status: 200 },
    ...{ content_type: 'text/html', title, render_error: null, render_error_code: null, ...NO_JOURNEY },
    html_check: {
      errors: 0,
      warnings: 0,
      status: 'checked',
      error: null,
      error_code: null,
      note: null,
      recheck: null,
      reused_from: null,
      ...counts,
    },
    a11y_check: null,
    html_issues: issues,
  });
  const fix = (message: string, markup: string, howMany: number, passing: object) => ({
    ...{
      kind: 'html',
      cause: null,
      style_rule: null,
      background_rule: null,
      edited_color: null,
      message,
      markup,
      markup_differs: false,
      selector: null,
      how_many: howMany,
      errors: howMany,
      also: [],
      num_web_pages: 1,
      passing_before: 0,
    },
    ...passing,
  });
  const discovered = (url: string, outcome: string, linkedFrom: string | null, more: object) => ({
    ...{ url, outcome, linked_from: linkedFrom, depth: linkedFrom === null ? 0 : 1 },
    ...{ detail: null, detail_code: null, target: null, http_status: null, ...more },
  });
  const bad = `${origin}/bad`;
  return {
    report: {
      ...{ starting_url: bad, domain: '127.0.0.1', initial_urls: [], inclusions: [], exclusions: [], max_pages: 100 },
      ...{
        rate_limit: 100,
        deep_crawl: true,
        prefer_canonical_urls: true,
        device_rotated: false,
        wait_for: null,
        standard: null,
        best_practices: false,
        store_screenshots: false,
        reuse: true,
        block_writes: true,
        journeys: [],
        only_journeys: false,
        explore_states: false,
        consent: null,
        untested_rules: [],
        signs_in: false,
        shared: false,
      },
      ...{
        tags: [],
        status: 'finished',
        crawl_error: null,
        crawl_error_code: null,
        stopped_early: null,
        at_end: null,
        site_name: '',
        change: null,
        fix_effect: { fixes: 2, passing_before: 0, passing_after: 2 },
        verdict: null,
        num_pages: 3,
        pages: { checked: 2, passed: 0 },
        dynamic_crawler: false,
      },
      ...{ respect_robots_txt: false, perform_html_checks: true, perform_a11y_checks: false },
      checks: {
        html: {
          status: { pending: 0, checked: 2, failed: 1 },
          pages: { passed: 0, with_errors: 2 },
          issues: { errors: 3, warnings: 1 },
        },
        a11y: null,
      },
    },
    fixes_left_out: 0,
    fixes: [
      fix(NO_ALT.message, '<img src="data:,">', 2, {
        position: 1,
        effect_on_visitors: "People who use a screen reader don't hear what the image shows.",
        hindrance: 'severe',
        ...{ passing_after: 1, passing_before_plan: 0, passing_after_plan: 1 },
      }),
      fix(DUPLICATE.message, '<p id="a">', 1, {
        position: 2,
        effect_on_visitors:
          'Visitors may reach the wrong element, because links, labels and scripts find only the first of several with the same ID.',
        hindrance: 'some',
        ...{ passing_after: 1, passing_before_plan: 1, passing_after_plan: 2 },
      }),
    ],
    version: 1,
    verdict: { passed: false, sentence: 'Failed: 3 errors (0 allowed)' },
    comparison: null,
    common_html_issues: [common('error', NO_ALT, 2), common('error', DUPLICATE, 1), common('warning', FIRST, 1)],
    web_pages: [
      checked('/bad', 'Bad', null, { errors: 1, warnings: 1 }, [
        issue('error', DUPLICATE, { extract: 'id="a">One<p id="a">Two<p>', firstColumn: 81, length: 10 }),
        issue('warning', FIRST, { extract: '1>Bad</h1><p id="a">One<p ', firstColumn: 68, length: 10 }),
      ]),
      checked('/worse', 'Worse', bad, { errors: 2 }, [
        issue(
          'error',
          NO_ALT,
          { extract: 'Worse</h1><img src="data:,"><img s', firstColumn: 72, length: 18 },
          { extract: '="data:,"><img src="data:,"><p><a ', firstColumn: 90, length: 18 },
        ),
      ]),
      {
        ...{ url: `${origin}/missing`, linked_from: bad, status: 'failed', http_status: 404 },
        ...{
          content_type: 'text/html',
          title: null,
          render_error: null,
          render_error_code: null,
          ...NO_JOURNEY,
          a11y_check: null,
          html_issues: [],
        },
        html_check: {
          errors: 0,
          warnings: 0,
          status: 'failed',
          error: 'The page returned 404',
          error_code: 'error_status',
          note: null,
          recheck: null,
          reused_from: null,
        },
      },
    ],
    discovered_urls: [
      discovered(bad, 'page', null, { http_status: 200 }),
      discovered(`${origin}/worse`, 'page', bad, { http_status: 200 }),
      discovered(`${origin}/missing`, 'failed', bad, {
        http_status: 404,
        detail: 'The page returned 404.',
        detail_code: 'error_status',
      }),
      discovered('https://elsewhere.invalid/', 'off_site', bad, {
        detail: `It is not on the report's site, ${new URL(bad).host}.`,
      }),
    ],
  };
}

/** Ids and times differ from run to run, so only their format is compared. */
export function withoutIdsAndTimes(json: string): unknown {
  return JSON.parse(json, (key, value: unknown) => {
    if (key === 'id') return assert.match(String(value), /^(\d+|[\da-f-]{36})$/);
    if (key === 'report_id') return ID;
    // Depends on how the database stores the rows.
    if (key === 'size') return undefined;
    if (key === 'common_issue_id' || key === 'web_page_id') return assert.match(String(value), /^\d+$/);
    if (key === 'cluster') return assert.match(String(value), /^[\da-f]{16}$/);
    if (key === 'fingerprint') return assert.match(String(value), /^[\da-f]{32}$/);
    if (key.endsWith('_at')) return assert.match(String(value), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    return value;
  });
}
