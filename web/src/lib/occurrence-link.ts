import type { Kind } from './kinds.ts';

/** Identifies an occurrence on a page of a report. */
interface Occurrence {
  readonly web_page_id: string;
  /** The id of an occurrence: the id of the page's issue, and the position in it from 0. */
  readonly occurrence: string;
}

/**
 * Returns the path and the search of the page's screen with this occurrence selected.
 * @param muted as in the list that has the occurrence
 */
export function occurrenceLink(
  base: string,
  kind: Kind,
  { web_page_id: page, occurrence }: Occurrence,
  muted: string | undefined,
) {
  const [issue = '', position = '0'] = occurrence.split('-');
  return {
    to: `${base}/pages/${page}`,
    search: { issue: `${kind}-${issue}`, occurrence: String(Number(position) + 1), muted },
  };
}
