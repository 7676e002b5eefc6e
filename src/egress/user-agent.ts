/** The product token of the user agent, which robots.txt files match. */
export const PRODUCT_TOKEN = 'sitewarden';

/**
 * Returns the user agent of the spider, which the browser appends to its own.
 * @param contactUrl a page for site owners about who runs this installation; null for none
 */
export function userAgent(version: string, contactUrl: string | null): string {
  const product = `${PRODUCT_TOKEN}/${version}`;
  return contactUrl === null ? product : `${product} (+${contactUrl})`;
}
