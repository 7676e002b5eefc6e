import type { Database } from '../../src/store/database.ts';
import type { NewReport } from '../../src/store/schema.ts';
import type { TestApi } from './api.ts';
import { ANSWERED_404 } from './failures.ts';
import { type Seeded, type SeedIssueType, type SeedPage, seedReport } from './seed.ts';

/** A small report with a bit of everything: three pages, failed and pending checks, six issue types. */

export const HTML_ISSUE_TYPES = {
  duplicateId: { type: 'error', message: 'Duplicate ID “main”.', tags: ['duplicate attribute', 'id'] },
  fatal: { type: 'error', subType: 'fatal', message: 'Cannot recover: 100% broken_tag \\ end', tags: ['syntax'] },
  info: { type: 'warning', subType: 'info', message: 'The “type” attribute is unnecessary', tags: ['Script'] },
} as const satisfies Record<string, SeedIssueType>;

export const A11Y_ISSUE_TYPES = {
  contrast: {
    type: 'error',
    message: 'Elements must meet minimum color contrast',
    ruleId: 'color-contrast',
    helpUrl: 'https://dequeuniversity.com/rules/axe/4.14/color-contrast',
    impact: 'serious',
    tags: ['wcag2aa', 'wcag143'],
  },
  imageAlt: {
    type: 'error',
    message: 'Images must have alternative text',
    ruleId: 'image-alt',
    helpUrl: 'https://dequeuniversity.com/rules/axe/4.14/image-alt',
    impact: 'critical',
    tags: ['wcag2a', 'wcag111'],
  },
  region: {
    type: 'warning',
    message: 'All page content should be contained by landmarks',
    ruleId: 'region',
    helpUrl: 'https://dequeuniversity.com/rules/axe/4.14/region',
    impact: 'moderate',
    tags: ['best-practice'],
  },
} as const satisfies Record<string, SeedIssueType>;

/** An occurrence in a document, as the HTML engine stores it. */
export function occurrence(line: number) {
  return {
    extract: `<p id="main"> ${line}`,
    coordinates: {
      first_line: line,
      last_line: line,
      first_column: line % 2 === 0 ? null : 3,
      last_column: 17,
      hilite_start: 1,
      hilite_length: 13,
    },
  };
}

/** The location of the affected element `a`. Others are not in the source. */
export const LOCATION_OF_A = { line: 3, column: 7, made_by_script: false, box: [8, 20, 100, 40] };

/** An affected element, as the accessibility engine stores it. */
export function element(selector: string) {
  return {
    html: `<img class="${selector}">`,
    target: [selector],
    failure_summary: 'Fix any of the following: alt',
    place: selector === 'a' ? LOCATION_OF_A : { line: null, column: null, made_by_script: false, box: null },
  };
}

export const SITE = 'https://example.com';
export const HOME = `${SITE}/`;
export const ABOUT = `${SITE}/About_us?q=100%25`;
export const GONE = `${SITE}/gone`;

export const HTML_RAW = { url: HOME, messages: [{ type: 'error', message: 'Duplicate ID “main”.' }], language: 'en' };
/** A WebP image of one pixel. */
export const PICTURE = Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64');
export const A11Y_RAW = { url: HOME, violations: [], incomplete: [], passes: [], inapplicable: [] };

export const SAMPLE_PAGES: readonly SeedPage[] = [
  {
    url: HOME,
    title: 'Home',
    checks: {
      html: {
        status: 'checked',
        issues: [
          { kind: HTML_ISSUE_TYPES.info, occurrences: [occurrence(1), occurrence(2), occurrence(3)] },
          { kind: HTML_ISSUE_TYPES.duplicateId, occurrences: [occurrence(4), occurrence(5)] },
          { kind: HTML_ISSUE_TYPES.fatal, occurrences: [occurrence(9)] },
        ],
        raw: HTML_RAW,
      },
      a11y: {
        status: 'checked',
        issues: [
          { kind: A11Y_ISSUE_TYPES.contrast, occurrences: [element('a'), element('b')] },
          { kind: A11Y_ISSUE_TYPES.imageAlt, occurrences: [element('c')], url: `${SITE}/frame` },
        ],
        raw: A11Y_RAW,
        screenshot: PICTURE,
      },
    },
  },
  {
    url: ABOUT,
    linkedFrom: HOME,
    checks: {
      html: { status: 'checked', issues: [{ kind: HTML_ISSUE_TYPES.duplicateId, occurrences: [occurrence(7)] }] },
      a11y: {
        status: 'pending',
        issues: [{ kind: A11Y_ISSUE_TYPES.region, occurrences: [element('d'), element('e')] }],
      },
    },
  },
  {
    url: GONE,
    linkedFrom: ABOUT,
    httpStatus: 404,
    checks: {
      html: { status: 'failed', error: ANSWERED_404 },
      a11y: { status: 'failed', error: ANSWERED_404 },
    },
  },
];

export async function seedSample(
  db: Database,
  report: Partial<NewReport> & { readonly account_id: string },
): Promise<Seeded> {
  return seedReport(db, report, ['html', 'a11y'], SAMPLE_PAGES);
}

/** Seeds the sample for the owner, and returns the path of its report. */
export async function seedSamplePath({ db, people }: Pick<TestApi, 'db' | 'people'>): Promise<string> {
  return `/api/v1/reports/${(await seedSample(db, { account_id: people.ownerId })).reportId}`;
}
