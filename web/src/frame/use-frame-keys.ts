import { useEffect } from 'react';
import { isCommand } from './use-keys.ts';

/** Keys that act everywhere: Ctrl or ⌘ with K searches, F6 goes to the next pane of the screen, `?` lists the keys. */
export function useFrameKeys({
  onSearch,
  onKeys,
}: {
  readonly onSearch: () => void;
  readonly onKeys: () => void;
}): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (document.querySelector('dialog:modal') !== null) return;
      if (isSearch(event)) onSearch();
      else if (event.key === '?' && isCommand(event)) onKeys();
      else if (event.key !== 'F6' || !focusNextPane(event.shiftKey ? -1 : 1)) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [onSearch, onKeys]);
}

function isSearch({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey;
}

/** Panes have the attribute `data-pane`. Returns whether there are several; else F6 stays the browser's. */
function focusNextPane(step: 1 | -1): boolean {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')].filter((pane) => pane.checkVisibility());
  if (panes.length < 2) return false;
  const at = panes.findIndex((pane) => pane.contains(document.activeElement));
  const next = at === -1 ? 0 : (at + step + panes.length) % panes.length;
  panes[next]?.focus();
  return true;
}
