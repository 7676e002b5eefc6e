import type {
  elementsIn,
  hasTooltip,
  isExpanded,
  isUnsafe,
  keyOfElement,
  linkOf,
  nameOfElement,
  Opener,
  OpeningAction,
  openingOf,
  opensHiddenPart,
  StateElement,
  StateRoot,
  tagOfElement,
} from './openers-in-page.ts';

/** Functions that are serialized and run in the page, so they refer to nothing outside of themselves. */

declare const document: StateRoot & { readonly documentElement: StateElement };
declare const innerWidth: number;
declare const innerHeight: number;
declare const location: { readonly href: string };
declare function scrollTo(options: object): void;

/** The parts of axe's results by which findings are recognized. */
interface FoundNode {
  readonly element?: StateElement | undefined;
  readonly html: string;
  readonly target: readonly unknown[];
}
interface FoundRule {
  readonly id: string;
  readonly nodes: readonly FoundNode[];
}
interface Found {
  violations: readonly FoundRule[];
  incomplete: readonly FoundRule[];
}

/** What is kept of a finding, to recognize it in another state. */
interface KnownFinding {
  readonly element: StateElement | undefined;
  readonly isOfClosedPage: boolean;
  /** The state in which an element that replaces this one was last found. */
  matchedIn: number;
}

/** Recognizes the findings that a page has in its present state and had in none before. */
export interface KnownFindings {
  /** Removes the known findings from axe's results. In the closed page, none is known. */
  narrow(results: Found): void;
  /** Returns what identifies the findings of later states in elements of the closed page, even after it has been loaded again. */
  toCarry(): readonly string[];
}

/** The functions that `createKnownFindings` uses. */
interface KnownTools {
  readonly elementsIn: typeof elementsIn;
  readonly keyOfElement: typeof keyOfElement;
}

/**
 * @param colorRules rules that need a review where something covers an element
 * @param carried as `toCarry` returned it when the page was loaded before
 */
export function createKnownFindings(
  { elementsIn: elements, keyOfElement: keyOf }: KnownTools,
  colorRules: readonly string[],
  carried: readonly string[],
): KnownFindings {
  const found = new Map<string, KnownFinding[]>();
  const alike = new Map<string, KnownFinding[]>();
  const elsewhere = new Set(carried);
  const ofClosedPage = new WeakSet<StateElement>();
  /** Elements that were visible in a state that has been examined. */
  const seen = new WeakSet<StateElement>();
  let state = 0;

  function isNew(rule: string, { element, html, target }: FoundNode): boolean {
    // Elements in frames are identified by their selectors.
    const place = target.length > 1 ? `${rule}\n${JSON.stringify(target)}` : rule;
    const same = found.get(place) ?? [];
    if (target.length > 1 ? same.length > 0 : same.some((each) => each.element === element)) return false;
    const equal = alike.get(`${place}\n${html}`) ?? [];
    const isOfClosedPage = state === 0;
    const finding = { element, isOfClosedPage, matchedIn: state };
    found.set(place, [...same, finding]);
    alike.set(`${place}\n${html}`, [...equal, finding]);
    if (isOfClosedPage) return true;
    const wasReplaced = (each: KnownFinding): boolean =>
      each.isOfClosedPage && each.matchedIn < state && each.element?.isConnected === false;
    const replaced = equal.find(wasReplaced);
    // A script has recreated the element.
    if (replaced !== undefined) replaced.matchedIn = state;
    if (replaced !== undefined || element === undefined || !ofClosedPage.has(element)) return replaced === undefined;
    const key = `${rule}\n${keyOf(element)}`;
    const isKnown = elsewhere.has(key);
    elsewhere.add(key);
    return !isKnown;
  }
  /** Whether a finding is about the page as a whole, or about an element that is only covered by what has been opened. */
  function isBeside(rule: string, { element }: FoundNode, isUncertain: boolean): boolean {
    if (state === 0 || element === undefined) return false;
    return element === document.documentElement || (isUncertain && colorRules.includes(rule) && seen.has(element));
  }
  return {
    narrow(results) {
      for (const kind of ['violations', 'incomplete'] as const) {
        const rules = results[kind].map((rule) => {
          const nodes = rule.nodes.filter((node) => !isBeside(rule.id, node, kind === 'incomplete'));
          return { ...rule, nodes: nodes.filter((node) => isNew(rule.id, node)) };
        });
        results[kind] = rules.filter(({ nodes }) => nodes.length > 0);
      }
      for (const element of elements(document)) {
        if (state === 0) ofClosedPage.add(element);
        if (element.checkVisibility({ visibilityProperty: true })) seen.add(element);
      }
      state += 1;
    },
    toCarry: () => [...elsewhere],
  };
}

/**
 * Returns a function that describes the state of the page, in four parts with spaces between them: the number of elements; a hash
 * of the elements with all attributes and their visibility; a hash of them with their sizes, and without what scripts leave
 * behind when they close something, such as styles; and the address. The element that has or would get the focus does not count.
 */
export function createSignature({ elementsIn: elements }: Pick<KnownTools, 'elementsIn'>): () => string {
  const ignored = new Set(['tabindex', 'aria-activedescendant', 'nonce']);
  const createHash = () => {
    let [one, other] = [0, 0];
    return {
      add(text: string): void {
        for (let at = 0; at < text.length; at += 1) {
          one = Math.imul(one ^ text.charCodeAt(at), 0x01000193);
          other = Math.imul(other, 31) + text.charCodeAt(at);
        }
        one ^= text.length;
      },
      value: () => `${one}.${other}`,
    };
  };
  return () => {
    const [exact, loose] = [createHash(), createHash()];
    let count = 0;
    for (const element of elements(document)) {
      count += 1;
      const isVisible = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      const { left, top, right, bottom } = element.getBoundingClientRect();
      exact.add(element.localName);
      loose.add(`${element.localName} ${isVisible ? `${Math.round(right - left)} ${Math.round(bottom - top)}` : ''}`);
      for (const name of element.getAttributeNames().filter((each) => !ignored.has(each))) {
        const attribute = `${name}=${element.getAttribute(name)}`;
        exact.add(attribute);
        if (!/^(?:class|style|data-.*|x-.*)$/.test(name)) loose.add(attribute);
      }
      exact.add(isVisible ? 'visible' : 'hidden');
    }
    return `${count} ${exact.value()} ${loose.value()} ${location.href.replace(/#.*/s, '')}`;
  };
}

/** Where to click: in CSS pixels from the corner of the viewport. */
export type Aim = { readonly x: number; readonly y: number };

/** Brings an element into view, and returns a point where it would receive a click; null if there is none. */
export function aimAt(element: StateElement): Aim | null {
  const inner = 'a[href], button, input, select, textarea, label, summary, [role=button], [role=link], [role=menuitem]';
  element.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
  const { left, top, right, bottom } = element.getBoundingClientRect();
  if (right - left < 1 || bottom - top < 1) return null;
  const middle = (top + bottom) / 2;
  // A row or a tree item may contain other controls, or the items below it.
  const line = Math.min(middle, top + 12);
  const points = [
    { x: (left + right) / 2, y: middle },
    { x: left + 4, y: line },
    { x: right - 4, y: line },
  ];
  for (const { x, y } of points) {
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
    const hit = element.getRootNode().elementFromPoint(x, y);
    if (hit === null || !element.contains(hit)) continue;
    const control = hit.closest(inner);
    if (control === null || control === element || control.contains(element)) return { x, y };
  }
  return null;
}

/** The functions that `createStates` uses. */
interface Tools {
  readonly elementsIn: typeof elementsIn;
  readonly keyOfElement: typeof keyOfElement;
  readonly nameOfElement: typeof nameOfElement;
  readonly tagOfElement: typeof tagOfElement;
  readonly openingOf: typeof openingOf;
  readonly isUnsafe: typeof isUnsafe;
  readonly linkOf: typeof linkOf;
  readonly opensHiddenPart: typeof opensHiddenPart;
  readonly hasTooltip: typeof hasTooltip;
  readonly isExpanded: typeof isExpanded;
  readonly aimAt: typeof aimAt;
  readonly createSignature: typeof createSignature;
}

/** What the state explorer requests from the page. */
export interface PageStates {
  signature(): string;
  /**
   * Returns the elements that open something, in document order, without those that were visible when it was called before: they
   * belong to an earlier state.
   */
  openers(limit: number): readonly Opener[];
  /** Prepares an action on an element. Returns where to click; true if it has the focus now; null if that is not possible. */
  prepare(key: string, action: OpeningAction): Aim | true | null;
  /** Returns the selected tab in a tab's list; null for none. */
  selectedTab(key: string): string | null;
  /** Removes the focus, scrolls back, and checks whether the page is in a state, up to `moreLooks` more times. */
  comesBackTo(signature: string, moreLooks: number): Promise<boolean>;
}

export function createStates(tools: Tools): PageStates {
  const signatureNow = tools.createSignature(tools);
  const considered = new WeakSet<StateElement>();
  const byKey = new Map<string, StateElement>();
  const find = (key: string): StateElement | null => {
    const known = byKey.get(key);
    return known?.isConnected === true ? known : null;
  };
  const describe = (element: StateElement): Opener | null => {
    const opening = tools.openingOf(element, tools);
    if (opening === null) return null;
    const parent = element.parentElement;
    const [kind, around] = [element.getAttribute('class') ?? '', parent?.getAttribute('class') ?? ''];
    const role = element.getAttribute('role') ?? element.localName;
    const name = tools.nameOfElement(element);
    const shape = `${element.localName} ${role} ${kind} < ${parent?.localName} ${around}`.slice(0, 500);
    const [isNamed, key] = [name !== '', tools.keyOfElement(element)];
    return { key, role, name: isNamed ? name : tools.tagOfElement(element), isNamed, ...opening, shape };
  };
  return {
    signature: signatureNow,
    openers(limit) {
      const found: Opener[] = [];
      for (const element of tools.elementsIn(document)) {
        if (considered.has(element) || !element.checkVisibility({ visibilityProperty: true })) continue;
        considered.add(element);
        const opener = found.length >= limit ? null : describe(element);
        if (opener === null) continue;
        byKey.set(opener.key, element);
        found.push(opener);
      }
      return found;
    },
    prepare(key, action) {
      const element = find(key);
      if (element === null || !element.checkVisibility({ visibilityProperty: true }) || tools.isUnsafe(element))
        return null;
      if (action === 'click' || action === 'hover') return tools.aimAt(element);
      element.focus({ preventScroll: true });
      return element.getRootNode().activeElement === element ? true : null;
    },
    selectedTab(key) {
      const selected = find(key)?.closest('[role=tablist]')?.querySelector('[role=tab][aria-selected=true]') ?? null;
      if (selected === null) return null;
      const own = tools.keyOfElement(selected);
      byKey.set(own, selected);
      return own;
    },
    async comesBackTo(signature, moreLooks) {
      document.activeElement?.blur();
      scrollTo({ left: 0, top: 0, behavior: 'instant' });
      const [count, exact, loose, address] = signature.split(' ');
      const isThere = (): boolean => {
        const now = signatureNow().split(' ');
        return now[0] === count && now[3] === address && (now[1] === exact || now[2] === loose);
      };
      for (let left = moreLooks; !isThere(); left -= 1) {
        if (left === 0) return false;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      return true;
    },
  };
}
