import { CHECK_KINDS, CHECKS, REPORT_ATTRIBUTES } from './report-attributes.ts';
import { measureWords, type Standard } from './standards.ts';

/** A setting that differs between two reports, as comparisons list it. */
export interface SettingChange {
  readonly name: string;
  readonly before: SettingValue;
  readonly now: SettingValue;
}
type SettingValue = string | number | boolean | null | readonly string[];

/** The settings that comparisons show under another name than requests. */
const LABELS: Readonly<Record<string, string>> = {
  checks: 'Checks',
  device: REPORT_ATTRIBUTES.device_id.label,
  signs_in: 'Signs in',
};

/** Returns the label of a setting by its name in comparisons: `Maximum pages`. */
export function settingLabel(name: string): string {
  return LABELS[name] ?? Object.entries(REPORT_ATTRIBUTES).find(([known]) => known === name)?.[1].label ?? name;
}

/** Describes the change of a setting: `Maximum pages: 10 → 500`. */
export function settingChangeWords({ name, before, now }: SettingChange): string {
  const isSame = valueWords(name, before) === valueWords(name, now);
  if (name === 'journeys' && isSame) return `${settingLabel(name)}: other steps`;
  return `${settingLabel(name)}: ${valueWords(name, before)} → ${valueWords(name, now)}`;
}

function valueWords(name: string, value: SettingValue): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number') return value.toLocaleString('en');
  if (typeof value === 'string')
    return name === 'standard' ? measureWords({ standard: value as Standard, best_practices: false }) : value;
  if (value === null) return name === 'device' ? 'default' : 'none';
  if (value.length === 0) return 'none';
  if (name !== 'checks') return value.join(', ');
  return CHECK_KINDS.filter((kind) => value.includes(kind))
    .map((kind) => CHECKS[kind].title)
    .join(', ');
}
