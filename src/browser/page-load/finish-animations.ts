/** The browser's types that `finishInPage` uses: this file is compiled without the DOM library. */
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
 * Returns an expression that finishes the animations and transitions of a document, and pauses infinite ones at their start, so
 * that a page is always checked in the same state. Resolves after `limitMs` at the latest, because finished animations may
 * start others.
 */
export function finishAnimations(limitMs: number): string {
  return `(${finishInPage.toString()})(${limitMs}, ${ANIMATION_ROUNDS_MAX})`;
}

/** How many times animations that start when others end are also finished: a carousel never ends. */
const ANIMATION_ROUNDS_MAX = 5;

/** Runs in the page, so it refers to nothing outside itself. */
async function finishInPage(limitMs: number, roundsMax: number): Promise<void> {
  const nextFrame = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(resolve));
  const finish = (animation: PageAnimation): void => {
    try {
      const { endTime, delay } = animation.effect?.getComputedTiming() ?? { endTime: 0, delay: 0 };
      if (Number.isFinite(endTime)) animation.finish();
      else {
        animation.pause();
        animation.currentTime = delay;
      }
    } catch {
      // An animation that cannot be finished, such as one with a playback rate of zero, does not move.
    }
  };
  const finishAll = async (): Promise<void> => {
    for (let round = 0; round < roundsMax; round += 1) {
      // Animations on other timelines follow scrolling.
      const running = document
        .getAnimations()
        .filter(({ playState, timeline }) => playState === 'running' && timeline === document.timeline);
      if (running.length === 0) return;
      running.forEach(finish);
      // Their events fire in the next frame, and animations that listeners start run from the frame after that.
      await nextFrame();
      await nextFrame();
    }
  };
  await Promise.race([finishAll(), new Promise((resolve) => setTimeout(resolve, limitMs))]);
}
