/** A mark of a journey: a step that checks the page as it is at that moment. */
export interface Mark {
  readonly journey: string;
  /** The name of the mark. */
  readonly step: string;
}

/** Returns what a page is called where its URL is shown to people: `Checkout › Filled cart` for a mark. */
export function pageName(url: string): string {
  const mark = markIn(url);
  return mark === null ? url : `${mark.journey} › ${mark.step}`;
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
  const at = url.indexOf(PREFIX);
  const [journey, step, ...others] = at === -1 ? [] : url.slice(at + PREFIX.length).split('/');
  if (journey === undefined || step === undefined || others.length > 0) return null;
  try {
    return { journey: decodeURIComponent(journey), step: decodeURIComponent(step) };
  } catch {
    return null;
  }
}
