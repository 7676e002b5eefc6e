import { type ReactNode, useEffect, useId, useRef } from 'react';
import styles from './dialog.module.css';

/** A modal dialog. The browser keeps the focus inside, closes the dialog with Escape, and restores the focus. */
export function Dialog({
  title,
  isOpen,
  onClose,
  children,
  actions,
}: {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} className={styles.dialog} aria-labelledby={id} onClose={onClose}>
      {isOpen ? (
        <>
          <h2 id={id}>{title}</h2>
          <div className={styles.body}>{children}</div>
          {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
        </>
      ) : null}
    </dialog>
  );
}
