/** Functions that are serialized and run in the page, so they refer to nothing outside of themselves. */

/** The browser's types that are used here: this file is compiled without the DOM library. */
interface StyledElement {
  readonly isConnected: boolean;
}
interface Declarations {
  getPropertyValue(name: string): string;
  getPropertyPriority(name: string): string;
  setProperty(name: string, value: string, priority: string): void;
}
interface Rule {
  readonly selectorText?: string;
  readonly style?: Declarations;
  readonly cssRules?: ArrayLike<Rule>;
  readonly styleSheet?: Sheet | null;
}
interface Sheet {
  readonly href: string | null;
  readonly cssRules: ArrayLike<Rule>;
}
declare const document: { readonly styleSheets: ArrayLike<Sheet>; adoptedStyleSheets: Sheet[] };
declare const CSSStyleSheet: new () => Sheet & { replaceSync(text: string): void };
declare function getComputedStyle(element: StyledElement): { readonly color: string };

/** A rule that sets a color, with the URL of its style sheet. */
interface Setter {
  readonly rule: Rule;
  readonly url: string | null;
}

/** The style rule that sets the color of a text. */
export interface StyleRule {
  readonly selector: string;
  /** The URL of its style sheet; null for a style sheet in the page. */
  readonly url: string | null;
}

export interface StyleRules {
  readonly rules: readonly StyleRule[];
  /** The positions of elements in `AxeFindings.elements`, and of their rules. */
  readonly of: readonly (readonly [element: number, rule: number])[];
}

export interface StyleRuleLimits {
  readonly elementsMax: number;
  readonly rulesMax: number;
  readonly selectorMaxCharacters: number;
  readonly timeMs: number;
}

/**
 * Returns the rules that set the colors of elements. Gives each rule that sets a color its own color, and reads which of them
 * each element has: so the browser itself applies the cascade. The page looks wrong afterwards. Rules of style sheets that the
 * page may not read are not found, nor any rules of a page with too many.
 * @param elements with their positions in `AxeFindings.elements`
 */
export function findStyleRulesInPage(
  elements: readonly (readonly [position: number, element: StyledElement])[],
  { elementsMax, rulesMax, selectorMaxCharacters, timeMs }: StyleRuleLimits,
): StyleRules {
  const end = performance.now() + timeMs;

  /** Returns the rules that set a color; null for too many. */
  function collect(): readonly Setter[] | null {
    const setters: Setter[] = [];
    const open: { readonly rules: ArrayLike<Rule>; next: number; readonly url: string | null }[] = [];
    const enter = (read: () => ArrayLike<Rule> | undefined, url: string | null): void => {
      try {
        const rules = read();
        if (rules !== undefined) open.push({ rules, next: 0, url });
      } catch {
        // A style sheet of another origin.
      }
    };
    for (const sheet of [...Array.from(document.styleSheets), ...document.adoptedStyleSheets]) {
      enter(() => sheet.cssRules, sheet.href);
    }
    for (let seen = 0; open.length > 0; seen += 1) {
      if (seen > rulesMax || performance.now() > end) return null;
      const group = open.at(-1);
      const rule = group?.rules[group.next];
      if (group === undefined || rule === undefined) {
        open.pop();
        continue;
      }
      group.next += 1;
      const { style, selectorText: selector, styleSheet } = rule;
      const url = styleSheet?.href ?? group.url;
      if (selector !== undefined && (style?.getPropertyValue('color') ?? '') !== '') setters.push({ rule, url });
      enter(() => rule.cssRules ?? styleSheet?.cssRules, url);
    }
    return setters;
  }

  const setters = collect() ?? [];
  // No page has these colors: they are half transparent.
  const colorOf = (rule: number): string => `rgba(${rule >> 16}, ${(rule >> 8) & 255}, ${rule & 255}, 0.5)`;
  for (const [index, { rule }] of setters.entries()) {
    rule.style?.setProperty('color', colorOf(index), rule.style.getPropertyPriority('color'));
  }
  const still = new CSSStyleSheet();
  still.replaceSync('*, ::before, ::after { transition: none !important; animation: none !important; }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];

  const numbers = new Map(setters.map((_, index) => [colorOf(index), index]));
  const found: { readonly position: number; readonly setter: number }[] = [];
  for (const [position, element] of elements.slice(0, elementsMax)) {
    if (performance.now() > end) break;
    const setter = position >= 0 && element.isConnected ? numbers.get(getComputedStyle(element).color) : undefined;
    if (setter !== undefined) found.push({ position, setter });
  }
  /** Never splits a surrogate pair, half of which could not be stored. */
  const cut = (text: string, maxCharacters: number): string =>
    text.length <= maxCharacters ? text : text.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '');
  const used = [...new Set(found.map(({ setter }) => setter))];
  return {
    rules: used.map((index) => ({
      selector: cut(setters[index]?.rule.selectorText ?? '', selectorMaxCharacters),
      url: setters[index]?.url ?? null,
    })),
    of: found.map(({ position, setter }) => [position, used.indexOf(setter)]),
  };
}
