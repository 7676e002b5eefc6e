import { settingLabel } from 'sitewarden-client/setting-changes';
import { plural } from './formats.ts';
import { MARK_NAMES, type MarkName } from './mark-names.ts';

/** Reasons other than the site why a run differs from the run before it. */

/** A run of a site, as in the API. */
interface MarkedRun {
  readonly deployed?: boolean;
  readonly changed_settings?: readonly string[];
  readonly changed_engines?: readonly { readonly name: string; readonly before: string; readonly now: string }[];
  readonly changed_mutings?: { readonly added: number; readonly removed: number };
  readonly changed_decisions?: number;
}

/** The marks of runs, with the sign for charts, what it means, and the noun for one and many. */
export const MARKS = {
  deployed: { sign: 'D', title: 'Deployed', nouns: ['deployment', 'deployments'] },
  settings: { sign: 'S', title: 'Settings changed', nouns: ['settings change', 'settings changes'] },
  engines: { sign: 'V', title: 'Engine versions changed', nouns: ['engine update', 'engine updates'] },
  mutings: { sign: 'M', title: 'Mutings changed', nouns: ['muting change', 'muting changes'] },
  decisions: { sign: 'R', title: 'Issues reviewed', nouns: ['review', 'reviews'] },
} as const satisfies Readonly<Record<MarkName, unknown>>;

interface Mark {
  readonly name: MarkName;
  /** A few words: `axe-core 4.13 → 4.14`. */
  readonly words: string;
}

/** Returns the marks of a run. */
export function marksOf(run: MarkedRun): Mark[] {
  const { deployed = false, changed_settings: settings = [], changed_engines: engines = [] } = run;
  const { changed_decisions: decisions = 0 } = run;
  const { added, removed } = run.changed_mutings ?? { added: 0, removed: 0 };
  const words: Readonly<Record<MarkName, string>> = {
    deployed: deployed ? 'Deployed' : '',
    settings: settings.length === 0 ? '' : `Settings: ${settings.map(settingLabel).join(', ')}`,
    engines: engines.map(({ name, before, now }) => `${name} ${versionWords(before, now)}`).join(', '),
    mutings: mutingWords(added, removed),
    decisions: decisions === 0 ? '' : plural(decisions, 'decision'),
  };
  return MARK_NAMES.flatMap((name) => (words[name] === '' ? [] : { name, words: words[name] }));
}

/** Returns two versions up to the first number that differs: `4.13 → 4.14` for 4.13.2 and 4.14.0. */
function versionWords(before: string, now: string): string {
  const [former, current] = [before.split('.'), now.split('.')];
  const longer = former.length > current.length ? former : current;
  const length = longer.findIndex((_, index) => former[index] !== current[index]) + 1;
  return `${former.slice(0, length).join('.')} → ${current.slice(0, length).join('.')}`;
}

/** Returns `2 mutings added, 1 removed`; empty if none changed. */
function mutingWords(added: number, removed: number): string {
  if (added === 0) return removed === 0 ? '' : `${plural(removed, 'muting')} removed`;
  return `${plural(added, 'muting')} added${removed === 0 ? '' : `, ${removed} removed`}`;
}
