/** Why a sitemap cannot be read, as a sentence without its full stop. */
export class SitemapFault extends Error {
  override readonly name = 'SitemapFault';
}
