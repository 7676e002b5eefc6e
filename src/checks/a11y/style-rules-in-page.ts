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
  /** The URL of its style sheet; null for a style sheet in the page, also in a `data:` URL. */
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
  readonly urlMaxCharacters: number;
  /** Of all selectors and URLs together. Elements whose rules would exceed it have none. */
  readonly totalMaxCharacters: number;
  readonly timeMs: number;
}

/**
 * Returns the rules of the page that set a color; null for too many.
 * @param end when to stop, on the clock of `performance.now`
 */
export function collectSettersInPage(end: number, rulesMax: number): readonly Setter[] | null {
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
  /** A style sheet in a `data:` URL belongs to what contains it. */
  const urlOf = (href: string | null | undefined, outer: string | null): string | null =>
    href?.startsWith('data:') === false ? href : outer;
  for (const sheet of [...Array.from(document.styleSheets), ...document.adoptedStyleSheets]) {
    enter(() => sheet.cssRules, urlOf(sheet.href, null));
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
    const url = urlOf(styleSheet?.href, group.url);
    if (selector !== undefined && (style?.getPropertyValue('color') ?? '') !== '') setters.push({ rule, url });
    enter(() => rule.cssRules ?? styleSheet?.cssRules, url);
  }
  return setters;
}

/**
 * Returns the rules that set the colors of elements. Gives each rule that sets a color its own color, and reads which of them
 * each element has: so the browser itself applies the cascade. The page looks wrong afterwards. Rules of style sheets that the
 * page may not read are not found, nor any rules of a page with too many.
 * @param elements with their positions in `AxeFindings.elements`
 */
export function findStyleRulesInPage(
  collectSetters: typeof collectSettersInPage,
  elements: readonly (readonly [position: number, element: StyledElement])[],
  { elementsMax, rulesMax, selectorMaxCharacters, urlMaxCharacters, totalMaxCharacters, timeMs }: StyleRuleLimits,
): StyleRules {
  const end = performance.now() + timeMs;
  const setters = collectSetters(end, rulesMax) ?? [];
  // No page has these colors: they are half transparent.
  const colorOf = (rule: number): string => `rgba(${rule >> 16}, ${(rule >> 8) & 255}, ${rule & 255}, 0.5)`;
  for (const [index, { rule }] of setters.entries()) {
    rule.style?.setProperty('color', colorOf(index), rule.style.getPropertyPriority('color'));
  }
  const still = new CSSStyleSheet();
  still.replaceSync('*, ::before, ::after { transition: none !important; animation: none !important; }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];

  const numbers = new Map(setters.map((_, index) => [colorOf(index), index]));
  /** Never splits a surrogate pair, half of which could not be stored. */
  const cut = (text: string, maxCharacters: number): string =>
    text.length <= maxCharacters ? text : text.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '');
  const rules: StyleRule[] = [];
  const places = new Map<number, number>();
  let characters = 0;
  /** Returns the position of a setter's rule in `rules`; -1 if it exceeds the total. */
  function placeOf(setter: number): number {
    const known = places.get(setter);
    if (known !== undefined) return known;
    const selector = cut(setters[setter]?.rule.selectorText ?? '', selectorMaxCharacters);
    const href = setters[setter]?.url ?? null;
    const url = href && cut(href, urlMaxCharacters);
    characters += selector.length + (url?.length ?? 0);
    const place = characters > totalMaxCharacters ? -1 : rules.push({ selector, url }) - 1;
    places.set(setter, place);
    return place;
  }
  const of: (readonly [element: number, rule: number])[] = [];
  for (const [position, element] of elements.slice(0, elementsMax)) {
    if (performance.now() > end) break;
    const setter = position >= 0 && element.isConnected ? numbers.get(getComputedStyle(element).color) : undefined;
    const place = setter === undefined ? -1 : placeOf(setter);
    if (place >= 0) of.push([position, place]);
  }
  return { rules, of };
}
