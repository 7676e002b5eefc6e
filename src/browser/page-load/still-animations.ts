/** The parts of a page's world that `stillInPage` touches; this file is not checked against a browser's types. */
interface PageAnimation {
  readonly playState: string;
  readonly timeline: unknown;
  readonly effect: { getComputedTiming(): { readonly endTime: number; readonly delay: number } } | null;
  currentTime: number;
  finish(): void;
  pause(): void;
}
declare const document: { readonly timeline: unknown; getAnimations(): PageAnimation[] };
declare function requestAnimationFrame(callback: () => void): void;

/**
 * An expression that brings the animations and transitions of a document to where they rest: those that end, to their
 * end; those without end, to their beginning, where they stay. Whatever their duration, and however late the machine is, a
 * page is then seen in the same state. Resolves after at most a number of ms, since what ends may begin others.
 */
export function stillAnimations(limitMs: number): string {
  return `(${stillInPage.toString()})(${limitMs}, ${ANIMATION_ROUNDS_MAX})`;
}

/** Animations that begin when others end are followed this far: a carousel has no last one. */
const ANIMATION_ROUNDS_MAX = 5;

/** Runs in the page, and so stands alone. */
async function stillInPage(limitMs: number, roundsMax: number): Promise<void> {
  const drawn = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(resolve));
  const still = (animation: PageAnimation): void => {
    try {
      const { endTime, delay } = animation.effect?.getComputedTiming() ?? { endTime: 0, delay: 0 };
      if (Number.isFinite(endTime)) {
        animation.finish();
      } else {
        animation.pause();
        animation.currentTime = delay;
      }
    } catch {
      // One that cannot be moved, as with a playback rate of zero, stands still already.
    }
  };
  const rest = async (): Promise<void> => {
    for (let round = 0; round < roundsMax; round += 1) {
      // Those that follow the scrolling have nothing to do with time.
      const moving = document
        .getAnimations()
        .filter(({ playState, timeline }) => playState === 'running' && timeline === document.timeline);
      if (moving.length === 0) return;
      moving.forEach(still);
      // Their events come with the next frame, and what these begin with the one after.
      await drawn();
      await drawn();
    }
  };
  await Promise.race([rest(), new Promise((over) => setTimeout(over, limitMs))]);
}
