import type { StyleRule } from '../../../packages/client/occurrences.ts';
import type { Json } from '../../domain/check.ts';
import type { SourceTree } from '../../page-source/source-tree.ts';
import { colorEditOf } from './color-edit.ts';
import type { LocatedStyleRules } from './locate-style-rules.ts';

/**
 * Returns a function that describes the style rules that set the colors of an element, and the color edit that would give it
 * enough contrast, as far as they are known.
 * @param tree the page's source; null if it is not known
 */
export function createColorStyles(
  found: LocatedStyleRules | null,
  tree: SourceTree | null,
): (element: number, failureSummary: string) => { [name: string]: Json } {
  const rules = (found?.rules ?? []).map((rule) => (isIn(tree, rule) ? rule : { ...rule, ...NO_LINE }));
  const colorsOf = new Map(found?.of.map(([element, ...colors]) => [element, colors]));
  return (element, failureSummary) => {
    const [text = -1, background = -1, color = '', opacity = 1] = colorsOf.get(element) ?? [];
    const styles = { text: rules[text], background: rules[background] };
    const edit = color === '' ? null : colorEditOf(failureSummary, { color, opacity });
    return {
      ...(styles.text === undefined ? {} : { style_rule: { ...styles.text } }),
      ...(styles.background === undefined ? {} : { background_rule: { ...styles.background } }),
      ...(edit === null || styles[edit.of] === undefined ? {} : { color_edit: { ...edit } }),
    };
  };
}

const NO_LINE = { line: null, column: null };

/** Whether a style element's rule is where the browser says in the source: a script may have changed the page. */
function isIn(tree: SourceTree | null, { url, selector, line, column }: StyleRule): boolean {
  if (url !== null || line === null || column === null) return true;
  const start = /^\W?[\w-]*/.exec(selector)?.[0].toLowerCase() ?? '';
  const offset = tree?.lines.offsetOf({ line, column }) ?? 0;
  return tree?.text.slice(offset, offset + start.length).toLowerCase() === start;
}
