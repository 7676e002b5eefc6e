import { criteriaNames, STANDARDS, type Standard } from '../../packages/client/standards.ts';
import { untestedRulesOf } from '../api/resources/report-resource.ts';
import { measuredByIn } from '../checks/registry.ts';
import type { VisibleReport } from '../store/reports/reports.ts';
import type { Criterion, WcagLevel } from './wcag.ts';
import { type WcagVersion, wcagCriteria } from './wcag-versions.ts';

/** How documents about conformance describe a standard. */
interface StandardDocuments {
  readonly url: string;
  /** The version of WCAG that the standard is or refers to, and its highest level. */
  readonly wcag: WcagVersion;
  readonly level: WcagLevel;
  /** Precedes the numbers of WCAG in the standard. */
  readonly prefix: string;
  /** The catalog of OpenACR, and its chapters about subjects other than success criteria. */
  readonly catalog: string;
  readonly otherChapters: readonly string[];
  /** Precedes the numbers of criteria in their addresses, or in names if they have no address; null for addresses in WCAG. */
  readonly criteriaAt: string | null;
  /** Whether the laws of the European Union require all of it. They refer to EN 301 549, which contains WCAG 2.1 AA. */
  readonly isEuropeanLaw: boolean;
}

const WCAG = { prefix: 'WCAG ', otherChapters: [], criteriaAt: null, isEuropeanLaw: true } as const;
// OpenACR has no catalog of WCAG 2.0 alone.
const CATALOG_508 = '2.5-edition-wcag-2.0-508-en';
const WCAG_20 = { ...WCAG, url: 'https://www.w3.org/TR/WCAG20/', wcag: '2.0', catalog: CATALOG_508 } as const;
const WCAG_21 = {
  ...WCAG,
  url: 'https://www.w3.org/TR/WCAG21/',
  wcag: '2.1',
  catalog: '2.4-edition-wcag-2.1-en',
} as const;
const WCAG_22 = {
  ...WCAG,
  url: 'https://www.w3.org/TR/WCAG22/',
  wcag: '2.2',
  catalog: '2.5-edition-wcag-2.2-en',
  isEuropeanLaw: false,
} as const;

const CHAPTERS_508 = [
  'functional_performance_criteria',
  'hardware',
  'software',
  'support_documentation_and_services',
] as const;

/** Chapter 9, the web, repeats the success criteria of WCAG, so its table in the catalog is empty. */
const CHAPTERS_EN = [
  'en_301_549_functional_performance',
  'en_301_549_generic_requirements',
  'en_301_549_ICT_with_2way_voice',
  'en_301_549_ICT_with_Video',
  'en_301_549_hardware',
  'en_301_549_non-web-documents',
  'en_301_549_software',
  'en_301_549_documentation_and_support_services',
  'en_301_549_ICT_providing_relay_or_emergency_service_access',
] as const;

const DOCUMENTS: Readonly<Record<Standard, StandardDocuments>> = {
  'wcag20-a': { ...WCAG_20, level: 'A' },
  'wcag20-aa': { ...WCAG_20, level: 'AA' },
  'wcag20-aaa': { ...WCAG_20, level: 'AAA', isEuropeanLaw: false },
  'wcag21-a': { ...WCAG_21, level: 'A' },
  'wcag21-aa': { ...WCAG_21, level: 'AA' },
  'wcag21-aaa': { ...WCAG_21, level: 'AAA', isEuropeanLaw: false },
  'wcag22-a': { ...WCAG_22, level: 'A' },
  'wcag22-aa': { ...WCAG_22, level: 'AA' },
  'wcag22-aaa': { ...WCAG_22, level: 'AAA' },
  'en-301-549': {
    ...{ url: 'https://www.etsi.org/deliver/etsi_en/301500_301599/301549/03.02.01_60/en_301549v030201p.pdf' },
    ...{ wcag: '2.1', level: 'AA', prefix: 'EN 9.', criteriaAt: 'urn:sitewarden:en-301-549:', isEuropeanLaw: true },
    ...{ catalog: '2.4-edition-wcag-2.1-508-eu-en', otherChapters: CHAPTERS_EN },
  },
  'section-508': {
    ...WCAG_20,
    ...{ url: 'https://www.access-board.gov/ict/', level: 'AA', otherChapters: CHAPTERS_508, isEuropeanLaw: false },
  },
  'rgaa-4': {
    ...WCAG_21,
    ...{ url: 'https://accessibilite.numerique.gouv.fr/', level: 'AA' },
    criteriaAt: 'https://accessibilite.numerique.gouv.fr/methode/criteres-et-tests/#',
  },
  'trusted-tester-5': {
    ...WCAG_20,
    ...{ url: 'https://section508coordinators.github.io/TrustedTester/', level: 'AA', otherChapters: CHAPTERS_508 },
    criteriaAt: 'urn:sitewarden:trusted-tester-5:',
    isEuropeanLaw: false,
  },
};

/** A standard as the documents about conformance describe it. */
export interface StandardScope extends StandardDocuments {
  readonly standard: Standard;
  readonly name: string;
  /** By level, then by number. */
  readonly criteria: readonly Criterion[];
}

export function scopeOf(standard: Standard): StandardScope {
  const documents = DOCUMENTS[standard];
  const name = STANDARDS.get(standard)?.name ?? standard;
  return { ...documents, standard, name, criteria: wcagCriteria(documents.wcag, documents.level) };
}

/** A criterion that a rule tests, in the words of a standard. */
export interface Requirement {
  /** Such as `EN 9.1.4.3 Contrast (Minimum)` or `RGAA 3.2.1`. */
  readonly title: string;
  readonly id: string;
  /** The same criterion in WCAG; null if no criterion is the same. */
  readonly criterion: Criterion | null;
}

/** Returns the criteria of a standard that a rule with some tags tests. */
export function requirementsOf(tags: readonly string[], scope: StandardScope): Requirement[] {
  return criteriaNames(tags, scope.standard).flatMap((name) => {
    const number = name.slice(name.lastIndexOf(' ') + 1);
    if (!name.startsWith(scope.prefix)) {
      return {
        title: name,
        id: `${scope.criteriaAt ?? `${scope.url}#`}${encodeURIComponent(number)}`,
        criterion: null,
      };
    }
    const criterion = scope.criteria.find((each) => each.number === name.slice(scope.prefix.length));
    // A rule can test criteria of a higher level, too.
    if (criterion === undefined) return [];
    const id = scope.criteriaAt === null ? criterion.url : scope.criteriaAt + number;
    return { title: titleOf(criterion, scope), id, criterion };
  });
}

/** Returns a criterion of WCAG in the words of a standard. */
export function titleOf({ number, name }: Criterion, { prefix }: StandardScope): string {
  return `${prefix}${number} ${name}`;
}

/** Returns sentences about the standard that a report was measured against, and which of its rules have not run. */
export function measureNotes(report: VisibleReport): string[] {
  return [...measuredNote(report), ...untestedRulesNote(report)];
}

/** Empty without a standard, or without a check that it applies to. */
export function measuredNote(report: VisibleReport): string[] {
  const measured = measuredByIn(report);
  return measured === '' ? [] : [`${measured}.`];
}

/** Empty if all rules of the standard have run. */
export function untestedRulesNote(report: VisibleReport): string[] {
  const untested = untestedRulesOf(report);
  return untested.length === 0 ? [] : [`Rules of the standard that have not run: ${untested.join(', ')}.`];
}
