/** Events that show that a person uses the page. Only scrolling by wheel counts, because pages also scroll on their own. */
const ACTIONS = ['pointerdown', 'keydown', 'wheel', 'touchstart', 'visibilitychange'] as const;
/** For this long after a user action, requests count as caused by it. */
const presentMs = 60_000;

let lastActionAt = Date.now();

/** Starts recording the time at which this tab was last used. */
export function watchPresence(): void {
  const note = (): void => {
    if (!document.hidden) lastActionAt = Date.now();
  };
  for (const type of ACTIONS) document.addEventListener(type, note, { capture: true, passive: true });
}

/** Whether this tab has not been used for a while. Its requests then do not keep the session alive. */
export function isUnattended(): boolean {
  return Date.now() - lastActionAt > presentMs;
}
