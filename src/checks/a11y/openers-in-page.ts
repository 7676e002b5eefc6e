import type { OpeningStep } from '../../domain/reached-by.ts';

/** Functions that are serialized and run in the page, so they refer to nothing outside of themselves. */

/** The browser's types that are used here: this file is compiled without the DOM library. */
export interface StateElement {
  readonly localName: string;
  readonly isConnected: boolean;
  readonly parentElement: StateElement | null;
  readonly previousElementSibling: StateElement | null;
  readonly shadowRoot: StateRoot | null;
  readonly textContent: string | null;
  readonly clientLeft: number;
  readonly clientTop: number;
  /** Only for form controls. */
  readonly form?: StateElement | null;
  readonly type?: string;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  getAttributeNames(): string[];
  matches(selector: string): boolean;
  closest(selector: string): StateElement | null;
  contains(other: StateElement): boolean;
  querySelector(selector: string): StateElement | null;
  checkVisibility(options: object): boolean;
  getRootNode(): StateRoot;
  getBoundingClientRect(): {
    readonly left: number;
    readonly top: number;
    readonly right: number;
    readonly bottom: number;
  };
  scrollIntoView(options: object): void;
  focus(options: object): void;
  blur(): void;
}
export interface StateRoot {
  readonly host?: StateElement;
  readonly activeElement: StateElement | null;
  querySelectorAll(selector: string): Iterable<StateElement>;
  getElementById(id: string): StateElement | null;
  elementFromPoint(x: number, y: number): StateElement | null;
}

/** What is done to open something: a click, moving the pointer there, or pressing a key while it has the focus. */
export type OpeningAction = OpeningStep['action'];

/** An element that opens something. */
export interface Opener {
  /** Identifies it in the page, even after the page has been loaded again. */
  readonly key: string;
  readonly role: string;
  /** Its name for people, shortened; if it has none, its start tag. */
  readonly name: string;
  readonly isNamed: boolean;
  /** What may open it, the most natural action first. */
  readonly actions: readonly OpeningAction[];
  /** What may close it: its own click, or Escape, or a click on the tab that was selected before. */
  readonly closing: 'click' | 'Escape' | 'tab';
  /** Equal for elements that look alike, such as the buttons of the rows of a table. */
  readonly shape: string;
}

/** Yields all elements of a document or a shadow root, including those in open shadow roots, in document order. */
export function* elementsIn(root: StateRoot): Generator<StateElement> {
  for (const element of root.querySelectorAll('*')) {
    yield element;
    if (element.shadowRoot !== null) yield* elementsIn(element.shadowRoot);
  }
}

/** Returns the path of an element from the document, or from the nearest element with an id of its own. */
export function keyOfElement(element: StateElement): string {
  const steps: string[] = [];
  for (let at: StateElement | null = element; at !== null; ) {
    const id: string | null = at.getAttribute('id');
    const root: StateRoot = at.getRootNode();
    if (id !== null && root.getElementById(id) === at) {
      steps.push(`#${id}`);
      if (root.host === undefined) break;
      at = root.host;
      continue;
    }
    let index = 0;
    for (let before = at.previousElementSibling; before !== null; before = before.previousElementSibling) {
      if (before.localName === at.localName) index += 1;
    }
    steps.push(`${at.localName}:${index}`);
    at = at.parentElement ?? root.host ?? null;
  }
  return steps.join(' < ').slice(0, 2_000);
}

/** Returns what people call an element: a label, its text, or the text of its image; empty if it has no name. */
export function nameOfElement(element: StateElement): string {
  const root = element.getRootNode();
  const labels = (element.getAttribute('aria-labelledby') ?? '').split(/\s+/).filter((id) => id !== '');
  const labelled = labels.map((id) => root.getElementById(id)?.textContent ?? '').join(' ');
  const image = element.querySelector('img[alt]:not([alt=""]), svg title, [aria-label]');
  const names = [
    labelled,
    element.getAttribute('aria-label'),
    // The text of a row or a tree item includes the items below it, on lines of their own.
    (element.textContent ?? '').trim().split('\n')[0],
    image?.getAttribute('alt') ?? image?.getAttribute('aria-label') ?? image?.textContent,
    element.getAttribute('title'),
    element.getAttribute('placeholder'),
  ];
  const name = names.map((each) => (each ?? '').replace(/\s+/g, ' ').trim()).find((each) => each !== '') ?? '';
  return name.length > 80 ? `${name.slice(0, 79)}…` : name;
}

/** Returns a start tag that shows which element it is: with its id, data attributes and class, as far as they fit. */
export function tagOfElement(element: Pick<StateElement, 'localName' | 'getAttributeNames' | 'getAttribute'>): string {
  const names = element.getAttributeNames();
  const kept = ['id', ...names.filter((name) => name.startsWith('data-')), 'class'].filter((name) =>
    names.includes(name),
  );
  const tag = kept.reduce((start, name) => {
    const value = (element.getAttribute(name) ?? '').replace(/\s+/g, ' ').trim().replaceAll('"', '&quot;');
    const longer = `${start} ${name}="${value}"`;
    return longer.length < 80 ? longer : start;
  }, `<${element.localName}`);
  return `${tag}>`;
}

/** Whether a click or a key could follow a link, send a form, or do more than open something. */
export function isUnsafe(element: StateElement): boolean {
  if (element.matches(':disabled, [aria-disabled=true], [inert] *, [contenteditable]:not([contenteditable=false])'))
    return true;
  if (element.matches('select, textarea, input:not([role=combobox], [type=button])')) return true;
  const button = element.closest('button, input');
  const hasForm = button?.form !== null && button?.form !== undefined;
  return button !== null && hasForm && /^(?:submit|reset|image)$/.test(button.type ?? '');
}

/** Returns the address of a link that leads anywhere but to a part of this page; null for other elements. */
export function linkOf(element: StateElement): string | null {
  const href = element.closest('a[href], area[href]')?.getAttribute('href')?.trim() ?? null;
  if (href === null) return null;
  // Scripts use such addresses for buttons. `#/` and `#!` are pages of applications.
  const isPart = href.startsWith('#') && !href.startsWith('#/') && !href.startsWith('#!');
  return isPart || /^javascript:(?:;|void)/i.test(href) ? null : href;
}

/**
 * Whether an attribute of a button names a part of the page that is hidden and can be opened: a dialog, menu or the like, or any
 * part whose id is the whole value of a `data-` attribute, as in Bootstrap's `data-bs-target`.
 */
export function opensHiddenPart(element: StateElement): boolean {
  if (!element.matches('button, [role=button], input[type=button], a')) return false;
  const root = element.getRootNode();
  const isHidden = (part: StateElement | null): part is StateElement =>
    part?.checkVisibility({ visibilityProperty: true }) === false;
  const kinds = 'dialog, [role=dialog], [role=alertdialog], [popover], [role=menu], [role=listbox], [role=tabpanel]';
  return element.getAttributeNames().some((name) => {
    if (name === 'id' || name === 'class' || name === 'style') return false;
    const value = (element.getAttribute(name) ?? '').slice(0, 500);
    const whole = name.startsWith('data-') ? root.getElementById(value.replace(/^#/, '')) : null;
    if (isHidden(whole) && whole.localName !== 'template') return true;
    const parts = (value.match(/[\w-]+/g) ?? []).map((word) => root.getElementById(word));
    return parts.some((part) => isHidden(part) && part.matches(kinds));
  });
}

/** Whether an element says with `aria-expanded` that something is open, and what it controls is not hidden. */
export function isExpanded(element: StateElement): boolean {
  if (element.getAttribute('aria-expanded') !== 'true') return false;
  const names = ['aria-controls', 'data-target', 'data-bs-target', 'href'];
  const ids = names.flatMap((name) => (element.getAttribute(name) ?? '').replace(/^#/, '').split(/\s+/));
  const parts = ids.map((id) => (id === '' ? null : element.getRootNode().getElementById(id)));
  return !parts.some((part) => part?.checkVisibility({ visibilityProperty: true }) === false);
}

/** Whether an element describes itself with a tooltip that is hidden. */
export function hasTooltip(element: StateElement): boolean {
  const ids = (element.getAttribute('aria-describedby') ?? '').split(/\s+/);
  return ids.some((id) => {
    const tooltip = id === '' ? null : element.getRootNode().getElementById(id);
    return tooltip?.getAttribute('role') === 'tooltip' && !tooltip.checkVisibility({ visibilityProperty: true });
  });
}

/** The functions that `openingOf` uses. */
interface Tools {
  readonly isUnsafe: typeof isUnsafe;
  readonly linkOf: typeof linkOf;
  readonly opensHiddenPart: typeof opensHiddenPart;
  readonly isExpanded: typeof isExpanded;
  readonly hasTooltip: typeof hasTooltip;
}

type Kind = readonly [isOfKind: boolean, isClosed: boolean, ...opening: [Opener['actions'], Opener['closing']]];

/** Returns how an element opens something and how it is closed again; null if its semantics do not say that it opens anything. */
export function openingOf(element: StateElement, tools: Tools): Pick<Opener, 'actions' | 'closing'> | null {
  if (tools.isUnsafe(element)) return null;
  const role = element.getAttribute('role') ?? '';
  const isOpen = tools.isExpanded(element);
  // Some pages say from the start that everything is expanded.
  const isCollapsed = !isOpen && /^(?:true|false)$/.test(element.getAttribute('aria-expanded') ?? '');
  const hasPopup = !isOpen && (element.getAttribute('aria-haspopup') ?? 'false') !== 'false';
  const isButton = element.matches('button, [role=button], input[type=button]');
  const controls = isButton && !isOpen && element.hasAttribute('aria-controls');
  const isTree = /^(?:treeitem|row|gridcell)$/.test(role) || element.localName === 'tr';
  const kinds: readonly Kind[] = [
    // A click would follow the link.
    [
      tools.linkOf(element) !== null,
      isCollapsed || hasPopup,
      ['hover', role === 'treeitem' ? 'ArrowRight' : 'ArrowDown'],
      'Escape',
    ],
    [element.matches('details > summary'), !element.matches('[open] > summary'), ['click', 'Enter'], 'click'],
    [role === 'tab', element.getAttribute('aria-selected') !== 'true', ['click', 'Enter'], 'tab'],
    [role === 'combobox', !isOpen, ['click', 'ArrowDown'], 'Escape'],
    [isTree, isCollapsed, ['click', 'ArrowRight'], 'click'],
    [role.startsWith('menuitem'), isCollapsed || hasPopup, ['click', 'hover', 'ArrowRight'], 'Escape'],
    [hasPopup || element.matches('[popovertarget], [commandfor]'), !isOpen, ['click', 'Enter', 'ArrowDown'], 'Escape'],
    [isCollapsed || controls, true, ['click', 'Enter'], 'click'],
    [tools.opensHiddenPart(element), !isOpen, ['click', 'Enter'], 'Escape'],
    [tools.hasTooltip(element), !isOpen, ['hover', 'click'], 'Escape'],
  ];
  const [, isClosed = false, actions = [], closing = 'click'] = kinds.find(([isOfKind]) => isOfKind) ?? [];
  return isClosed ? { actions, closing } : null;
}
