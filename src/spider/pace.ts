import { fetchesInFlightMax } from './limits.ts';

/** The smallest share of its rate that a crawl slows down to when the site is busy. */
const busyShareMin = 1 / 16;
/** The same for several failures in a row, for which the pages may be to blame. */
const falterShareMin = 1 / 4;
/** The share of its rate that a crawl regains at a time, after `recoveryMs` without problems. */
const recoveryShare = 1 / 16;
const recoveryMs = 2_000;
/** Answers whose median is the current response time, so that a few slow pages change nothing. */
const recentAnswers = 5;
/** The site is under strain when the response time exceeds `strainFactor` times the usual one plus this margin. */
const strainFactor = 3;
const strainMarginMs = 250;
/**
 * The usual response time is one that a third of the answers stay below: each answer above raises it a little, each one
 * below lowers it twice as much. Under strain it rises more slowly, so that slow answers become usual only if they persist.
 */
const usualRise = 1.02;
const usualRiseInStrain = 1.005;
const usualFall = 0.96;

/** The rate of a crawl: the full one, unless the site is busy, fails, or becomes slow. */
export interface Pace {
  /** Milliseconds between two requests. */
  spacingMs(): number;
  /** Requests that may be under way at a time. */
  inFlightMax(): number;
  /** The site is busy: halves the rate. */
  busy(): void;
  /** Several answers in a row have failed: halves the rate, down to a higher minimum. */
  faltered(): void;
  /** A request succeeded: raises a reduced rate a little. */
  wentWell(): void;
  /** A request has ended or failed so many milliseconds after it was written. */
  took(ms: number): void;
  /** Keeps requests at least this many milliseconds apart. */
  spaceOut(spacingMs: number): void;
}

export function createPace(requestsPerSecond: number, now: () => number): Pace {
  let fullSpacingMs = 1_000 / requestsPerSecond;
  let share = 1;
  let changedAt = now();
  let usualMs: number | null = null;
  let recent: number[] = [];

  /** 1 if the response time is usual, else higher. */
  function strain(): number {
    if (usualMs === null || recent.length < recentAnswers) return 1;
    const median = recent.toSorted((a, b) => a - b)[recentAnswers >> 1] ?? 0;
    return Math.max(1, median / (strainFactor * usualMs + strainMarginMs));
  }

  function slowDown(shareMin: number): void {
    share = Math.min(share, Math.max(share / 2, shareMin));
    changedAt = now();
  }

  return {
    spacingMs: () => fullSpacingMs / Math.max(busyShareMin, share / strain()),
    inFlightMax: () => Math.max(1, Math.floor(fetchesInFlightMax / strain())),
    busy: () => slowDown(busyShareMin),
    faltered: () => slowDown(falterShareMin),
    wentWell() {
      if (share === 1 || now() - changedAt < recoveryMs) return;
      share = Math.min(1, share + recoveryShare);
      changedAt = now();
    },
    took(ms) {
      const rise = strain() > 1 ? usualRiseInStrain : usualRise;
      usualMs = usualMs === null ? ms : Math.max(1, usualMs * (ms > usualMs ? rise : usualFall));
      recent = [...recent, ms].slice(-recentAnswers);
    },
    spaceOut(spacingMs) {
      fullSpacingMs = Math.max(fullSpacingMs, spacingMs);
    },
  };
}
