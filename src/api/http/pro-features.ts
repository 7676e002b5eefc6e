import type { TObject, TSchema } from 'typebox';
import { hasPro } from '../../../packages/client/report-defaults.ts';
import type { Viewer } from '../../accounts/access.ts';
import { CHECK_KINDS, engineOf } from '../../checks/registry.ts';
import type { CheckKind } from '../../domain/check.ts';
import { AppError } from '../../platform/errors.ts';
import type { Attributes } from '../jsonapi/attributes.ts';
import { type Problem, RequestError } from '../jsonapi/errors.ts';

/**
 * Enforces Pro features, which are declared where they are described: with `pro: true` in an endpoint, and with `PRO` of
 * `domain/schemas.ts` in the schema of an attribute or query parameter.
 */

type ByKind<Check> = Readonly<Record<CheckKind, Check>>;

const TITLE = 'requires a Pro or Enterprise plan';

/** @throws AppError pro_required when the viewer's plan has no Pro features */
export function requirePro(viewer: Viewer): void {
  if (!hasPro(viewer)) throw new AppError('pro_required', `This endpoint ${TITLE}.`);
}

/**
 * Refuses values that request a Pro feature.
 * @param values by name, as sent; names that are not in the schema are ignored
 * @param problem describes the problem with the value of that name
 * @throws RequestError pro_required, with all such values
 */
export function refuseProValues(
  viewer: Viewer,
  schema: TObject,
  values: Attributes,
  problem: (name: string, title: string) => Problem,
): void {
  if (hasPro(viewer)) return;
  const problems = Object.entries(schema.properties)
    .filter(([name, property]) => Object.hasOwn(values, name) && asksForPro(property, values[name]))
    .map(([name]) => problem(name, TITLE));
  if (problems.length > 0) throw new RequestError('pro_required', problems);
}

/** Returns relationships to Pro resources, or none if the viewer's plan has no Pro features. */
export function proRelated<Related extends object>(viewer: Pick<Viewer, 'plan'>, related: Related): Partial<Related> {
  return hasPro(viewer) ? related : {};
}

/** Whether a viewer can see a kind of check. The viewer's plan decides, not the owner's. */
export function seesChecks(viewer: Pick<Viewer, 'plan'>, kind: CheckKind): boolean {
  return hasPro(viewer) || !engineOf(kind).isPro;
}

/** Returns the kinds of check that a viewer can see, in the order of the engines. */
export function kindsSeenBy(viewer: Pick<Viewer, 'plan'>): CheckKind[] {
  return CHECK_KINDS.filter((kind) => seesChecks(viewer, kind));
}

/** Returns the kinds of check that a viewer can see, in the form by which lists of sites filter. */
export function kindsFilter(viewer: Pick<Viewer, 'plan'>): {
  readonly kinds: readonly CheckKind[];
  readonly seesAllKinds: boolean;
} {
  const kinds = kindsSeenBy(viewer);
  return { kinds, seesAllKinds: kinds.length === CHECK_KINDS.length };
}

/** Returns the checks that a viewer can see. The others are shown as if they were not enabled. */
export function visibleChecks<Check>(viewer: Pick<Viewer, 'plan'>, checks: ByKind<Check>): ByKind<Check> {
  return Object.fromEntries(Object.entries(checks).filter(([kind]) => seesChecks(viewer, kind)));
}

/** Client libraries send every attribute they know, so defaults and blank values are not requests for a Pro feature. */
function asksForPro(property: TSchema, value: unknown): boolean {
  if (!('x-pro' in property)) return false;
  const given = typeof value === 'string' ? value.trim() : value;
  const isBlank = given === null || given === '' || (Array.isArray(given) && given.length === 0);
  return !isBlank && !('default' in property && property.default === given);
}
