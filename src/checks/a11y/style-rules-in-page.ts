import type {
  describeSettersInPage,
  ElementColors,
  FoundStyleRules,
  StyleRuleLimits,
} from './describe-setters-in-page.ts';
import type { PlacedRule, Rule, Setter, Sheet, StyledElement, StyleRuleOfPage } from './page-styles.ts';

/** Functions that are serialized and run in the page, so they refer to nothing outside of themselves. */

declare const document: {
  readonly documentElement: StyledElement;
  readonly styleSheets: ArrayLike<Sheet>;
  adoptedStyleSheets: Sheet[];
};
declare const CSSStyleRule: { [Symbol.hasInstance](rule: unknown): rule is StyleRuleOfPage };
declare const CSSStyleSheet: new () => Sheet & { replaceSync(text: string): void };
declare function getComputedStyle(element: StyledElement): {
  readonly color: string;
  readonly backgroundColor: string;
  readonly opacity: string;
  getPropertyValue(name: string): string;
};

/** A color of an element, and what sets it, if that is known. */
interface Wanted {
  readonly element: StyledElement;
  readonly of: 'color' | 'backgroundColor';
  readonly before: string;
  setter: Setter | null;
  /** Whether the value is used as `rgb(var(--gray))`. */
  hasChannels: boolean;
}

/**
 * Returns the style rules of the page, in the order of their style sheets; none if there are too many or time runs out.
 * @param end when to stop, on the clock of `performance.now`
 */
export function collectRulesInPage(end: number, rulesMax: number): readonly PlacedRule[] {
  const found: PlacedRule[] = [];
  const open: { readonly rules: ArrayLike<Rule>; next: number; readonly url: string | null; readonly sheet: Sheet }[] =
    [];
  const enter = (read: () => ArrayLike<Rule> | undefined, url: string | null, sheet: Sheet): void => {
    try {
      const rules = read();
      if (rules !== undefined) open.push({ rules, next: 0, url, sheet });
    } catch {
      // A style sheet of another origin.
    }
  };
  /** A style sheet in a `data:` URL belongs to what contains it. */
  const urlOf = (href: string | null | undefined, outer: string | null): string | null =>
    href?.startsWith('data:') === false ? href : outer;
  for (const sheet of [...Array.from(document.styleSheets), ...document.adoptedStyleSheets].reverse()) {
    enter(() => sheet.cssRules, urlOf(sheet.href, null), sheet);
  }
  for (let seen = 0; open.length > 0; seen += 1) {
    if (seen > rulesMax || performance.now() > end) return [];
    const group = open.at(-1);
    const rule = group?.rules[group.next];
    if (group === undefined || rule === undefined) {
      open.pop();
      continue;
    }
    group.next += 1;
    const { styleSheet } = rule;
    const url = urlOf(styleSheet?.href, group.url);
    // Selectors are read later: the browser serializes each one, and few are needed.
    if (rule instanceof CSSStyleRule) found.push({ rule, style: rule.style, url, sheet: group.sheet });
    enter(() => rule.cssRules ?? styleSheet?.cssRules, url, styleSheet ?? group.sheet);
  }
  return found;
}

/**
 * Returns which declaration sets each color. Gives each declaration its own color, and reads which of them each element has: so
 * the browser itself applies the cascade. Then restores the declarations.
 */
export function probeInPage(
  setters: readonly Setter[],
  wanted: readonly Wanted[],
  end: number,
): readonly (Setter | null)[] {
  const undo: (() => void)[] = [];
  for (const [index, { placed, property, value, separator }] of setters.entries()) {
    const { style } = placed;
    const channels = [index >> 16, (index >> 8) & 255, index & 255];
    // No page has these colors: they are half transparent.
    const probe = separator === null ? `rgba(${channels.join(', ')}, 0.5)` : channels.join(separator);
    const priority = style.getPropertyPriority(property);
    if (property === 'background') {
      const text = style.cssText;
      undo.push(() => {
        style.cssText = text;
      });
      style.setProperty('background-color', probe, priority);
    } else {
      undo.push(() => style.setProperty(property, value, priority));
      style.setProperty(property, probe, priority);
    }
  }
  const found = wanted.map(({ element, of, before }) => {
    if (performance.now() > end) return null;
    const color = getComputedStyle(element)[of];
    // A color that is mixed with `transparent` is `color(srgb 0 0.1 0.2 / 0.5)`.
    const [, mixed, ...channels] =
      /^(?:rgba?|(color))\((?:srgb )?([\d.e-]+),? ([\d.e-]+),? ([\d.e-]+)/.exec(color) ?? [];
    if (color === before || channels.length === 0) return null;
    const index = channels.reduce(
      (sum, each) => sum * 256 + Math.round(Number(each) * (mixed === undefined ? 1 : 255)),
      0,
    );
    return setters[index] ?? null;
  });
  for (const restore of undo.reverse()) restore();
  return found;
}

/**
 * Finds the declarations of the colors, and follows `var()` to the custom properties that have them. If a custom property is not
 * defined in a style sheet, the result is the declaration that refers to it.
 */
export function traceColorsInPage(
  probe: typeof probeInPage,
  rules: readonly PlacedRule[],
  wanted: readonly Wanted[],
  variablesMax: number,
  end: number,
): void {
  const declared = (names: readonly string[], separatorOf: (name: string) => string | null): Setter[] =>
    rules.flatMap((placed) =>
      names.flatMap((property) => {
        const value = placed.style.getPropertyValue(property);
        return value === '' ? [] : [{ placed, property, value, separator: separatorOf(property) }];
      }),
    );
  /** A style attribute belongs to one element, but the custom property that it refers to can be defined in a style sheet. */
  const valueInAttribute = ({ element, of }: Wanted): string | null => {
    const isText = of === 'color';
    for (let at: StyledElement | null = element; at !== null; at = isText ? at.parentElement : null) {
      if (performance.now() > end) return null;
      const value = at.style?.getPropertyValue(isText ? 'color' : 'background-color') ?? '';
      if (value !== '') return value;
    }
    return null;
  };
  const shorthands = declared(['background'], () => null).filter(
    ({ placed, value }) =>
      // The parts of a shorthand are unknown until its custom properties are known.
      value.includes('var(') && placed.style.getPropertyValue('background-color') === '',
  );
  // Keywords such as `inherit` take their color from elsewhere.
  const literals = declared(['color', 'background-color'], () => null).filter(
    ({ value }) => !/^(?:inherit|unset|revert|revert-layer|currentcolor)$/i.test(value),
  );
  const setters = [...literals, ...shorthands];
  for (const [index, setter] of probe(setters, wanted, end).entries()) {
    const of = wanted[index];
    if (of !== undefined && setter !== null && (setter.property === 'color') === (of.of === 'color'))
      of.setter = setter;
  }
  const inAttributes = new Map(wanted.map((of) => [of, of.setter === null ? valueInAttribute(of) : null]));
  const separators = new Map<string, string | null>();
  /** Returns what separates the channels of a custom property; null for other values. */
  const separatorIn = ({ element }: Wanted, name: string): string | null => {
    const value = getComputedStyle(element).getPropertyValue(name).trim();
    const channels = value.split(/[\s,]+/);
    if (channels.length !== 3 || !channels.every((channel) => /^[\d.]+%?$/.test(channel))) return null;
    const [one, other] = value.split(/[\d.%]+/).filter((between) => between !== '');
    if (one === undefined || one !== other || one.split(',').length > 2) return null;
    return one.includes(',') ? ', ' : ' ';
  };
  /** Returns the custom property that a color refers to, if its value is used unchanged. */
  const useIn = (of: Wanted): { readonly of: Wanted; readonly name: string } | null => {
    const value = (of.setter?.value ?? inAttributes.get(of) ?? '').trim();
    const [, wrapper = '', name] =
      /^(rgba?\(\s*|color-mix\(in srgb,\s*(?:transparent,\s*)?)?var\(\s*(--[^\s,)]+)/.exec(value) ?? [];
    // A color that is mixed with another one is not the color of the custom property.
    if (name === undefined || (wrapper.startsWith('color-mix') && !value.includes('transparent'))) return null;
    of.hasChannels ||= wrapper.startsWith('rgb');
    const separator = separators.has(name) ? (separators.get(name) ?? null) : separatorIn(of, name);
    separators.set(name, separator);
    return (separator !== null) === of.hasChannels ? { of, name } : null;
  };
  for (let round = 0; round < variablesMax && performance.now() < end; round += 1) {
    const uses = wanted.map(useIn).filter((use) => use !== null);
    const names = [...new Set(uses.map(({ name }) => name))];
    const definitions = declared(names, (name) => separators.get(name) ?? null);
    if (definitions.length === 0) break;
    const colors = uses.map(({ of }) => of);
    let isFound = false;
    for (const [index, definition] of probe(definitions, colors, end).entries()) {
      const use = uses[index];
      if (use === undefined || definition === null || definition.property !== use.name) continue;
      use.of.setter = definition;
      isFound = true;
    }
    if (!isFound) break;
  }
}

/** The functions that `findStyleRulesInPage` uses. */
interface InPage {
  readonly collect: typeof collectRulesInPage;
  readonly trace: typeof traceColorsInPage;
  readonly probe: typeof probeInPage;
  readonly describe: typeof describeSettersInPage;
}

/**
 * Returns the declarations that set the colors of text and of its background. Declarations in style sheets that the page may not
 * read are not found, nor are any in a page with too many rules.
 * @returns null if that takes too long
 * @param colored elements with their positions in `AxeFindings.elements`, and the elements that paint their backgrounds
 */
export function findStyleRulesInPage(
  { collect, trace, probe, describe }: InPage,
  colored: readonly (readonly [position: number, element: StyledElement, painter: StyledElement | null])[],
  limits: StyleRuleLimits,
  ownersName: string,
): FoundStyleRules | null {
  const end = performance.now() + limits.timeMs;
  const rules = collect(end, limits.rulesMax);
  const still = new CSSStyleSheet();
  still.replaceSync('*, ::before, ::after { transition: none !important; animation: none !important; }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
  const opacities = new Map<StyledElement, number>();
  const opacityOf = (element: StyledElement): number => {
    const path: StyledElement[] = [];
    let above: StyledElement | null = element;
    for (; above !== null && !opacities.has(above); above = above.parentElement) path.push(above);
    let opacity = above === null ? 1 : (opacities.get(above) ?? 1);
    for (const each of path.reverse()) {
      opacity *= performance.now() > end ? 1 : Number(getComputedStyle(each).opacity);
      opacities.set(each, opacity);
    }
    return opacity;
  };
  const wanted = (element: StyledElement, of: Wanted['of']): Wanted => {
    return { element, of, before: getComputedStyle(element)[of], setter: null, hasChannels: false };
  };
  const targets = colored
    .filter(([position, element]) => position >= 0 && element.isConnected)
    .slice(0, limits.elementsMax)
    .map(([position, element, painter]) => ({
      position,
      opacity: opacityOf(element),
      text: wanted(element, 'color'),
      background: painter?.isConnected === true ? wanted(painter, 'backgroundColor') : null,
    }));
  const colors = targets.flatMap(({ text, background }) => (background === null ? [text] : [text, background]));
  trace(probe, rules, colors, limits.variablesMax, end);
  // Makes the browser compute the restored colors of all elements before transitions are possible again.
  getComputedStyle(document.documentElement).getPropertyValue('color');
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== still);
  // A partial result would differ from check to check.
  if (performance.now() > end) return null;
  const { rules: found, positionOf, sheets } = describe(rules, limits, ownersName, end);
  const of = targets.map(({ position, opacity, text, background }): ElementColors => {
    return [position, positionOf(text.setter), positionOf(background?.setter ?? null), text.before, opacity];
  });
  return { rules: found, of, sheets: sheets() };
}
