import { setTimeout as delay } from 'node:timers/promises';
import { CheckFailure } from '../../domain/check-failure.ts';
import { probeIntervalMs } from './limits.ts';

/** Finds pages whose scripts never end: their main thread answers nothing. */
export interface HangDetector {
  /** Awaits an answer of the page. @throws CheckFailure when the page has owed an answer for as long as the limit */
  watch<T>(answer: Promise<T>): Promise<T>;
  /**
   * Awaits work in the page that may take any time, while asking now and then whether the main thread responds.
   * @throws CheckFailure when it does not
   */
  whileResponsive<T>(work: Promise<T>, probe: () => Promise<unknown>): Promise<T>;
}

/**
 * The limit counts from the first question that the page has not answered, over several calls. Time in which it was asked
 * nothing does not count: after waiting for its turn among other pages, a page may be as responsive as ever.
 */
export function createHangDetector(limitMs: number): HangDetector {
  let owesSince: number | null = null;
  const watch = async <T>(answer: Promise<T>): Promise<T> => {
    owesSince ??= performance.now();
    try {
      return await withinLimit(answer, owesSince + limitMs - performance.now());
    } finally {
      owesSince = null;
    }
  };
  return {
    watch,
    async whileResponsive(work, probe) {
      let isOver = false;
      const over = work.finally(() => {
        isOver = true;
      });
      for (;;) {
        await Promise.race([over, delay(probeIntervalMs, undefined, { ref: false })]);
        if (isOver) return over;
        await Promise.race([over, watch(probe())]);
      }
    },
  };
}

async function withinLimit<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const hang = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => hang.reject(new CheckFailure({ code: 'script_without_end', params: {} }, { permanent: true })),
    Math.max(0, limitMs),
  );
  try {
    return await Promise.race([work, hang.promise]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
