/** The product token by which we name ourselves to sites, and by which their robots.txt files name us. */
export const PRODUCT_TOKEN = 'sitewarden';

/**
 * How we name ourselves to the sites that we visit: the spider by this alone, the browser after its own name.
 *
 * @param contactUrl where a site's owner learns who runs this installation; null for nowhere
 */
export function userAgent(version: string, contactUrl: string | null): string {
  const product = `${PRODUCT_TOKEN}/${version}`;
  return contactUrl === null ? product : `${product} (+${contactUrl})`;
}
