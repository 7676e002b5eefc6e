import { type ReactNode, useId, useRef } from 'react';
import { buttonClass } from './button.tsx';
import styles from './menu.module.css';

/** A button that opens a list of links and buttons. The browser closes it with Escape and by a click elsewhere. */
export function Menu({
  label,
  isIcon = false,
  children,
}: {
  readonly label: ReactNode;
  /** Whether the label is an icon that already indicates a menu. */
  readonly isIcon?: boolean;
  readonly children: ReactNode;
}) {
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  return (
    <div className={styles.menu}>
      <button type="button" className={buttonClass()} popoverTarget={id}>
        {label}
        {isIcon ? null : <span aria-hidden="true">▾</span>}
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the buttons inside handle keys; their clicks arrive here. */}
      <ul ref={list} id={id} popover="auto" className={styles.list} onClick={() => list.current?.hidePopover()}>
        {children}
      </ul>
    </div>
  );
}
