import type { Declarations, PlacedRule, Setter, Sheet } from './page-styles.ts';

/** The declaration that sets the color of text or of a background. */
export interface FoundStyleRule {
  /** Shortened. */
  readonly selector: string;
  /** The URL of its style sheet; null for a style sheet in the page, including one in a `data:` URL. */
  readonly url: string | null;
  /** `color`, `background-color`, `background`, or the custom property that has the color. */
  readonly property: string;
  /** As the browser serializes it, but shortened, and with colors as axe-core writes them. */
  readonly value: string;
}

/**
 * Where the browser can look for a rule: the `ordinal`th of `total` rules in a style sheet that have this selector, alone or in a
 * list.
 */
export interface RulePlace {
  /** The position of the style sheet in `FoundStyleRules.sheets`. */
  readonly sheet: number;
  readonly selector: string;
  readonly ordinal: number;
  readonly total: number;
}

/** What sets the colors of an element. */
export type ElementColors = readonly [
  /** The position of the element in `AxeFindings.elements`. */
  element: number,
  /** Positions in `rules`; -1 if the rule is not known. */
  text: number,
  background: number,
  /** The computed color of the text. */
  color: string,
  /** The combined opacity of the element and its ancestors, from 0 to 1. */
  opacity: number,
];

export interface FoundStyleRules {
  readonly rules: readonly (FoundStyleRule & { readonly place: RulePlace | null })[];
  readonly of: readonly ElementColors[];
  /** The URLs of style sheets; null for style elements, which are in the global variable `sheetOwnersName`. */
  readonly sheets: readonly (string | null)[];
}

export interface StyleRuleLimits {
  readonly elementsMax: number;
  readonly rulesMax: number;
  readonly selectorMaxCharacters: number;
  readonly valueMaxCharacters: number;
  readonly urlMaxCharacters: number;
  /** The total for all selectors, values and URLs. Elements whose rules would exceed it get no rules. */
  readonly totalMaxCharacters: number;
  /** The longest chain of custom properties that refer to each other. */
  readonly variablesMax: number;
  readonly timeMs: number;
}

/**
 * Describes each declaration, and where its rule is, once. This function is serialized and runs in the page, so it refers to
 * nothing outside of itself.
 */
export function describeSettersInPage(
  rules: readonly PlacedRule[],
  { selectorMaxCharacters, valueMaxCharacters, urlMaxCharacters, totalMaxCharacters }: StyleRuleLimits,
  ownersName: string,
  end: number,
) {
  /** Never splits a surrogate pair, half of which could not be stored. */
  const cut = (text: string, maxCharacters: number): string =>
    text.length <= maxCharacters ? text : text.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '');
  const hexIn = (value: string): string =>
    value.replace(/^rgb\((\d+), (\d+), (\d+)\)$/, (_, ...channels: string[]) => {
      const digits = channels.slice(0, 3).map((channel) => Number(channel).toString(16).padStart(2, '0'));
      return `#${digits.join('')}`;
    });
  const found: FoundStyleRules['rules'][number][] = [];
  const positions = new Map<Declarations, Map<string, number>>();
  const sheets: Sheet[] = [];
  let characters = 0;
  const sheetOf = (sheet: Sheet): number => (sheets.includes(sheet) ? sheets.indexOf(sheet) : sheets.push(sheet) - 1);
  const closers = new Map(Object.entries({ '"': '"', "'": "'", '(': ')', '[': ']' }));
  /** Returns the selectors of a list. Commas in quotes, parentheses and brackets do not separate them. */
  const partsOf = (selectors: string): string[] => {
    const parts = [''];
    const open: string[] = [];
    for (const token of selectors.match(/\\.|[^\\]/gs) ?? []) {
      const inner = open.at(-1);
      const closer = inner === '"' || inner === "'" ? undefined : closers.get(token);
      if (token === inner) open.pop();
      else if (closer !== undefined) open.push(closer);
      parts.push(token === ',' && open.length === 0 ? '' : `${parts.pop()}${token}`);
    }
    return parts.map((part) => part.trim());
  };
  /** Lists of selectors, with the browser's separator at both ends: most lists need not be split to look for a selector. */
  const separated = new Map<PlacedRule, string>();
  const separatedOf = (placed: PlacedRule): string =>
    separated.getOrInsertComputed(placed, () => `, ${placed.rule.selectorText},`);
  function placeOf(placed: PlacedRule): RulePlace | null {
    const { sheet, rule } = placed;
    if (rule.selectorText.length > totalMaxCharacters / 16 || performance.now() > end) return null;
    const [selector = ''] = partsOf(rule.selectorText);
    const wanted = `, ${selector},`;
    const alike = rules.filter((other) => {
      if (other.sheet !== sheet) return false;
      const list = separatedOf(other);
      return list === wanted || (list.includes(wanted) && partsOf(list.slice(2, -1)).includes(selector));
    });
    const ordinal = alike.indexOf(placed);
    return { sheet: sheetOf(sheet), selector, ordinal, total: alike.length };
  }
  /** Returns the position of a setter in the result; -1 if it exceeds the total. */
  function positionOf(setter: Setter | null): number {
    if (setter === null) return -1;
    const { placed, property, value } = setter;
    const known = positions.get(placed.style) ?? new Map<string, number>();
    positions.set(placed.style, known);
    const position = known.get(property);
    if (position !== undefined) return position;
    const place = placeOf(placed);
    const rule = {
      selector: cut(placed.rule.selectorText, selectorMaxCharacters),
      url: placed.url === null ? null : cut(placed.url, urlMaxCharacters),
      property: cut(property, selectorMaxCharacters),
      value: cut(hexIn(value.trim()), valueMaxCharacters),
      place,
    };
    characters += JSON.stringify(rule).length;
    const added = characters > totalMaxCharacters ? -1 : found.push(rule) - 1;
    known.set(property, added);
    return added;
  }
  return {
    positionOf,
    rules: found,
    sheets(): (string | null)[] {
      Reflect.set(
        globalThis,
        ownersName,
        sheets.map(({ ownerNode }) => ownerNode ?? null),
      );
      return sheets.map(({ href }) => (href === null ? null : cut(href, urlMaxCharacters)));
    },
  };
}
