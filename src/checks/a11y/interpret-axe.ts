import { type Certainty, type FoundIssue, IMPACTS, type Impact, type Json, type RawCheck } from '../../domain/check.ts';
import type { CheckNote } from '../../domain/check-note.ts';
import { COLOR_RULES } from '../../domain/color-rules.ts';
import type { ConsentOutcome } from '../../domain/consent.ts';
import type { LoadedResources } from '../../domain/loaded-resource.ts';
import type { OpeningStep } from '../../domain/reached-by.ts';
import { locateElements } from '../../page-source/locate-element.ts';
import type { PageElement } from '../../page-source/page-element.ts';
import type { SourceTree } from '../../page-source/source-tree.ts';
import type { Interpretation } from '../check-engine.ts';
import { createColorStyles } from './color-styles.ts';
import { editedPartOf } from './edits.ts';
import { findEdited } from './find-edited.ts';
import type { LocatedStyleRules } from './locate-style-rules.ts';

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

/** `[x, y, width, height]` in CSS pixels from the top left corner of the page. */
export type Box = readonly [x: number, y: number, width: number, height: number];

/** The position of a node in the page. */
export interface AxePosition {
  /**
   * Its position among the elements of the page. For a node in a frame or a shadow root, the position of the outermost frame or
   * shadow host.
   */
  readonly order: number;
  /** Its position in `AxeFindings.elements`; -1 in a frame or a shadow root. */
  readonly element: number;
  /** Null if it is not visible, or in a frame. */
  readonly box: Box | null;
}

/** The positions of the nodes, by rule in the order of `AxeResults`. */
interface AxePositions {
  readonly violations: readonly (readonly AxePosition[])[];
  readonly incomplete: readonly (readonly AxePosition[])[];
}

/** A frame with issues. */
export interface FrameAddress {
  /** The selectors of the frame: the target of its nodes without the last part. */
  readonly path: AxeTarget;
  readonly url: string;
}

/** The output of axe in a page. */
interface AxeFindings {
  readonly results: AxeResults;
  readonly positions: AxePositions;
  /** The nodes in the page itself, with their ancestors. */
  readonly elements: readonly PageElement[];
  /** The whole results of `axe.run`, if they are to be stored; otherwise null. */
  readonly full: RawCheck | null;
}

/** The raw accessibility check of a page. */
export interface AxeRaw {
  /** Notes on how the page was checked. */
  readonly notes: readonly CheckNote[];
  /** The resources of the page, as `Interpretation.resources`. */
  readonly resources: string;
  /** As `Interpretation.loaded`. */
  readonly loaded?: LoadedResources | null;
  /** The style rules that set the colors of elements; null, or absent, if they are not known. */
  readonly styleRules?: LocatedStyleRules | null;
  /** The versions of axe and the browser. */
  readonly engineVersion: string;
  readonly frames: readonly FrameAddress[];
  readonly found: AxeFindings;
  /** As in `ShownAs`. */
  readonly openedStates?: number;
  readonly consent?: ConsentOutcome;
  /** The states of the page that have more findings; absent if none were opened. */
  readonly states?: readonly AxeState[];
}

/** What axe found in a state of a page, and in no earlier state. */
interface AxeState extends Pick<AxeRaw, 'styleRules' | 'frames' | 'found'> {
  readonly reachedBy: readonly OpeningStep[];
}

interface LocatedNode {
  readonly node: AxeNode;
  readonly position: AxePosition;
}

interface LocatedIssue {
  readonly issue: FoundIssue;
  /** The `order` of its first node. */
  readonly order: number;
}

const NOWHERE: AxePosition = { order: 0, element: -1, box: null };

/** Interprets the output of `runAxe`, which is trusted to have the expected type. */
export function interpretAxeAnswer(
  answer: Uint8Array,
  pageUrl: string,
  source: () => SourceTree | null = () => null,
): Interpretation {
  const raw: AxeRaw = JSON.parse(Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength).toString('utf8'));
  return {
    issues: interpretAxe(raw, pageUrl, source),
    notes: raw.notes,
    resources: raw.resources,
    loaded: raw.loaded ?? null,
    engineVersion: raw.engineVersion,
    shownAs: { openedStates: raw.openedStates ?? null, consent: raw.consent ?? null },
    rawCheck: () => raw.found.full,
  };
}

/**
 * Returns the issues of a raw check, one for each rule, outcome and document (the page or a frame), in the order of their first
 * elements in the page. Violations are errors, and results that require review are warnings. What was found in states of the page
 * comes last, so that the numbers of equal occurrences in the page itself do not depend on it.
 */
export function interpretAxe(
  raw: AxeRaw,
  pageUrl: string,
  source: () => SourceTree | null = () => null,
): readonly FoundIssue[] {
  const ofStates = (raw.states ?? []).flatMap(({ reachedBy, ...state }) =>
    issuesOfState(state, pageUrl, source).map((issue) => ({ ...issue, occurrences: inState(issue, reachedBy) })),
  );
  const merged = new Map<string, FoundIssue>();
  for (const issue of [...issuesOfState(raw, pageUrl, source), ...ofStates]) {
    const key = JSON.stringify([issue.type, issue.ruleId, issue.url]);
    const known = merged.get(key);
    const occurrences = [known?.occurrences ?? [], issue.occurrences].flat();
    merged.set(key, { ...(known ?? issue), howMany: (known?.howMany ?? 0) + issue.howMany, occurrences });
  }
  return [...merged.values()];
}

/** Returns the occurrences of an issue with the steps that lead to their state. The screenshot of the page does not show them. */
function inState({ occurrences }: FoundIssue, reachedBy: readonly OpeningStep[]): Json {
  const steps = reachedBy.map((step) => ({ ...step }));
  return (occurrences as readonly { readonly place: object }[]).map((occurrence) => ({
    ...(occurrence as Readonly<Record<string, Json>>),
    place: { ...occurrence.place, box: null },
    reached_by: steps,
  }));
}

function issuesOfState(
  raw: Pick<AxeRaw, 'styleRules' | 'frames' | 'found'>,
  pageUrl: string,
  source: () => SourceTree | null,
): readonly FoundIssue[] {
  const { results, positions, elements } = raw.found;
  const tree = elements.length === 0 ? null : source();
  const located = tree === null ? [] : locateElements(tree, elements);
  const editedOf = findEdited(tree, elements, located);
  const stylesOf = createColorStyles(raw.styleRules ?? null, tree);
  const urls = new Map(raw.frames.map((frame) => [framePathKey(frame.path), frame.url]));
  const issues = [
    ...issuesOf(results.violations, positions.violations, 'error'),
    ...issuesOf(results.incomplete, positions.incomplete, 'warning'),
  ];
  // Sorting is stable: at the same position, errors come before warnings, and rules keep axe's order.
  return issues.sort((a, b) => a.order - b.order).map(({ issue }) => issue);

  function issuesOf(
    rules: readonly AxeRule[],
    rulePositions: AxePositions['incomplete'],
    type: Certainty,
  ): LocatedIssue[] {
    return rules.flatMap((rule, index) => {
      const nodes = rule.nodes.map((node, at) => ({ node, position: rulePositions[index]?.[at] ?? NOWHERE }));
      return [...Map.groupBy(nodes, ({ node }) => documentUrl(node.target))].map(([url, group]) =>
        issueOf(rule, type, url, group),
      );
    });
  }

  function issueOf(rule: AxeRule, type: Certainty, url: string, nodes: readonly LocatedNode[]): LocatedIssue {
    const inOrder = [...nodes].sort((a, b) => a.position.order - b.position.order);
    const issueType = { type, subType: null, message: rule.help, ruleId: rule.id, helpUrl: rule.helpUrl };
    const occurrences = inOrder.map((placed) => occurrenceOf(placed, rule.id));
    return {
      order: inOrder[0]?.position.order ?? 0,
      issue: { ...issueType, impact: impactOf(rule), tags: rule.tags, url, howMany: inOrder.length, occurrences },
    };
  }

  function occurrenceOf({ node, position }: LocatedNode, rule: string): Json {
    const target: Json = node.target.map((part) => (typeof part === 'string' ? part : [...part]));
    const found = located[position.element];
    // An implied element, such as `<tbody>`, is not in the source.
    const start = found?.element?.start ?? -1;
    const { line, column } = (start >= 0 && tree?.lines.locationOf(start)) || { line: null, column: null };
    const location = { line, column, made_by_script: found?.isMadeByScript ?? false, box: position.box };
    const edited = editedOf(position.element, editedPartOf(rule));
    const occurrence = { html: node.html, target, failure_summary: node.failureSummary ?? '', place: location };
    return {
      ...occurrence,
      ...(edited === null ? {} : { edited }),
      ...(COLOR_RULES.includes(rule) ? stylesOf(position.element, node.failureSummary ?? '') : {}),
    };
  }

  function documentUrl(target: AxeTarget): string {
    return target.length < 2 ? pageUrl : (urls.get(framePathKey(target.slice(0, -1))) ?? pageUrl);
  }
}

/** Results without an impact count as minor. */
function impactOf(rule: AxeRule): Impact {
  return IMPACTS.find((impact) => impact === rule.impact) ?? 'minor';
}

/** Returns a key that is equal for paths to the same frame. */
function framePathKey(path: AxeTarget): string {
  return JSON.stringify(path);
}
