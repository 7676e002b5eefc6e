import { typeInWords } from './wording.ts';

interface ReadSoFar {
  /** Number of URLs that were read before. */
  readonly urls: number;
}
interface Line extends ReadSoFar {
  readonly line: number;
}

const after = ({ urls }: ReadSoFar): string => `after ${urls} ${urls === 1 ? 'URL' : 'URLs'}`;

/** Failures of sitemaps, as clauses with the sitemap as the subject. Without a full stop. */
export const SITEMAP_FAILURES = {
  sitemap_xml_broken: (at: Line) => `its XML is invalid in line ${at.line}, ${after(at)}`,
  sitemap_too_deep: (at: Line) => `its elements are nested too deeply in line ${at.line}, ${after(at)}`,
  sitemap_too_large: ({ mebibytes, ...so }: ReadSoFar & { readonly mebibytes: number }) =>
    `it is larger than ${mebibytes} MiB, ${after(so)}`,
  sitemap_gzip_broken: (so: ReadSoFar) => `its gzip data is invalid, ${after(so)}`,
  sitemap_nested_too_deep: () => 'it is nested too deeply',
  sitemap_elsewhere: () => 'it is on another site',
  sitemap_is_html: () => 'it is an HTML page, not a sitemap',
  sitemap_is_other: ({ content_type: type }: { readonly content_type: string }) =>
    `it is not a sitemap: its answer ${typeInWords(type)}`,
  sitemap_redirects: ({ max }: { readonly max: number }) => `it redirects more than ${max} times`,
  sitemap_lists_too_many: ({ max, not_read: notRead }: { readonly max: number; readonly not_read: number }) =>
    `it lists more than ${max} sitemaps, of which ${notRead} were not read`,
};
