import type { TObject, TSchema } from 'typebox';
import type { Viewer } from '../../accounts/access.ts';
import { hasPro } from '../../accounts/plans.ts';
import { engineOf } from '../../checks/registry.ts';
import type { CheckKind } from '../../domain/check.ts';
import { AppError } from '../../platform/errors.ts';
import type { Attributes } from '../jsonapi/attributes.ts';
import { type Problem, RequestError } from '../jsonapi/errors.ts';

/**
 * Pro features are declared where they are described, and enforced here: an endpoint says `pro: true`, the schema of an
 * attribute or of a query parameter takes `PRO` of `domain/schemas.ts` among its options.
 */

type ByKind<Check> = Readonly<Record<CheckKind, Check>>;

const TITLE = 'requires a Pro or Enterprise plan';

/** @throws AppError pro_required when the viewer's plan has no Pro features */
export function requirePro(viewer: Viewer): void {
  if (!hasPro(viewer.plan)) throw new AppError('pro_required', `This endpoint ${TITLE}.`);
}

/**
 * Refuses values that ask for a Pro feature, all of them at once.
 * @param values by name, as sent; names that are not in the schema are ignored
 * @param problem says what is wrong with the value of that name
 * @throws RequestError pro_required
 */
export function refuseProValues(
  viewer: Viewer,
  schema: TObject,
  values: Attributes,
  problem: (name: string, title: string) => Problem,
): void {
  if (hasPro(viewer.plan)) return;
  const problems = Object.entries(schema.properties)
    .filter(([name, property]) => Object.hasOwn(values, name) && asksForPro(property, values[name]))
    .map(([name]) => problem(name, TITLE));
  if (problems.length > 0) throw new RequestError('pro_required', problems);
}

/** Relationships to Pro resources, which are absent if the viewer's plan has no Pro features. */
export function proRelated<Related extends object>(viewer: Pick<Viewer, 'plan'>, related: Related): Partial<Related> {
  return hasPro(viewer.plan) ? related : {};
}

/** Whether a viewer gets to see a kind of check: the plan of who asks decides, whoever owns the report. */
export function seesChecks(viewer: Pick<Viewer, 'plan'>, kind: CheckKind): boolean {
  return hasPro(viewer.plan) || !engineOf(kind).isPro;
}

/** The checks that a viewer gets to see. The others are shown as if they were not enabled. */
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
