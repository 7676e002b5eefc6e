import type { Scope, Verdict } from './decisions.ts';

/** An item that people decide about, one after another. */
interface Cause {
  /** Identifies it in the report. */
  readonly key: string;
  /** Identifies its rule. */
  readonly rule: string;
  readonly howMany: number;
}

/** A decision that was made on the screen. */
interface Made {
  readonly key: string;
  readonly rule: string;
  readonly scope: Scope;
  readonly verdict: Verdict;
}

/** Returns the causes that are left to decide about, in their order. A cause is left until all its occurrences are decided. */
export function leftOf<Each extends Cause>(causes: readonly Each[], made: readonly Made[]): readonly Each[] {
  const rules = new Set(made.filter(({ scope }) => scope === 'rule').map(({ rule }) => rule));
  const whole = new Set(made.filter(({ scope }) => scope === 'cause').map(({ key }) => key));
  const single = made.filter(({ scope }) => scope === 'occurrence');
  return causes.filter(
    ({ key, rule, howMany }) =>
      !rules.has(rule) && !whole.has(key) && single.filter((each) => each.key === key).length < howMany,
  );
}

/**
 * Returns the next cause that is left in the order of all causes, or the previous one; after the last one, the first.
 * @param at the key of the current cause, which may not be left
 */
export function neighborOf<Each extends Cause>(
  causes: readonly Each[],
  left: readonly Each[],
  at: string | undefined,
  step: 1 | -1 = 1,
): Each | undefined {
  const from = causes.findIndex(({ key }) => key === at);
  if (from === -1) return left[0];
  const open = new Set(left);
  const others = [...causes.slice(from + 1), ...causes.slice(0, from)];
  const inOrder = step === 1 ? others : others.toReversed();
  return [...inOrder, ...causes.slice(from, from + 1)].find((each) => open.has(each));
}

/** Returns how often each verdict was given. */
export function verdictsIn(made: readonly Pick<Made, 'verdict'>[]): ReadonlyMap<Verdict, number> {
  const counts = new Map<Verdict, number>();
  for (const { verdict } of made) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  return counts;
}
