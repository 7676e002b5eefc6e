import Type from 'typebox';
import type { Measure } from '../../../packages/client/standards.ts';
import { PLAN_LIMITED, type PlanLimits, withinPlan } from '../../accounts/plans.ts';
import { DEFAULT_CHECKS } from '../../checks/check-attributes.ts';
import { CHECK_KINDS, ENGINES } from '../../checks/registry.ts';
import type { CheckKind } from '../../domain/check.ts';
import { REPORT_COLUMNS } from '../../domain/report-attributes.ts';
import { asDefinition, DEFAULT_DEFINITION, type ReportDefinition } from '../../domain/report-definition.ts';
import { isNoPageAccess, NO_ACCESS, type SiteAccess } from '../../domain/site-access.ts';
import { attributeFaults } from '../../platform/attribute-faults.ts';
import { type Faults, fault, type Parsed } from '../../platform/fault.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { NOTATIONS } from './notations.ts';
import { requestAttributes } from './request-attributes.ts';
import { readSiteAccess } from './site-access-attributes.ts';

/** The attributes of POST /reports. */
export const NEW_REPORT_ATTRIBUTES = Type.Object(requestAttributes(), { additionalProperties: false });

/** The defaults of a new report. */
export const NEW_REPORT: ReportDefinition = { ...DEFAULT_DEFINITION, checks: DEFAULT_CHECKS };

/** What a report is measured against if it sets nothing else: everything counts. */
const EVERYTHING: Measure = { standard: null, best_practices: false };

/**
 * Parses the settings of a new report.
 * @param limits of the account's plan
 * @param measure of the account
 */
export function parseNewReport(
  attributes: JsonObject,
  limits: PlanLimits,
  measure = EVERYTHING,
): Parsed<ReportDefinition & { readonly siteAccess: SiteAccess; readonly takesLogin: boolean }> {
  const faults = attributeFaults(NEW_REPORT_ATTRIBUTES, attributes);
  const definition = readDefinition(attributes, faults, limits, { ...NEW_REPORT, ...measure });
  const siteAccess = readSiteAccess(attributes, faults, () => NO_ACCESS) ?? NO_ACCESS;
  const takesLogin = !Object.hasOwn(attributes, 'login') && isNoPageAccess(siteAccess);
  return faults.size > 0 ? { faults: [...faults.values()] } : { value: { ...definition, siteAccess, takesLogin } };
}

/**
 * Reads the definition of a report from attributes that have no fault yet.
 * @param faults receives faults that the schema cannot find; the result is valid only if there are none
 * @param defaults the values of attributes that are not given
 */
export function readDefinition(
  attributes: JsonObject,
  faults: Faults,
  limits: PlanLimits,
  defaults: ReportDefinition,
): ReportDefinition {
  addLimitFaults(faults, attributes, limits);
  // Defaults must not exceed the plan's limits either.
  const columns: Record<string, unknown> = withinPlan(defaults, limits);
  for (const [name, { notation }] of Object.entries(REPORT_COLUMNS)) {
    if (!Object.hasOwn(attributes, name) || faults.has(name)) continue;
    const given = attributes[name];
    const { value, problem, remedy } =
      notation === undefined ? { value: given, problem: null } : NOTATIONS[notation].read(given);
    if (problem === null) columns[name] = value;
    else faults.set(name, fault(name, problem, remedy));
  }
  const kindsOf = (verb: 'perform' | 'store_raw', current: readonly CheckKind[]): CheckKind[] =>
    CHECK_KINDS.filter((kind) => {
      const given = attributes[`${verb}_${kind}_checks`];
      return typeof given === 'boolean' ? given : current.includes(kind);
    });
  const checks = kindsOf('perform', defaults.checks);
  if (checks.length === 0) addNoChecksFault(faults, attributes);
  return asDefinition({ ...columns, checks, store_raw_checks: kindsOf('store_raw', defaults.store_raw_checks) });
}

/** Checks numbers against the plan's limits, which the schema does not know. */
function addLimitFaults(faults: Faults, attributes: JsonObject, limits: PlanLimits): void {
  for (const name of PLAN_LIMITED) {
    const given = attributes[name];
    const isInvalid = faults.has(name) || (typeof given === 'number' && given > limits[name]);
    if (isInvalid) faults.set(name, fault(name, `must be a whole number from 1 to ${limits[name]}`));
  }
}

function addNoChecksFault(faults: Faults, attributes: JsonObject): void {
  const off = CHECK_KINDS.find((kind) => attributes[`perform_${kind}_checks`] === false) ?? CHECK_KINDS[0];
  const name = `perform_${off}_checks`;
  const others = ENGINES.filter(({ kind }) => kind !== off).map(({ words }) => words);
  const message = `cannot be false unless ${others.join(' or ')} checks are on: at least one check must be enabled`;
  if (!faults.has(name)) faults.set(name, fault(name, message));
}
