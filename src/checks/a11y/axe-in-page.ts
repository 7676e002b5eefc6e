import type { RawCheck } from '../../domain/check.ts';
import type { DomElement, ElementList } from './elements-in-page.ts';
import type { AxePosition, AxeTarget, Box } from './interpret-axe.ts';

/** Functions that are serialized and run in the page, so they refer to nothing outside of themselves. */

/** The browser's types that are used here: this file is compiled without the DOM library. */
interface PageElement extends DomElement {
  getRootNode(): { readonly host?: PageElement };
  getBoundingClientRect(): {
    readonly left: number;
    readonly top: number;
    readonly right: number;
    readonly bottom: number;
  };
}
interface PageReference {
  element?: PageElement | undefined;
}
interface PageCheck {
  readonly relatedNodes: readonly PageReference[];
}
interface PageNode extends PageReference {
  readonly any: readonly PageCheck[];
  readonly all: readonly PageCheck[];
  readonly none: readonly PageCheck[];
  readonly target: AxeTarget;
}
interface PageRule {
  readonly id: string;
  readonly nodes: readonly PageNode[];
}
interface PageResults extends Record<'violations' | 'incomplete' | 'passes' | 'inapplicable', readonly PageRule[]> {
  readonly toolOptions: Partial<Record<'elementRef' | 'pingWaitTime' | 'preload', unknown>>;
}
interface PageAxe {
  run(options: object): Promise<PageResults>;
}
declare const scrollX: number;
declare const scrollY: number;
declare const document: { querySelectorAll(selector: string): Iterable<PageElement> & ArrayLike<PageElement> };

interface PageOptions {
  /** Rules to run that are off by default. */
  readonly rules: readonly string[];
  readonly pingWaitTime: number;
  readonly maxCharacters: number;
  /** The global variable that receives the paths of the frames with issues. */
  readonly pathsName: string;
  /** The global variable that receives elements for `findStyleRulesInPage`. */
  readonly coloredName: string;
  /** The rules about colors that report these elements. */
  readonly colorRules: readonly string[];
}

/**
 * Returns axe's results as JSON, which is the fastest way out of a page; null when they are longer than `maxCharacters`. They
 * include the positions of the nodes in the page.
 * @param narrow removes findings that are known from other states of the page; null to keep all
 * @param listElements as in `elements-in-page.ts`, with its tools
 */
export async function runAxeInPage(
  axe: PageAxe,
  keepRaw: ((results: PageResults) => RawCheck) | null,
  narrow: ((results: PageResults) => void) | null,
  listElements: (all: Iterable<DomElement>) => ElementList,
  { rules, pingWaitTime, maxCharacters, pathsName, coloredName, colorRules }: PageOptions,
): Promise<string | null> {
  const wanted = keepRaw !== null ? {} : { resultTypes: ['violations', 'incomplete'] };
  const enabled = Object.fromEntries(rules.map((rule) => [rule, { enabled: true }]));
  // Results repeat the options. Without additional rules, leave out the option, so that the results are the same as by default.
  const beyondDefault = rules.length > 0 ? { rules: enabled } : {};
  // By default, axe parses all style sheets for a single rule, and requests style sheets of other origins again.
  const preload = rules.includes('css-orientation-lock') ? true : { assets: ['media'] };
  const results = await axe.run({ ...wanted, ...beyondDefault, elementRef: true, pingWaitTime, preload });
  narrow?.(results);
  const order = new Map<PageElement, number>();
  for (const element of document.querySelectorAll('*')) order.set(element, order.size);

  function elementOf(node: PageNode): PageElement | undefined {
    if (node.element !== undefined) return node.element;
    const outermost = node.target[0];
    const selector = typeof outermost === 'string' ? outermost : outermost?.[0];
    return selector === undefined ? undefined : document.querySelectorAll(selector)[0];
  }
  /** The topmost element that paints the background of the text; null for the page's own background. */
  function painterOf(rule: string, { any }: PageNode): PageElement | null {
    const related = rule === 'link-in-text-block' ? [] : any.flatMap((check) => check.relatedNodes);
    return related[0]?.element ?? null;
  }
  function positionOf(node: PageNode): AxePosition {
    const found = elementOf(node);
    let element = found;
    while (element !== undefined && !order.has(element)) element = element.getRootNode().host;
    const isInDocument = node.target.length === 1 && typeof node.target[0] === 'string' && element === found;
    return {
      order: element === undefined ? 0 : (order.get(element) ?? 0),
      element: element !== undefined && isInDocument ? list.add(element) : -1,
      box: found !== undefined && node.target.length === 1 ? boxOf(found) : null,
    };
  }
  function boxOf(element: PageElement): Box | null {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const [x, y] = [Math.floor(left + scrollX), Math.floor(top + scrollY)];
    const box: Box = [x, y, Math.ceil(right + scrollX) - x, Math.ceil(bottom + scrollY) - y];
    return left < right && top < bottom && right + scrollX > 0 && bottom + scrollY > 0 ? box : null;
  }
  const list = listElements(order.keys());
  const positionsOf = (rules: readonly PageRule[]): AxePosition[][] => rules.map((rule) => rule.nodes.map(positionOf));
  const positions = { violations: positionsOf(results.violations), incomplete: positionsOf(results.incomplete) };
  const colored = results.violations.flatMap(({ id, nodes }, rule) =>
    colorRules.includes(id)
      ? nodes.map((node, at) => [positions.violations[rule]?.[at]?.element ?? -1, elementOf(node), painterOf(id, node)])
      : [],
  );
  Reflect.set(globalThis, coloredName, colored);
  // JSON omits undefined values: this removes elements, and the options that were added here.
  results.toolOptions.elementRef = undefined;
  results.toolOptions.pingWaitTime = undefined;
  results.toolOptions.preload = undefined;
  const all = [results.violations, results.incomplete, results.passes, results.inapplicable];
  for (const node of all.flat().flatMap((rule) => rule.nodes)) {
    node.element = undefined;
    const related = [node.any, node.all, node.none].flat().flatMap((check) => check.relatedNodes);
    for (const reference of related) reference.element = undefined;
  }
  const { violations, incomplete } = results;
  const inFrames = [violations, incomplete]
    .flat()
    .flatMap((rule) => rule.nodes.filter((node) => node.target.length > 1));
  const paths = new Map(inFrames.map(({ target }) => [JSON.stringify(target.slice(0, -1)), target.slice(0, -1)]));
  Reflect.set(globalThis, pathsName, [...paths.values()]);
  const answer = JSON.stringify({
    results: { violations, incomplete },
    positions,
    elements: list.elements,
    full: keepRaw?.(results) ?? null,
  });
  return answer.length > maxCharacters ? null : answer;
}

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
 * Returns axe's results unchanged, or shortened if they are too large: keeps all rules, and as many nodes as fit, first the nodes
 * of violations, then of `incomplete`, `passes` and `inapplicable`.
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
  let charactersLeft = maxCharacters - JSON.stringify(bare).length;
  let omitted = 0;
  const withFirstNodes = (rules: readonly Rule[]): Rule[] =>
    rules.map((rule) => {
      const nodes = rule.nodes.filter((node) => {
        charactersLeft -= JSON.stringify(node).length + 1;
        return charactersLeft >= 0;
      });
      omitted += rule.nodes.length - nodes.length;
      return { ...rule, nodes };
    });
  // The order of the calls decides which nodes are kept. The order of the keys remains axe's.
  const kept = { ...results, violations: withFirstNodes(violations), incomplete: withFirstNodes(incomplete) };
  const full = { ...kept, passes: withFirstNodes(passes), inapplicable: withFirstNodes(inapplicable) };
  return { json: JSON.stringify(full), omitted };
}
