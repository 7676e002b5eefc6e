import { type FoundIssue, IMPACTS, type Impact, type IssueType, type Json, type RawCheck } from '../../domain/check.ts';
import type { CheckNote } from '../../domain/check-note.ts';
import type { Interpretation } from '../check-engine.ts';

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
interface AxeResults {
  readonly violations: readonly AxeRule[];
  readonly incomplete: readonly AxeRule[];
}

/** The position of each node among the elements of the page, by rule in the order of `AxeResults`. */
interface AxePlaces {
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
  /** Of axe and the browser. */
  readonly engineVersion: string;
  readonly frames: readonly FrameAddress[];
  readonly found: AxeFindings;
}

interface PlacedNode {
  readonly node: AxeNode;
  readonly place: number;
}

interface PlacedIssue {
  readonly issue: FoundIssue;
  readonly place: number;
}

/** Interprets an answer of `runAxe`, which is trusted to have its type. */
export function interpretAxeAnswer(answer: Uint8Array, pageUrl: string): Interpretation {
  const raw: AxeRaw = JSON.parse(Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength).toString('utf8'));
  return {
    issues: interpretAxe(raw, pageUrl),
    notes: raw.notes,
    engineVersion: raw.engineVersion,
    rawCheck: () => raw.found.full,
  };
}

/**
 * Returns the issues of a raw check, one for each rule, outcome and document (the page or a frame), in the order of their first
 * elements in the page. Violations are errors, and results that require review are warnings.
 */
export function interpretAxe(raw: AxeRaw, pageUrl: string): readonly FoundIssue[] {
  const urls = new Map(raw.frames.map((frame) => [framePathKey(frame.path), frame.url]));
  const issues = [
    ...issuesOf(raw.found.results.violations, raw.found.places.violations, 'error'),
    ...issuesOf(raw.found.results.incomplete, raw.found.places.incomplete, 'warning'),
  ];
  // Sorting is stable: at the same position, errors come before warnings, and rules keep axe's order.
  return issues.sort((a, b) => a.place - b.place).map(({ issue }) => issue);

  function issuesOf(rules: readonly AxeRule[], places: readonly (readonly number[])[], type: IssueType): PlacedIssue[] {
    return rules.flatMap((rule, index) => {
      const nodes = rule.nodes.map((node, at) => ({ node, place: places[index]?.[at] ?? 0 }));
      return [...Map.groupBy(nodes, ({ node }) => documentUrl(node.target))].map(([url, group]) =>
        issueOf(rule, type, url, group),
      );
    });
  }

  function documentUrl(target: AxeTarget): string {
    return target.length < 2 ? pageUrl : (urls.get(framePathKey(target.slice(0, -1))) ?? pageUrl);
  }
}

function issueOf(rule: AxeRule, type: IssueType, url: string, nodes: readonly PlacedNode[]): PlacedIssue {
  const inOrder = [...nodes].sort((a, b) => a.place - b.place);
  return {
    place: inOrder[0]?.place ?? 0,
    issue: {
      type,
      subType: null,
      message: rule.help,
      ruleId: rule.id,
      helpUrl: rule.helpUrl,
      impact: impactOf(rule),
      tags: rule.tags,
      url,
      howMany: inOrder.length,
      occurrences: inOrder.map(({ node }) => occurrenceOf(node)),
    },
  };
}

function occurrenceOf(node: AxeNode): Json {
  const target: Json = node.target.map((part) => (typeof part === 'string' ? part : [...part]));
  return { html: node.html, target, failure_summary: node.failureSummary ?? '' };
}

/** Results without an impact count as minor. */
function impactOf(rule: AxeRule): Impact {
  return IMPACTS.find((impact) => impact === rule.impact) ?? 'minor';
}

/** Returns a key that is equal for paths to the same frame. */
function framePathKey(path: AxeTarget): string {
  return JSON.stringify(path);
}
