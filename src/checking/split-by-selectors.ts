import { partOf } from '../issues/part-of-issue.ts';
import { reportedElement } from '../page-source/markup.ts';
import { compileSelector } from '../page-source/select-elements.ts';
import type { SourceElement } from '../page-source/source-element.ts';
import type { IdentifiedIssue } from '../store/issues/packed-issues.ts';

/** The parts of an occurrence that selectors can match. */
export interface SelectableOccurrence {
  /** Null if it is not in the source. */
  readonly element: SourceElement | null;
  readonly markup: string;
  /** As the report shows it; null for engines without selectors. */
  readonly selector: string | null;
}

/**
 * Returns a function that splits an issue by the selectors of mutings that match its occurrences, so that some of them can be
 * muted. An element that is not in the source, because a script created it or it is in a frame, is matched by its own start tag,
 * and by the selector that the report shows.
 */
export function createSplitter(
  selectors: readonly string[],
): (issue: IdentifiedIssue, occurrences: readonly SelectableOccurrence[]) => readonly IdentifiedIssue[] {
  const compiled = selectors.map((selector) => ({ selector, contains: compileSelector(selector) }));
  const matching = ({ element, markup, selector: shown }: SelectableOccurrence): readonly string[] => {
    const known = element ?? reportedElement(markup);
    return compiled.flatMap(({ selector, contains }) =>
      selector === shown || (known !== null && contains?.(known) === true) ? [selector] : [],
    );
  };
  return (issue, occurrences) => {
    const groups = Map.groupBy(occurrences.keys(), (index) =>
      JSON.stringify(occurrences[index] && matching(occurrences[index])),
    );
    if (groups.size === 0) return [issue];
    return [...groups].map(([key, indexes]) => ({
      ...(indexes.length === occurrences.length ? issue : partOf(issue, indexes)),
      selectors: JSON.parse(key),
    }));
  };
}
