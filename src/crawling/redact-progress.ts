import type { WebPageContent } from '../domain/fetched-page.ts';
import { type Redaction, redacted } from '../domain/redaction.ts';
import type { CrawlProgress } from '../store/reports/crawl-progress.ts';

/** Masks the site credentials in the data that a crawl saves, except in the URLs of pages. */
export function redactProgress(progress: CrawlProgress, redaction: Redaction | null): CrawlProgress {
  if (redaction === null) return progress;
  const { pages, discovered, crawlError } = progress;
  return {
    ...progress,
    pages: pages.map((page) => ({ ...page, content: redactContent(page.content, redaction) })),
    discovered: discovered.map((found) => ({ ...found, detail: found.detail && redacted(found.detail, redaction) })),
    crawlError: crawlError && redacted(crawlError, redaction),
  };
}

/** Masks the site credentials in a page, except in the bytes of its document. */
export function redactContent(content: WebPageContent, redaction: Redaction | null): WebPageContent {
  if (redaction === null) return content;
  const { inPage } = redaction;
  if (content.kind === 'failed') {
    return { ...content, contentType: inPage(content.contentType), failure: redacted(content.failure, redaction) };
  }
  const { document, title, rendering } = content;
  const headers = document.headers.map(([name, value]) => [name, inPage(value)] as const);
  const masked = {
    ...content,
    document: { ...document, contentType: inPage(document.contentType), headers },
    title: title === null ? null : inPage(title),
  };
  if (rendering === undefined) return masked;
  return { ...masked, rendering: { ...rendering, error: rendering.error && redacted(rendering.error, redaction) } };
}
