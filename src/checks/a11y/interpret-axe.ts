import { type FoundIssue, IMPACTS, type Impact, type IssueType, type Json } from '../../domain/check.ts';
import type { Interpretation } from '../check-engine.ts';
import { type AxeNode, type AxeRaw, type AxeRule, type AxeTarget, framePathKey } from './axe-raw.ts';

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
  return { issues: interpretAxe(raw, pageUrl), notes: raw.notes, rawCheck: () => raw.found.full };
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
