/** Why a sitemap cannot be read on, as a clause of which the sitemap is the subject. */
export class SitemapFault extends Error {
  override readonly name = 'SitemapFault';
}
