import { type KeyboardEvent, type ReactNode, type ToggleEvent, useId, useRef } from 'react';
import { buttonClass } from './button.tsx';
import styles from './menu.module.css';

/** The attributes of a link or button that is an item of a menu. */
export const MENU_ITEM = { role: 'menuitem', tabIndex: -1 } as const;

/**
 * A button that opens a menu, with the keys of the ARIA menu button pattern. The browser closes it with Escape and by a click
 * elsewhere.
 */
export function Menu({
  label,
  isIcon = false,
  children,
}: {
  readonly label: ReactNode;
  /** Whether the label is an icon that already indicates a menu. */
  readonly isIcon?: boolean;
  /** Links and buttons with the attributes `MENU_ITEM`. */
  readonly children: ReactNode;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const items = [...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
    const isOpen = list.current?.matches(':popover-open');
    const at = items.indexOf(document.activeElement as HTMLElement);
    const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: Math.max(at, 0) - 1, Home: 0, End: -1 };
    const index = steps[event.key];
    // The focus returns to the button, and the browser moves it on from there.
    if (isOpen && event.key === 'Tab') list.current?.hidePopover();
    if (index === undefined || (!isOpen && !event.key.startsWith('Arrow'))) return;
    event.preventDefault();
    // Unlike a call of `showPopover`, a click also places the menu at the button in every browser.
    if (!isOpen) event.currentTarget.click();
    items.at(index % items.length)?.focus();
  };
  const onToggle = ({ newState, currentTarget }: ToggleEvent<HTMLDivElement>): void => {
    if (newState !== 'open' || currentTarget.contains(document.activeElement)) return;
    currentTarget.querySelector<HTMLElement>('[role=menuitem]')?.focus();
  };
  return (
    <div className={styles.menu}>
      <button
        type="button"
        id={`${id}button`}
        className={buttonClass()}
        popoverTarget={id}
        aria-haspopup="menu"
        onKeyDown={onKeyDown}
      >
        {label}
        {isIcon ? null : <span aria-hidden="true">▾</span>}
      </button>
      <div
        ref={list}
        id={id}
        role="menu"
        aria-labelledby={`${id}button`}
        popover="auto"
        className={styles.list}
        onKeyDown={onKeyDown}
        onToggle={onToggle}
        onClick={() => list.current?.hidePopover()}
      >
        {children}
      </div>
    </div>
  );
}
