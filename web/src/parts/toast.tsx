import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from './button.tsx';
import styles from './toast.module.css';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly title: string; run(): void } | undefined;
}

type Say = (text: string, action?: Toast['action']) => void;

const shownMs = 8_000;
/** Long enough to reach its action with the keyboard or a screen reader. */
const shownWithActionMs = 30_000;
const ToastContext = createContext<Say>(() => undefined);

/** A short message about what happened. Never the only place where this information is shown. */
export function useToast(): Say {
  return useContext(ToastContext);
}

/** Shows the toasts of `useToast`. A toast stays while it is hovered or focused. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const nextId = useRef(0);
  const say = useCallback<Say>((text, action) => {
    nextId.current += 1;
    const toast = { id: nextId.current, text, action };
    setToasts((before) => [...before.slice(-2), toast]);
  }, []);
  const drop = useCallback((id: number) => setToasts((before) => before.filter((toast) => toast.id !== id)), []);
  const list = useMemo(
    () => toasts.map((toast) => <ToastLine key={toast.id} toast={toast} drop={drop} />),
    [toasts, drop],
  );
  return (
    <ToastContext value={say}>
      {children}
      <div className={styles.toasts} role="status">
        {list}
      </div>
    </ToastContext>
  );
}

function ToastLine({ toast, drop }: { readonly toast: Toast; readonly drop: (id: number) => void }) {
  const [isHeld, setHeld] = useState(false);
  const end = useCallback(() => drop(toast.id), [drop, toast.id]);
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(end, toast.action === undefined ? shownMs : shownWithActionMs);
    return () => clearTimeout(timer);
  }, [isHeld, end, toast.action]);
  const hold = (): void => setHeld(true);
  const release = (): void => setHeld(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only keeps it on the screen.
    <div className={styles.toast} onMouseEnter={hold} onMouseLeave={release} onFocus={hold} onBlur={release}>
      <span>{toast.text}</span>
      {toast.action === undefined ? null : (
        <Button
          look="quiet"
          onClick={() => {
            toast.action?.run();
            end();
          }}
        >
          {toast.action.title}
        </Button>
      )}
      <Button look="quiet" aria-label="Close" onClick={end}>
        ✕
      </Button>
    </div>
  );
}
