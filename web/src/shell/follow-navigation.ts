import type { AnyRouter } from '@tanstack/react-router';

/** How long the heading of a new screen may take to appear. */
const headingMs = 5_000;

/**
 * Moves the focus to the heading of each new screen, as the browser does after loading a page, and sets the window title to it.
 * Back and forward keep the state that the browser restores.
 */
export function followNavigation(router: AnyRouter): void {
  let path = location.pathname;
  const title = new MutationObserver(() => nameWindow());
  title.observe(document.body, { childList: true, subtree: true, characterData: true });
  router.subscribe('onResolved', ({ toLocation }) => {
    if (toLocation.pathname === path) return;
    path = toLocation.pathname;
    focusHeading(path);
  });
}

function nameWindow(): void {
  const heading = document.querySelector('h1')?.textContent;
  const title = heading === undefined || heading === '' ? 'sitewarden' : `${heading} – sitewarden`;
  if (document.title !== title) document.title = title;
}

function focusHeading(path: string): void {
  const startedAt = performance.now();
  const attempt = (): void => {
    const heading = document.querySelector<HTMLElement>('h1');
    if (location.pathname !== path) return;
    if (heading !== null) heading.focus({ preventScroll: true });
    else if (performance.now() - startedAt < headingMs) requestAnimationFrame(attempt);
  };
  requestAnimationFrame(attempt);
}
