import type { elementsIn, nameOfElement, StateElement } from './openers-in-page.ts';
import type { Aim, aimAt } from './states-in-page.ts';

/** Functions that are serialized and run in the page, so they refer to nothing outside of themselves. */

declare const document: ReturnType<StateElement['getRootNode']> & {
  readonly title: string;
  hasFocus(): boolean;
  readonly body: { readonly innerText: string } | null;
};
declare function getComputedStyle(element: StateElement): {
  readonly position: string;
  readonly paddingLeft: string;
  readonly paddingTop: string;
};

interface Tools {
  readonly elementsIn: typeof elementsIn;
  readonly nameOfElement: typeof nameOfElement;
  readonly aimAt: typeof aimAt;
  readonly createBannerTests: typeof createBannerTests;
  readonly findBanner: typeof findBanner;
}

interface BannerRules {
  /** Patterns of names of buttons that make the choice, the preferred ones first. */
  readonly wanted: readonly string[];
  /** Patterns of names of buttons that make any choice. */
  readonly any: readonly string[];
  /** Selectors of known banners. */
  readonly banners: readonly string[];
  /** A pattern of words that occur in the text of other banners. */
  readonly words: string;
  readonly framesMax: number;
}

/** What a document shows of a consent banner, without elements. */
export interface FoundBanner {
  /** Whether the document shows a banner outside of its frames. */
  readonly isShown: boolean;
  /** The index in `BannerRules.wanted` of the pattern that its button's name matches; null if it has no such button. */
  readonly rank: number | null;
  /** The number of frames that may show a banner. */
  readonly frames: number;
}

/** The same with elements. */
interface FoundElements extends Omit<FoundBanner, 'frames'> {
  readonly button: StateElement | null;
  readonly frames: readonly StateElement[];
}

/** Tests of whether elements are consent banners, without looking at their buttons. */
interface BannerTests {
  isKnown(element: StateElement): boolean;
  isInBanner(button: StateElement): boolean;
  /** Whether a frame is shown on top of the page, or says that it is about consent. */
  mayShowBanner(frame: StateElement): boolean;
  /** Whether the document, which is in such a frame, is about consent. */
  isBanner(): boolean;
}

export function createBannerTests({ banners, words }: Pick<BannerRules, 'banners' | 'words'>): BannerTests {
  const wordsPattern = new RegExp(words, 'iu');
  const textMaxCharacters = 10_000;
  // Once per element: pages have thousands.
  const knownBanners = banners.join(',');
  const mentionsConsent = (text: string): boolean => text.length <= textMaxCharacters && wordsPattern.test(text);
  const parentOf = (element: StateElement): StateElement | null =>
    element.parentElement ?? element.getRootNode().host ?? null;
  const isKnown = (element: StateElement): boolean => element.matches(knownBanners);
  const isOnTop = (element: StateElement): boolean =>
    element.matches('dialog, [role=dialog], [role=alertdialog], [popover]') ||
    /^(?:fixed|sticky)$/.test(getComputedStyle(element).position);
  const namesOf = (element: StateElement): string =>
    ['id', 'class', 'aria-label', 'title'].map((name) => element.getAttribute(name) ?? '').join(' ');
  const isLikeBanner = (element: StateElement): boolean => {
    const names = namesOf(element);
    if (!isOnTop(element) && !wordsPattern.test(names)) return false;
    return mentionsConsent(`${element.textContent ?? ''} ${names}`);
  };
  const isAround = (inner: StateElement | null, test: (element: StateElement) => boolean): boolean => {
    for (let at = inner; at !== null; at = parentOf(at)) {
      if (isKnown(at) || (at.localName !== 'body' && at.localName !== 'html' && test(at))) return true;
    }
    return false;
  };
  return {
    isKnown,
    isInBanner: (button) => isAround(parentOf(button), isLikeBanner),
    mayShowBanner: (frame) => isAround(frame, (element) => isOnTop(element) || wordsPattern.test(namesOf(element))),
    // biome-ignore lint/performance/useDomNodeTextContent: that would include scripts, and what is hidden.
    isBanner: () => mentionsConsent(`${document.title} ${document.body?.innerText ?? ''}`),
  };
}

/** @param isFrame whether the document is in a frame that may show a banner */
export function findBanner(tools: Tools, rules: BannerRules, isFrame: boolean): FoundElements {
  const { isKnown, isInBanner, mayShowBanner, isBanner } = tools.createBannerTests(rules);
  const patternOf = (source: string): RegExp => new RegExp(`^(?:${source})$`, 'u');
  const [wantedPatterns, anyPatterns] = [rules.wanted.map(patternOf), rules.any.map(patternOf)];
  const isShown = (element: StateElement): boolean =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    element.getBoundingClientRect().right > element.getBoundingClientRect().left;
  const isOfName = (character: string): boolean => /[\p{L}\p{N}×✕✖]/u.test(character);
  /** Returns a name in lower case, without punctuation at its ends. */
  const bare = (name: string): string => {
    const text = name.slice(0, 200).toLowerCase().normalize('NFC').replaceAll('’', "'");
    const characters = [...text.replace(/\s+/gu, ' ')];
    const end = characters.findLastIndex(isOfName) + 1;
    return characters.slice(Math.max(0, characters.findIndex(isOfName)), end).join('');
  };
  /** Returns the element's name and its visible text: names may begin with what the banner is about. */
  const labelsOf = (element: StateElement): string[] => {
    const shown = element.localName === 'input' ? element.getAttribute('value') : element.textContent;
    return [tools.nameOfElement(element), shown ?? ''].map(bare);
  };
  const matches = (labels: readonly string[], pattern: RegExp): boolean => labels.some((label) => pattern.test(label));
  const isWithin = isFrame && isBanner() ? () => true : isInBanner;
  const buttons: { readonly element: StateElement; readonly labels: readonly string[] }[] = [];
  const frames: StateElement[] = [];
  let isAnyShown = false;
  for (const element of tools.elementsIn(document)) {
    isAnyShown ||= isKnown(element) && isShown(element);
    if (element.localName === 'iframe' && isShown(element) && mayShowBanner(element)) frames.push(element);
    if (!element.matches('button, [role=button], a, input[type=button], input[type=submit]') || !isShown(element))
      continue;
    const labels = labelsOf(element);
    if (anyPatterns.some((pattern) => matches(labels, pattern)) && isWithin(element)) buttons.push({ element, labels });
  }
  const chosen = wantedPatterns.map((pattern) => buttons.find(({ labels }) => matches(labels, pattern))?.element);
  const rank = chosen.findIndex((element) => element !== undefined);
  const found = { button: chosen[rank] ?? null, rank: rank < 0 ? null : rank };
  return { ...found, isShown: isAnyShown || buttons.length > 0, frames: frames.slice(0, rules.framesMax) };
}

/** The consent banner of a document, and what is needed to press its button. */
interface DocumentBanner {
  readonly found: FoundBanner;
  readonly frames: readonly StateElement[];
  /** Returns where the button is in the viewport of its document; null if it cannot be clicked. */
  aim(): Aim | null;
  /** Moves the focus to the button. */
  focus(): boolean;
  /** Returns where a point in a frame is in the viewport of this document; null if it cannot be clicked. */
  pointIn(frameIndex: number, inner: Aim): Aim | null;
}

export function createDocumentBanner(tools: Tools, rules: BannerRules, isFrame: boolean): DocumentBanner {
  const { button, frames, ...found } = tools.findBanner(tools, rules, isFrame);
  return {
    found: { ...found, frames: frames.length },
    frames,
    aim: () => (button === null ? null : tools.aimAt(button)),
    focus() {
      button?.focus({ preventScroll: true });
      return button !== null && document.hasFocus() && button.getRootNode().activeElement === button;
    },
    pointIn(frameIndex, inner) {
      const frame = frames[frameIndex];
      if (frame === undefined) return null;
      frame.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
      const { left, top } = frame.getBoundingClientRect();
      const { paddingLeft, paddingTop } = getComputedStyle(frame);
      const x = left + frame.clientLeft + Number.parseFloat(paddingLeft) + inner.x;
      const y = top + frame.clientTop + Number.parseFloat(paddingTop) + inner.y;
      return frame.getRootNode().elementFromPoint(x, y) === frame ? { x, y } : null;
    },
  };
}
