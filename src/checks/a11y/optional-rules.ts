import { belongsTo } from '../../../packages/client/standards.ts';

/**
 * The rules that axe-core does not run by default, with their tags. Excludes deprecated rules. They run when the standard of a
 * report needs them. A test compares them with axe-core.
 */
export const OPTIONAL_RULES: Readonly<Record<string, readonly string[]>> = {
  'color-contrast-enhanced': ['cat.color', 'wcag2aaa', 'wcag146', 'ACT'],
  'css-orientation-lock': [
    'cat.structure',
    'wcag134',
    'wcag21aa',
    'EN-301-549',
    'EN-9.1.3.4',
    'RGAAv4',
    'RGAA-13.9.1',
    'experimental',
  ],
  'focus-order-semantics': ['cat.keyboard', 'best-practice', 'RGAAv4', 'RGAA-12.8.1', 'experimental'],
  'hidden-content': ['cat.structure', 'best-practice', 'experimental', 'review-item'],
  'identical-links-same-purpose': ['cat.semantics', 'wcag2aaa', 'wcag249'],
  'meta-refresh-no-exceptions': ['cat.time-and-media', 'wcag2aaa', 'wcag224', 'wcag325'],
  'p-as-heading': [
    'cat.semantics',
    'wcag2a',
    'wcag131',
    'EN-301-549',
    'EN-9.1.3.1',
    'RGAAv4',
    'RGAA-9.1.3',
    'experimental',
  ],
  'table-fake-caption': [
    'cat.tables',
    'experimental',
    'wcag2a',
    'wcag131',
    'section508',
    'section508.22.g',
    'EN-301-549',
    'EN-9.1.3.1',
    'RGAAv4',
    'RGAA-5.4.1',
  ],
  'target-size': ['cat.sensory-and-visual-cues', 'wcag22aa', 'wcag258', 'EN-301-549v4', 'EN-9.2.5.8'],
  'td-has-header': [
    'cat.tables',
    'experimental',
    'wcag2a',
    'wcag131',
    'section508',
    'section508.22.g',
    'TTv5',
    'TT14.b',
    'EN-301-549',
    'EN-9.1.3.1',
    'RGAAv4',
    'RGAA-5.7.4',
  ],
};

/** The tags of the success criteria that axe-core's default rules test. A test also compares these with axe-core. */
const DEFAULT_CRITERIA =
  'wcag111 wcag122 wcag131 wcag135 wcag141 wcag1412 wcag142 wcag143 wcag144 wcag211 wcag213 wcag221 wcag222 wcag241 wcag242 wcag244 wcag253 wcag311 wcag312 wcag332 wcag412'.split(
    ' ',
  );

/** Returns the rules that run for a standard in addition to the default ones. */
export function rulesBeyondDefault(standard: string | null): string[] {
  if (standard === null) return [];
  return Object.entries(OPTIONAL_RULES).flatMap(([id, tags]) => (belongsTo(standard, tags) ? id : []));
}

/** Returns the rules that do not run for a standard. */
export function rulesNotRun(standard: string | null): string[] {
  const run = rulesBeyondDefault(standard);
  return Object.keys(OPTIONAL_RULES).filter((id) => !run.includes(id));
}

/** Returns tags that include all criteria with at least one rule that runs for a standard. */
export function testedTags(standard: string | null): string[] {
  return [...DEFAULT_CRITERIA, ...rulesBeyondDefault(standard).flatMap((id) => OPTIONAL_RULES[id] ?? [])];
}
