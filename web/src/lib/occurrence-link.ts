import type { Kind } from './kinds.ts';

/** Identifies an occurrence on a page of a report. */
interface Occurrence {
  readonly web_page_id: string;
  /** The id of an occurrence: the id of the page's issue, and the position in it from 0. */
  readonly occurrence: string;
}

/** Returns the path and the search of the page's screen with this occurrence selected. */
export function occurrenceLink(base: string, kind: Kind, { web_page_id: page, occurrence }: Occurrence) {
  const [issue = '', position = '0'] = occurrence.split('-');
  return {
    to: `${base}/pages/${page}`,
    search: { issue: `${kind}-${issue}`, occurrence: String(Number(position) + 1) },
  };
}
