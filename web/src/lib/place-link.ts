import type { Kind } from './kinds.ts';

/** A place on a page of a report, as the API names it. */
interface Place {
  readonly web_page_id: string;
  /** The id of an occurrence: that of the page's issue, and the position in it from 0. */
  readonly place: string;
}

/** Returns the path and the search of the screen of the page, open at the place. */
export function placeLink(base: string, kind: Kind, { web_page_id: page, place }: Place) {
  const [issue = '', position = '0'] = place.split('-');
  return { to: `${base}/pages/${page}`, search: { issue: `${kind}-${issue}`, place: String(Number(position) + 1) } };
}
