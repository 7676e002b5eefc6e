import type { RawCheck } from '../../domain/check.ts';
import type { CheckNote } from '../../domain/check-note.ts';

/** The parts of axe's results that are read here (axe-core's doc/API.md, "Results Object"). */

/** Selectors from the outermost document inwards; a list within is a path through shadow roots. */
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

/** The outcomes of `axe.run` that become issues. */
export interface AxeResults {
  readonly violations: readonly AxeRule[];
  readonly incomplete: readonly AxeRule[];
}

/** The places of the nodes of each rule among the elements of the page, in the order of `AxeResults`. */
export interface AxePlaces {
  readonly violations: readonly (readonly number[])[];
  readonly incomplete: readonly (readonly number[])[];
}

/** A frame in which something was found. */
export interface FrameAddress {
  /** The selectors that lead to the frame: a node's target without its last part. */
  readonly path: AxeTarget;
  readonly url: string;
}

/** What axe found in a page. */
interface AxeFindings {
  readonly results: AxeResults;
  readonly places: AxePlaces;
  /** All that `axe.run` gives, where it is to be kept; else null. */
  readonly full: RawCheck | null;
}

/** The raw accessibility check of a page. */
export interface AxeRaw {
  /** What is to be known about the page as it was checked. */
  readonly notes: readonly CheckNote[];
  readonly frames: readonly FrameAddress[];
  readonly found: AxeFindings;
}

/** Two targets lead to the same frame exactly when this is the same. */
export function framePathKey(path: AxeTarget): string {
  return JSON.stringify(path);
}
