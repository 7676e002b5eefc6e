/** The browser's types that are used here: this file is compiled without the DOM library. */
export interface StyledElement {
  readonly isConnected: boolean;
  readonly parentElement: StyledElement | null;
  readonly style?: Declarations;
}
export interface Declarations {
  cssText: string;
  getPropertyValue(name: string): string;
  getPropertyPriority(name: string): string;
  setProperty(name: string, value: string, priority: string): void;
}
export interface StyleRuleOfPage {
  readonly selectorText: string;
  readonly style: Declarations;
}
export interface Rule {
  readonly cssRules?: ArrayLike<Rule>;
  readonly styleSheet?: Sheet | null;
}
export interface Sheet {
  readonly href: string | null;
  readonly ownerNode?: unknown;
  readonly cssRules: ArrayLike<Rule>;
}

/** A style rule with the style sheet that contains it. */
export interface PlacedRule {
  readonly rule: StyleRuleOfPage;
  readonly style: Declarations;
  /** The URL of its style sheet; null for a style sheet in the page. */
  readonly url: string | null;
  readonly sheet: Sheet;
}

/** A declaration that sets a color, or a custom property with a color. */
export interface Setter {
  readonly placed: PlacedRule;
  readonly property: string;
  readonly value: string;
  /** What separates the channels in a custom property that is used as `rgb(var(--gray))`; null for a whole color. */
  readonly separator: string | null;
}
