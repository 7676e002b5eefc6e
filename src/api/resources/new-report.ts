import Type from 'typebox';
import type { Viewer } from '../../accounts/access.ts';
import { PLAN_LIMITED, withinPlan } from '../../accounts/plans.ts';
import { DEFAULT_CHECKS } from '../../checks/check-attributes.ts';
import { CHECK_KINDS, ENGINES } from '../../checks/registry.ts';
import type { CheckKind } from '../../domain/check.ts';
import { REPORT_COLUMNS } from '../../domain/report-attributes.ts';
import { asDefinition, DEFAULT_DEFINITION, type ReportDefinition } from '../../domain/report-definition.ts';
import { NO_ACCESS } from '../../domain/site-access.ts';
import type { NewReportInput } from '../../reports/create-report.ts';
import { type Attributes, attributeProblems } from '../jsonapi/attributes.ts';
import { attributeProblem, type Problem, RequestError } from '../jsonapi/errors.ts';
import { requestAttributes } from './definition-attributes.ts';
import { NOTATIONS } from './notations.ts';
import { readSiteAccess } from './site-access-attributes.ts';

/** The attributes of POST /reports. */
export const NEW_REPORT_ATTRIBUTES = Type.Object(requestAttributes(), { additionalProperties: false });

/** The defaults of a new report. */
export const NEW_REPORT: ReportDefinition = { ...DEFAULT_DEFINITION, checks: DEFAULT_CHECKS };

/**
 * Parses the attributes of a new report.
 * @throws RequestError invalid, with every problem
 */
export function parseNewReport(attributes: Attributes, viewer: Pick<Viewer, 'accountId' | 'limits'>): NewReportInput {
  const problems = attributeProblems(NEW_REPORT_ATTRIBUTES, attributes);
  const definition = readDefinition(attributes, problems, viewer, NEW_REPORT);
  const siteAccess = readSiteAccess(attributes, problems, () => NO_ACCESS) ?? NO_ACCESS;
  if (problems.size > 0) throw new RequestError('invalid', [...problems.values()]);
  const { accountId, limits } = viewer;
  return { accountId, ...definition, siteAccess, waitingReportsMax: limits.waiting_reports };
}

/**
 * Reads the definition of a report from the attributes of a request that have no problem yet.
 * @param problems receives problems that the schema cannot find; the result is valid only if there are none
 * @param defaults the values of attributes that are not given
 */
export function readDefinition(
  attributes: Attributes,
  problems: Map<string, Problem>,
  { limits }: Pick<Viewer, 'limits'>,
  defaults: ReportDefinition,
): ReportDefinition {
  addLimitProblems(problems, attributes, limits);
  // Defaults must not exceed the plan's limits either.
  const columns: Record<string, unknown> = withinPlan(defaults, limits);
  for (const [name, { notation }] of Object.entries(REPORT_COLUMNS)) {
    if (!Object.hasOwn(attributes, name) || problems.has(name)) continue;
    const given = attributes[name];
    const { value, problem, remedy } =
      notation === undefined ? { value: given, problem: null } : NOTATIONS[notation].read(given);
    if (problem === null) columns[name] = value;
    else problems.set(name, attributeProblem(name, problem, remedy));
  }
  const kindsOf = (verb: 'perform' | 'store_raw', current: readonly CheckKind[]): CheckKind[] =>
    CHECK_KINDS.filter((kind) => {
      const given = attributes[`${verb}_${kind}_checks`];
      return typeof given === 'boolean' ? given : current.includes(kind);
    });
  const checks = kindsOf('perform', defaults.checks);
  if (checks.length === 0) addNoChecksProblem(problems, attributes);
  return asDefinition({ ...columns, checks, store_raw_checks: kindsOf('store_raw', defaults.store_raw_checks) });
}

/** Checks numbers against the plan's limits, which the schema does not know. */
function addLimitProblems(problems: Map<string, Problem>, attributes: Attributes, limits: Viewer['limits']): void {
  for (const name of PLAN_LIMITED) {
    const given = attributes[name];
    const isInvalid = problems.has(name) || (typeof given === 'number' && given > limits[name]);
    if (isInvalid) problems.set(name, attributeProblem(name, `must be a whole number from 1 to ${limits[name]}`));
  }
}

function addNoChecksProblem(problems: Map<string, Problem>, attributes: Attributes): void {
  const off = CHECK_KINDS.find((kind) => attributes[`perform_${kind}_checks`] === false) ?? CHECK_KINDS[0];
  const name = `perform_${off}_checks`;
  const others = ENGINES.filter(({ kind }) => kind !== off).map(({ words }) => words);
  const title = `cannot be false unless ${others.join(' or ')} checks are on: at least one check must be enabled`;
  if (!problems.has(name)) problems.set(name, attributeProblem(name, title));
}
