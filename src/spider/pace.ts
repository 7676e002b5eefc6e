import { fetchesInFlightMax } from './limits.ts';

/** The smallest part of its rate that a crawl slows down to when the site says that it is busy. */
const busyShareMin = 1 / 16;
/** The same for answers that fail in a row, which on some sites are the pages' own fault. */
const falterShareMin = 1 / 4;
/** The part of its rate that a crawl wins back at a time, once all is well for `recoveryMs`. */
const recoveryShare = 1 / 16;
const recoveryMs = 2_000;
/** Answers whose median tells how long the site takes now: a few slow pages among others change nothing. */
const recentAnswers = 5;
/** The site strains when its answers take longer than `strainFactor` times what is usual, and this on top. */
const strainFactor = 3;
const strainMarginMs = 250;
/**
 * What is usual is a time that a third of the answers stay below: each answer above raises it a little, each one below
 * lowers it by twice as much. While the site strains it rises slower, so that what is slow becomes usual only when it lasts.
 */
const usualRise = 1.02;
const usualRiseInStrain = 1.005;
const usualFall = 0.96;

/** How fast a site lets itself be asked: as fast as it may be, unless it is busy, fails, or gets slow. */
export interface Pace {
  /** Milliseconds between two requests. */
  spacingMs(): number;
  /** Requests that may be under way at a time. */
  inFlightMax(): number;
  /** The site said that it is busy: half as fast. */
  busy(): void;
  /** Several answers in a row have failed: half as fast, but not ever slower. */
  faltered(): void;
  /** An answer was as it should be: if it was not so before, a little faster. */
  wentWell(): void;
  /** A request was answered to the end, or failed, so long after it was written. */
  took(ms: number): void;
  /** Lets requests come at least this many milliseconds apart. */
  spaceOut(spacingMs: number): void;
}

export function createPace(requestsPerSecond: number, now: () => number): Pace {
  let fullSpacingMs = 1_000 / requestsPerSecond;
  let share = 1;
  let changedAt = now();
  let usualMs: number | null = null;
  let recent: number[] = [];

  /** From 1, where all is usual, upwards. */
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
