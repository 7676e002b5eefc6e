import type { CheckKind } from '../domain/check.ts';
import { flag, REPORT_COLUMNS, type ReportAttribute, type ReportAttributes } from '../domain/report-attributes.ts';
import type { EngineDescription } from './engine-description.ts';
import { ENGINES } from './registry.ts';

/** The attributes of a report that its check engines add to `REPORT_COLUMNS`. */

/** Which kinds of checks a report has: rows of `report_checks`. */
export const PERFORMED_CHECKS = ofEachEngine('perform', performed);

/** Which kinds of checks keep the output of their checker: `store_raw` of `report_checks`. Reports do not show it. */
export const STORED_RAW_CHECKS = ofEachEngine('store_raw', storedRaw);

export const REPORT_ATTRIBUTES: ReportAttributes = { ...REPORT_COLUMNS, ...PERFORMED_CHECKS, ...STORED_RAW_CHECKS };

/** The checks of a report that does not say which it wants. */
export const DEFAULT_CHECKS: readonly CheckKind[] = ENGINES.filter(({ isDefault }) => isDefault).map(
  ({ kind }) => kind,
);

/**
 * The attributes `perform_…_checks` or `store_raw_…_checks` as answers show them. Where an engine that the contract does not
 * have is off, nothing is said of it.
 * @param kinds those that are on
 */
export function shownKinds(verb: 'perform' | 'store_raw', kinds: readonly CheckKind[]): Record<string, boolean> {
  return Object.fromEntries(shownEngines(kinds).map(({ kind }) => [`${verb}_${kind}_checks`, kinds.includes(kind)]));
}

/** The engines that answers tell of where these kinds of checks are on. */
export function shownEngines(kinds: readonly CheckKind[]): readonly EngineDescription[] {
  return ENGINES.filter(({ kind, isAdditive }) => !isAdditive || kinds.includes(kind));
}

function ofEachEngine<Value>(verb: string, make: (engine: EngineDescription) => Value): Record<string, Value> {
  return Object.fromEntries(ENGINES.map((engine) => [`${verb}_${engine.kind}_checks`, make(engine)]));
}

function performed({ about, isDefault, isPro, isAdditive, option }: EngineDescription): ReportAttribute {
  return flag({
    default: isDefault,
    about: `${about} At least one kind of check must be on.`,
    ...(isPro && { isPro }),
    ...(isAdditive && { isAdditive }),
    option: [`--${isDefault ? 'no-' : ''}${option.name}`, option.help],
  });
}

function storedRaw({ words, isAdditive }: EngineDescription): ReportAttribute {
  return flag({
    default: false,
    about: `Whether the ${words} checker's own output is kept for each page, for a credit each.`,
    isPro: true,
    ...(isAdditive && { isAdditive }),
  });
}
