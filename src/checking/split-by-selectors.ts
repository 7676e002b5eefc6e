import { partOf } from '../issues/part-of-issue.ts';
import { reportedElement } from '../page-source/markup.ts';
import { createSelectorMatcher } from '../page-source/select-elements.ts';
import type { SourceElement } from '../page-source/source-element.ts';
import type { IdentifiedIssue } from '../store/issues/packed-issues.ts';

/** The parts of an occurrence that selectors can match. */
export interface SelectableOccurrence {
  /** Null if the element is not in the source. */
  readonly element: SourceElement | null;
  readonly markup: string;
  /** As the report shows it; null for engines without selectors. */
  readonly selector: string | null;
}

/** Splits the issues of a page by the selectors of mutings that match their occurrences, so that some of them can be muted. */
export interface IssueSplitter {
  split(issue: IdentifiedIssue, occurrences: readonly SelectableOccurrence[]): readonly IdentifiedIssue[];
  /** Whether selectors took too long, so that they were ignored for the rest of the page. */
  isExhausted(): boolean;
}

/**
 * Creates a splitter for a page. An element that is not in the source, because a script created it or it is in a frame, is
 * matched by its own start tag, and by the selector that the report shows.
 */
export function createSplitter(selectors: readonly string[]): IssueSplitter {
  const matcher = createSelectorMatcher(selectors);
  const matching = ({ element, markup, selector: shown }: SelectableOccurrence): readonly string[] => {
    const known = element ?? reportedElement(markup);
    const around = known === null ? [] : matcher.matching(known);
    return selectors.filter((selector) => selector === shown || around.includes(selector));
  };
  return {
    split(issue, occurrences) {
      const groups = Map.groupBy(occurrences.keys(), (index) =>
        JSON.stringify(occurrences[index] && matching(occurrences[index])),
      );
      if (groups.size === 0) return [issue];
      return [...groups].map(([key, indexes]) => ({
        ...(indexes.length === occurrences.length ? issue : partOf(issue, indexes)),
        selectors: JSON.parse(key),
      }));
    },
    isExhausted: matcher.isExhausted,
  };
}
