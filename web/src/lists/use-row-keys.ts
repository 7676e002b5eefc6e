import type { RefObject } from 'react';
import { type KeyCommand, useKeys } from '../live/use-keys.ts';

/**
 * Makes `j` and `k` move the focus through the rows of a list, and `o` open the focused row. A row is a table row or a list item
 * with `data-row`; its first link gets the focus.
 * @param more other shortcuts of the same list or screen
 */
export function useRowKeys(scope: RefObject<HTMLElement | null>, more: readonly KeyCommand[] = []): void {
  const move = (step: 1 | -1): void => {
    const rows = rowsIn(scope.current);
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const next = rows[at === -1 ? (step === 1 ? 0 : rows.length - 1) : at + step];
    next?.querySelector<HTMLElement>('a')?.focus();
  };
  const open = (): void => {
    const row = rowsIn(scope.current).find((each) => each.contains(document.activeElement));
    row?.querySelector<HTMLElement>('a')?.click();
  };
  useKeys(scope, [
    { key: 'j', title: 'Next row', run: () => move(1) },
    { key: 'k', title: 'Previous row', run: () => move(-1) },
    { key: 'o', title: 'Open row', run: open },
    ...more,
  ]);
}

function rowsIn(scope: HTMLElement | null): HTMLElement[] {
  return [...(scope?.querySelectorAll<HTMLElement>('tbody tr, [data-row]') ?? [])];
}
