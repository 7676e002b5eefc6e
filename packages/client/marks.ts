/** A mark of a journey: a step that checks the page as it is at that moment. */
export interface Mark {
  readonly journey: string;
  /** The name of the mark, or `JOURNEY_END`. */
  readonly step: string;
}

/** Characters of the name of a journey, and of a mark. They are part of URLs. */
export const journeyNameMaxCharacters = 80;
/** Stands for a mark after the last step. Marks have a name, so no other mark is called like this. */
export const JOURNEY_END = '';

/** Returns what a page is called where its URL is shown to people: `Checkout › Filled cart` for a mark. */
export function pageName(url: string): string {
  const mark = markIn(url);
  if (mark === null) return url;
  return `${mark.journey} › ${mark.step === JOURNEY_END ? 'end' : mark.step}`;
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
  const part = /#journey\/([^/]+)\/([^/]*)$/.exec(url);
  return part && { journey: decoded(part[1]), step: decoded(part[2]) };
}

/** Returns the attributes `journey` and `journey_step` of a page. @param mark null for a page that is not one */
export function journeyPlace(mark: Mark | null): {
  readonly journey: string | null;
  readonly journey_step: string | null;
} {
  return {
    journey: mark?.journey ?? null,
    journey_step: mark === null || mark.step === JOURNEY_END ? null : mark.step,
  };
}

/** Decodes what `encodeURIComponent` has encoded. Unlike `decodeURIComponent`, it accepts any text. */
function decoded(text = ''): string {
  return new URLSearchParams(`=${text}`).get('') ?? '';
}
