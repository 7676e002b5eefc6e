/**
 * What a tool has found on the pages, in a form that can be compared: sets of keys.
 */
export interface Findings {
  /** The number of pages with a result. */
  readonly pages: number;
  /** Totals in the words of the tool. */
  readonly words: string;
  readonly keys: Readonly<Partial<Record<KeyType, readonly string[]>>>;
}

/** What identifies an issue. Tools can be compared if they have a type in common. */
export const KEY_TYPES = {
  rule: 'page and axe rule',
  criterion: 'page and WCAG criterion',
  message: 'page and message',
  line: 'page and line with an error',
  link: 'broken link',
} as const;
export type KeyType = keyof typeof KEY_TYPES;

/** The result of axe for a page, as all tools with axe return it. */
export interface AxeRule {
  readonly id: string;
  readonly nodes: readonly unknown[];
}

export function pathOf(url: string): string {
  return new URL(url).pathname;
}

/** Returns the criteria in tags such as `wcag111`. */
export function criteriaOf(tags: readonly string[]): string[] {
  return tags.flatMap((tag) => {
    const [, principle, guideline, criterion] = /^wcag(\d)(\d)(\d+)$/.exec(tag) ?? [];
    return principle === undefined ? [] : [`${principle}.${guideline}.${criterion}`];
  });
}

export function amount(number: number, word: string): string {
  return `${number.toLocaleString('en-US')} ${word}${number === 1 ? '' : 's'}`;
}

export function sum<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
