import type { RawCheck } from '../../domain/check.ts';
import type { CheckNote } from '../../domain/check-note.ts';

/** The parts of axe's results that are used here (axe-core's doc/API.md, "Results Object"). */

/** Selectors, one per frame from the outermost inwards. A list is a path through shadow roots. */
export type AxeTarget = readonly (string | readonly string[])[];

export interface AxeNode {
  readonly html: string;
  readonly target: AxeTarget;
  readonly failureSummary?: string;
}

export interface AxeRule {
  readonly id: string;
  readonly impact?: string | null;
  readonly tags: readonly string[];
  readonly help: string;
  readonly helpUrl: string;
  readonly nodes: readonly AxeNode[];
}

/** The results of `axe.run` that become issues. */
export interface AxeResults {
  readonly violations: readonly AxeRule[];
  readonly incomplete: readonly AxeRule[];
}

/** The position of each node among the elements of the page, by rule in the order of `AxeResults`. */
export interface AxePlaces {
  readonly violations: readonly (readonly number[])[];
  readonly incomplete: readonly (readonly number[])[];
}

/** A frame with issues. */
export interface FrameAddress {
  /** The selectors of the frame: the target of its nodes without the last part. */
  readonly path: AxeTarget;
  readonly url: string;
}

/** The answer of axe in a page. */
interface AxeFindings {
  readonly results: AxeResults;
  readonly places: AxePlaces;
  /** The whole results of `axe.run`, if they are to be stored; otherwise null. */
  readonly full: RawCheck | null;
}

/** The raw accessibility check of a page. */
export interface AxeRaw {
  /** Notes on how the page was checked. */
  readonly notes: readonly CheckNote[];
  readonly frames: readonly FrameAddress[];
  readonly found: AxeFindings;
}

/** Returns a key that is equal for paths to the same frame. */
export function framePathKey(path: AxeTarget): string {
  return JSON.stringify(path);
}
