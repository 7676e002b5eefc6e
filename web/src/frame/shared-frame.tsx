import { Outlet } from '@tanstack/react-router';
import { buttonClass } from '../parts/button.tsx';
import { ToastProvider } from '../parts/toast.tsx';
import styles from './frame.module.css';
import { LiveProvider } from './live-provider.tsx';
import { Reveal } from './reveal.tsx';
import { ThemeChoice } from './theme-choice.tsx';

/** What surrounds the screens of a shared report, whose readers need no account. */
export function SharedFrame() {
  return (
    <ToastProvider>
      <a className={`visually-hidden ${styles.skip}`} href="#content">
        Skip to content
      </a>
      <header className={styles.header}>
        <span className={styles.name}>sitewarden</span>
        <div className={styles.tools}>
          <ThemeChoice className={buttonClass()} />
        </div>
      </header>
      <main id="content" className={styles.main} tabIndex={-1}>
        <LiveProvider>
          <Reveal>
            <Outlet />
          </Reveal>
        </LiveProvider>
      </main>
    </ToastProvider>
  );
}
