/**
 * The accessibility standards that a report can be measured against. Rules name the standards that contain them in their tags, as
 * axe-core does: a test compares this table with all of its rules.
 */

const WCAG_VERSIONS = [
  ['20', '2.0', 'wcag2'],
  ['21', '2.1', 'wcag21'],
  ['22', '2.2', 'wcag22'],
] as const;
const LEVELS = ['a', 'aa', 'aaa'] as const;

type WcagStandard = `wcag${(typeof WCAG_VERSIONS)[number][0]}-${(typeof LEVELS)[number]}`;
export type Standard = WcagStandard | 'en-301-549' | 'section-508' | 'rgaa-4' | 'trusted-tester-5';

interface StandardFacts {
  readonly name: string;
  /** A rule with one of these tags belongs to the standard. */
  readonly tags: readonly string[];
  /** Matches the tag of a criterion, and names it. */
  readonly criterion: readonly [tag: RegExp, name: string];
}

const WCAG_CRITERION = [/^wcag(\d)(\d)(\d+)$/, 'WCAG $1.$2.$3'] as const;

/** Each version and level includes the criteria of earlier versions and lower levels. */
const WCAG = WCAG_VERSIONS.flatMap(([id, version], ofVersion) =>
  LEVELS.map((level, ofLevel): readonly [string, StandardFacts] => [
    `wcag${id}-${level}`,
    {
      name: `WCAG ${version} ${level.toUpperCase()}`,
      tags: WCAG_VERSIONS.slice(0, ofVersion + 1).flatMap(([, , prefix]) =>
        LEVELS.slice(0, ofLevel + 1).map((lower) => `${prefix}${lower}`),
      ),
      criterion: WCAG_CRITERION,
    },
  ]),
);

/** In display order. */
export const STANDARDS: ReadonlyMap<string, StandardFacts> = new Map([
  ...WCAG,
  // Version 3.2.1, which the European directives refer to.
  ['en-301-549', { name: 'EN 301 549', tags: ['EN-301-549'], criterion: [/^EN-(9\..*)$/, 'EN $1'] }],
  // The revised standards refer to WCAG 2.0 AA (E205.4); the tag is of the original ones.
  ['section-508', { name: 'Section 508', tags: ['section508', 'wcag2a', 'wcag2aa'], criterion: WCAG_CRITERION }],
  ['rgaa-4', { name: 'RGAA 4', tags: ['RGAAv4'], criterion: [/^RGAA-(\d.*)$/, 'RGAA $1'] }],
  ['trusted-tester-5', { name: 'Trusted Tester 5', tags: ['TTv5'], criterion: [/^TT(\d.*)$/, 'Trusted Tester $1'] }],
]);

export const STANDARD_IDS = [...STANDARDS.keys()] as readonly string[] as readonly Standard[];

const BEST_PRACTICE = 'best-practice';

/** What a report is measured against. */
export interface Measure {
  /** Null: all issues count. */
  readonly standard: Standard | null;
  /** Whether best practices count, too. Without a standard, they always do. */
  readonly best_practices: boolean;
}

/** Whether a rule belongs to a standard. Rules of checks that follow no such standard do not. */
export function belongsTo(standard: string, tags: readonly string[]): boolean {
  return STANDARDS.get(standard)?.tags.some((tag) => tags.includes(tag)) ?? false;
}

const ALL_TAGS: ReadonlySet<string> = new Set([
  BEST_PRACTICE,
  // Of rules that only later versions have dropped.
  'wcag2a-obsolete',
  ...[...STANDARDS.values()].flatMap(({ tags }) => tags),
]);

/** Whether issues of a rule count: the rule belongs to the standard, or follows none, such as the rules of the HTML check. */
export function countsBy({ standard, best_practices: withBest }: Measure, tags: readonly string[]): boolean {
  if (standard === null || belongsTo(standard, tags)) return true;
  if (withBest && tags.includes(BEST_PRACTICE)) return true;
  return !tags.some((tag) => ALL_TAGS.has(tag));
}

/** Returns what a report is measured against: `WCAG 2.2 AA and best practices`. Empty without a standard. */
export function measureWords({ standard, best_practices: withBest }: Measure): string {
  if (standard === null) return '';
  return `${STANDARDS.get(standard)?.name ?? standard}${withBest ? ' and best practices' : ''}`;
}

/** Returns `Measured against WCAG 2.2 AA` for a report with accessibility checks and a standard; else an empty text. */
export function measuredByWords(report: Measure, hasAccessibility: boolean): string {
  const words = measureWords(report);
  return words === '' || !hasAccessibility ? '' : `Measured against ${words}`;
}

/** The standard whose words describe criteria if a report is measured against none. */
const USUAL_STANDARD = 'wcag22-aaa';

/**
 * Returns the criteria of a rule in the words of a standard: `WCAG 1.4.3`, `EN 9.1.4.3`; `best practice` for a rule of no
 * standard. Empty if the tags name none.
 */
export function criteriaWords(tags: readonly string[], standard: string | null): string {
  const named = criteriaNames(tags, standard);
  if (named.length > 0) return shortened(named);
  return tags.includes(BEST_PRACTICE) ? 'best practice' : '';
}

/** Returns each criterion of a rule in the words of a standard, or of WCAG if the standard names none. */
export function criteriaNames(tags: readonly string[], standard: string | null): string[] {
  for (const id of [standard ?? USUAL_STANDARD, USUAL_STANDARD]) {
    const { criterion } = STANDARDS.get(id) ?? {};
    const named = criterion === undefined ? [] : tags.flatMap((tag) => criterionIn(tag, criterion));
    if (named.length > 0) return named;
  }
  return [];
}

function criterionIn(tag: string, [pattern, name]: StandardFacts['criterion']): string[] {
  return pattern.test(tag) ? [tag.replace(pattern, name)] : [];
}

/** `WCAG 1.1.1, 4.1.2` for `WCAG 1.1.1` and `WCAG 4.1.2`. */
function shortened([first = '', ...others]: readonly string[]): string {
  const prefix = first.slice(0, first.lastIndexOf(' ') + 1);
  return [first, ...others.map((name) => name.slice(prefix.length))].join(', ');
}
