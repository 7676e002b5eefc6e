import type { RawCheck } from '../../domain/check.ts';

interface Rule {
  readonly nodes: readonly unknown[];
}
interface FullResults {
  readonly violations: readonly Rule[];
  readonly incomplete: readonly Rule[];
  readonly passes: readonly Rule[];
  readonly inapplicable: readonly Rule[];
}

/**
 * All that axe gives, as it is. Of results that are too large every rule stays, with the first of its elements: those of
 * violations go last, those of passes first.
 *
 * Runs in the page, before anything large leaves it, and so stands alone.
 */
export function rawA11yCheck<Results extends FullResults>(results: Results, maxCharacters: number): RawCheck {
  const withoutNodes = (rules: readonly Rule[]): Rule[] => rules.map((rule) => ({ ...rule, nodes: [] }));
  const { violations, incomplete, passes, inapplicable } = results;
  const bare = {
    ...results,
    violations: withoutNodes(violations),
    incomplete: withoutNodes(incomplete),
    passes: withoutNodes(passes),
    inapplicable: withoutNodes(inapplicable),
  };
  let room = maxCharacters - JSON.stringify(bare).length;
  let omitted = 0;
  const withFirstNodes = (rules: readonly Rule[]): Rule[] =>
    rules.map((rule) => {
      const nodes = rule.nodes.filter((node) => {
        room -= JSON.stringify(node).length + 1;
        return room >= 0;
      });
      omitted += rule.nodes.length - nodes.length;
      return { ...rule, nodes };
    });
  // The keys stay in axe's order; what comes first here is kept longest.
  const kept = { ...results, violations: withFirstNodes(violations), incomplete: withFirstNodes(incomplete) };
  const full = { ...kept, passes: withFirstNodes(passes), inapplicable: withFirstNodes(inapplicable) };
  return { json: JSON.stringify(full), omitted };
}
