import type { WebPageContent } from '../domain/fetched-page.ts';
import { type Redaction, redacted } from '../domain/redaction.ts';
import type { CrawlProgress } from '../store/crawl-progress.ts';

/** What a crawl is about to save, without what signs in to the site. URLs of pages stay: they are the site's own. */
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

/** The same of one page. The bytes of its document stay as they were sent. */
export function redactContent(content: WebPageContent, redaction: Redaction | null): WebPageContent {
  if (redaction === null) return content;
  const { inPage } = redaction;
  if (content.kind === 'failed') {
    return { ...content, contentType: inPage(content.contentType), failure: redacted(content.failure, redaction) };
  }
  const { document, title, rendering } = content;
  const headers = document.headers.map(([name, value]) => [name, inPage(value)] as const);
  const told = {
    ...content,
    document: { ...document, contentType: inPage(document.contentType), headers },
    title: title === null ? null : inPage(title),
  };
  if (rendering === undefined) return told;
  return { ...told, rendering: { ...rendering, error: rendering.error && redacted(rendering.error, redaction) } };
}
