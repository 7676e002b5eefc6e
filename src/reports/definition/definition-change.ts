import type { Measure } from '../../../packages/client/standards.ts';
import type { PlanLimits } from '../../accounts/plans.ts';
import type { ReportDefinition } from '../../domain/report-definition.ts';
import { NO_ACCESS, ownOrigins, type SiteAccess } from '../../domain/site-access.ts';
import { type Faults, fault } from '../../platform/fault.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { readDefinition } from './new-report.ts';
import { readSiteAccess } from './site-access-attributes.ts';

/** A stored definition of reports that is to be changed. */
export interface StoredDefinition {
  readonly definition: ReportDefinition;
  readonly signsIn: boolean;
  /** @throws AppError conflict if the stored credentials cannot be decrypted */
  siteAccess(): SiteAccess;
}

/** Returns defaults with the account's `standard` and `best_practices`. */
export function measuredBy<Defaults extends StoredDefinition>(
  { measure }: { readonly measure: Measure },
  defaults: Defaults,
): Defaults {
  return { ...defaults, definition: { ...defaults.definition, ...measure } };
}

/** Returns which of `standard` and `best_practices` a request does not set, so that the site decides. */
export function unsetMeasure(attributes: JsonObject): (keyof Measure)[] {
  return (['standard', 'best_practices'] as const).filter((name) => !Object.hasOwn(attributes, name));
}

const MOVED =
  'has a different origin, to which the stored credentials are not sent: set basic_auth, headers, cookies or login again, or set them to null';

/**
 * Reads a change to the definition of a schedule or a site from attributes that have no fault yet.
 * @param faults receives faults that the schema cannot find; the result is valid only if there are none
 * @returns `siteAccess` is null if the stored credentials are kept
 */
export function readDefinitionChange(
  attributes: JsonObject,
  faults: Faults,
  limits: PlanLimits,
  current: StoredDefinition,
): { readonly definition: ReportDefinition; readonly siteAccess: SiteAccess | null } {
  const definition = readDefinition(attributes, faults, limits, current.definition);
  const isMoved = current.signsIn && !isSameOrigin(definition, current.definition);
  // Credentials for one site must not be sent to another, even by someone who may change the schedule but not see them.
  const siteAccess = readSiteAccess(attributes, faults, isMoved ? () => NO_ACCESS : current.siteAccess);
  if (isMoved && siteAccess === null && !faults.has('starting_url')) {
    faults.set('starting_url', fault('starting_url', MOVED));
  }
  return { definition, siteAccess };
}

/** Whether the credentials of the current starting URL may be sent to the origin of the new one. */
function isSameOrigin(definition: ReportDefinition, { starting_url: current }: ReportDefinition): boolean {
  const origin = URL.parse(definition.starting_url)?.origin;
  return origin === undefined || ownOrigins(current, current).has(origin);
}
