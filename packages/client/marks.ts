/** A mark of a journey: a step that checks the page as it is at that moment. */
export interface Mark {
  readonly journey: string;
  /** The name of the mark. */
  readonly step: string;
}

/** Returns what a page is called where its URL is shown to people: `Checkout › Filled cart` for a mark. */
export function pageName(url: string): string {
  const mark = markIn(url);
  return mark ? `${mark.journey} › ${mark.step}` : url;
}

const PREFIX = '#journey/';

/**
 * Returns the URL that identifies a mark among the pages of a report. Other pages have no fragment.
 * @param startingUrl of the report
 */
export function markUrl(startingUrl: string, { journey, step }: Mark): string {
  return new URL(`/${partOfJourney(journey)}${encodeURIComponent(step)}`, startingUrl).href;
}

/** Returns the part of URLs that the marks of a journey have in common. */
export function partOfJourney(journey: string): string {
  return `${PREFIX}${encodeURIComponent(journey)}/`;
}

/** Returns the mark that a page is; null if it is another page. */
export function markIn(url: string): Mark | null {
  const part = /#journey\/([^/]+)\/([^/]+)$/.exec(url);
  return part && { journey: decoded(part[1]), step: decoded(part[2]) };
}

/** Decodes what `encodeURIComponent` has encoded. Unlike `decodeURIComponent`, it accepts any text. */
function decoded(text = ''): string {
  return new URLSearchParams(`=${text}`).get('') ?? '';
}
