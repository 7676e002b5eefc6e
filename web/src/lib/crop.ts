/** `[x, y, width, height]` in CSS pixels, from the top left corner of the page. */
export type Box = readonly [x: number, y: number, width: number, height: number];

const marginPixels = 96;
/** A smaller part of the page would not show where the element is. */
const minPixels = { width: 480, height: 240 };
/** Taller parts would not fit next to the source. */
const ratioMax = 0.75;

/**
 * Returns the part of a screenshot that shows an element with its surroundings.
 * @param box of the element
 * @param page width and height of the screenshot in CSS pixels
 * @returns null if the screenshot does not show the element
 */
export function cropAround(
  [x, y, width, height]: Box,
  page: { readonly width: number; readonly height: number },
): Box | null {
  if (x >= page.width || y >= page.height || x + width <= 0 || y + height <= 0) return null;
  const cropWidth = Math.min(page.width, Math.max(minPixels.width, width + 2 * marginPixels));
  const cropHeight = Math.min(
    page.height,
    Math.max(minPixels.height, height + 2 * marginPixels),
    Math.max(minPixels.height, cropWidth * ratioMax),
  );
  return [startOf(x, width, cropWidth, page.width), startOf(y, height, cropHeight, page.height), cropWidth, cropHeight];
}

/** Centers an element in its crop. If it is larger, its start is shown. */
function startOf(at: number, size: number, crop: number, page: number): number {
  const start = size > crop - marginPixels ? at - marginPixels / 2 : at + size / 2 - crop / 2;
  return Math.min(Math.max(0, start), page - crop);
}

/** Returns where a box is in a part of the page, in percent of the part. */
export function percentIn(
  [x, y, width, height]: Box,
  [left, top, cropWidth, cropHeight]: Box,
): { readonly left: string; readonly top: string; readonly width: string; readonly height: string } {
  const percent = (part: number, whole: number): string => `${(part / whole) * 100}%`;
  return {
    left: percent(x - left, cropWidth),
    top: percent(y - top, cropHeight),
    width: percent(width, cropWidth),
    height: percent(height, cropHeight),
  };
}
