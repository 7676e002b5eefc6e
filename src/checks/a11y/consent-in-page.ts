import type { elementsIn, nameOfElement, StateElement } from './openers-in-page.ts';
import type { Aim, aimAt } from './states-in-page.ts';

/** Functions that are serialized and run in the page, so they refer to nothing outside of themselves. */

declare const document: { readonly documentElement: StateElement } & ReturnType<StateElement['getRootNode']>;
declare function getComputedStyle(element: StateElement): { readonly position: string };

interface Tools {
  readonly elementsIn: typeof elementsIn;
  readonly nameOfElement: typeof nameOfElement;
  readonly aimAt: typeof aimAt;
}

interface BannerRules {
  /** Patterns of names of buttons that make the choice, the preferred ones first. */
  readonly wanted: readonly string[];
  /** Patterns of names of buttons that make any choice. */
  readonly any: readonly string[];
  /** Selectors of known banners. */
  readonly banners: readonly string[];
  /** A pattern of words that the text of other banners has. */
  readonly words: string;
}

/** A banner that the page shows. */
export interface FoundBanner {
  /** Where its button is; true if the button has the focus, because it cannot be clicked; null if it has no such button. */
  readonly button: Aim | true | null;
}

/** Returns the consent banner that the page shows; null if it shows none. */
export function findBanner(tools: Tools, { wanted, any, banners, words }: BannerRules): FoundBanner | null {
  const patternOf = (source: string): RegExp => new RegExp(`^(?:${source})$`, 'u');
  const [wantedPatterns, anyPatterns, wordsPattern] = [
    wanted.map(patternOf),
    any.map(patternOf),
    new RegExp(words, 'iu'),
  ];
  const textMaxCharacters = 10_000;
  const isShown = (element: StateElement): boolean =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    element.getBoundingClientRect().right > element.getBoundingClientRect().left;
  const parentOf = (element: StateElement): StateElement | null =>
    element.parentElement ?? element.getRootNode().host ?? null;
  const isOfName = (character: string): boolean => /[\p{L}\p{N}×✕✖]/u.test(character);
  /** Returns a name in lower case, without punctuation at its ends. */
  const bare = (name: string): string => {
    const text = name.slice(0, 200).toLowerCase().normalize('NFC').replaceAll('’', "'");
    const characters = [...text.replace(/\s+/gu, ' ')];
    const end = characters.findLastIndex(isOfName) + 1;
    return characters.slice(Math.max(0, characters.findIndex(isOfName)), end).join('');
  };
  /** Returns its name, and what it shows: names may begin with what the banner is about. */
  const labelsOf = (element: StateElement): string[] => {
    const shown = element.localName === 'input' ? element.getAttribute('value') : element.textContent;
    return [tools.nameOfElement(element), shown ?? ''].map(bare);
  };
  // Once per element: pages have thousands.
  const knownBanners = banners.join(',');
  const isKnown = (element: StateElement): boolean => element.matches(knownBanners);
  /** Whether an element is shown on top of the page, or says that it is about consent. */
  const isLikeBanner = (element: StateElement): boolean => {
    if (element.localName === 'body' || element.localName === 'html') return false;
    const ownNames = ['id', 'class', 'aria-label'].map((name) => element.getAttribute(name) ?? '').join(' ');
    const isOnTop =
      element.matches('dialog, [role=dialog], [role=alertdialog], [popover]') ||
      /^(?:fixed|sticky)$/.test(getComputedStyle(element).position);
    if (!isOnTop && !wordsPattern.test(ownNames)) return false;
    const text = element.textContent ?? '';
    return text.length <= textMaxCharacters && wordsPattern.test(`${text} ${ownNames}`);
  };
  const isInBanner = (button: StateElement): boolean => {
    for (let at = parentOf(button); at !== null; at = parentOf(at)) if (isKnown(at) || isLikeBanner(at)) return true;
    return false;
  };

  const matches = (labels: readonly string[], pattern: RegExp): boolean => labels.some((label) => pattern.test(label));
  const buttons: { readonly element: StateElement; readonly labels: readonly string[] }[] = [];
  let isAnyShown = false;
  for (const element of tools.elementsIn(document)) {
    isAnyShown ||= isKnown(element) && isShown(element);
    if (!element.matches('button, [role=button], a, input[type=button], input[type=submit]') || !isShown(element))
      continue;
    const labels = labelsOf(element);
    if (anyPatterns.some((pattern) => matches(labels, pattern)) && isInBanner(element)) {
      buttons.push({ element, labels });
    }
  }
  if (buttons.length === 0) return isAnyShown ? { button: null } : null;
  const isWanted = (pattern: RegExp) => buttons.find(({ labels }) => matches(labels, pattern))?.element;
  const chosen = wantedPatterns.map(isWanted).find((element) => element !== undefined);
  if (chosen === undefined) return { button: null };
  const aim = tools.aimAt(chosen);
  if (aim !== null) return { button: aim };
  chosen.focus({ preventScroll: true });
  return { button: chosen.getRootNode().activeElement === chosen ? true : null };
}
