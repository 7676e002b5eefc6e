/** What people do with a page. Scrolling counts by the wheel, since pages also scroll by themselves. */
const ACTIONS = ['pointerdown', 'keydown', 'wheel', 'touchstart', 'visibilitychange'] as const;
/** For this long after an action, what the page asks for is taken to follow from it. */
const presentMs = 60_000;

let lastActionAt = Date.now();

/** Notes from now on when somebody uses this tab. */
export function watchPresence(): void {
  const note = (): void => {
    if (!document.hidden) lastActionAt = Date.now();
  };
  for (const type of ACTIONS) document.addEventListener(type, note, { capture: true, passive: true });
}

/** Whether nobody has used this tab for a while. What it then asks for does not keep the session alive. */
export function isUnattended(): boolean {
  return Date.now() - lastActionAt > presentMs;
}
