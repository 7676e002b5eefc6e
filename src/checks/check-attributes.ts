import { plural } from '../domain/amounts.ts';
import type { CheckKind } from '../domain/check.ts';
import { flag, REPORT_COLUMNS, type ReportAttribute, type ReportAttributes } from '../domain/report-attributes.ts';
import type { EngineDescription } from './engine-description.ts';
import { ENGINES } from './registry.ts';

/** The attributes of a report that its check engines add to `REPORT_COLUMNS`. */

/** The price of a check of one page, and of storing its raw output. */
export const CREDITS_PER_CHECK = 1;

/** Whether a report has each kind of check: rows of `report_checks`. */
export const PERFORMED_CHECKS = ofEachEngine('perform', performed);

/** Whether each kind of check stores its raw output: `store_raw` of `report_checks`. Reports do not show these attributes. */
export const STORED_RAW_CHECKS = ofEachEngine('store_raw', storedRaw);

export const REPORT_ATTRIBUTES: ReportAttributes = { ...REPORT_COLUMNS, ...PERFORMED_CHECKS, ...STORED_RAW_CHECKS };

/** The checks of a report that does not set any. */
export const DEFAULT_CHECKS: readonly CheckKind[] = ENGINES.filter(({ isDefault }) => isDefault).map(
  ({ kind }) => kind,
);

/**
 * Returns the attributes `perform_…_checks` or `store_raw_…_checks` as the API shows them. Omits additive engines that are off.
 * @param kinds the kinds that are on
 */
export function shownKinds(verb: 'perform' | 'store_raw', kinds: readonly CheckKind[]): Record<string, boolean> {
  return Object.fromEntries(shownEngines(kinds).map(({ kind }) => [`${verb}_${kind}_checks`, kinds.includes(kind)]));
}

/** Returns the engines that the API shows when these kinds of checks are on. */
export function shownEngines(kinds: readonly CheckKind[]): readonly EngineDescription[] {
  return ENGINES.filter(({ kind, isAdditive }) => !isAdditive || kinds.includes(kind));
}

function ofEachEngine<Value>(verb: string, make: (engine: EngineDescription) => Value): Record<string, Value> {
  return Object.fromEntries(ENGINES.map((engine) => [`${verb}_${engine.kind}_checks`, make(engine)]));
}

function performed({ title, about, isDefault, isPro, isAdditive, option }: EngineDescription): ReportAttribute {
  return flag({
    label: title,
    default: isDefault,
    isOfSite: true,
    about: `${about} At least one type of check must be on.`,
    creditsPerPage: CREDITS_PER_CHECK,
    ...(isPro && { isPro }),
    ...(isAdditive && { isAdditive }),
    option: [`--${isDefault ? 'no-' : ''}${option.name}`, option.help],
  });
}

function storedRaw({ words, isAdditive }: EngineDescription): ReportAttribute {
  return flag({
    label: `Raw results of the ${words} checks`,
    default: false,
    isOfSite: false,
    about: `Whether to store the raw output of the ${words} checks, for ${plural(CREDITS_PER_CHECK, 'credit')} per page.`,
    creditsPerPage: CREDITS_PER_CHECK,
    isPro: true,
    ...(isAdditive && { isAdditive }),
  });
}
