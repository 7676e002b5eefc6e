import type { Redact } from '../domain/redaction.ts';
import type { CrawlProgress, PageContent } from '../store/crawl-progress.ts';

/** What a crawl is about to save, without what signs in to the site. URLs stay: they are the site's own. */
export function redactProgress(progress: CrawlProgress, redact: Redact): CrawlProgress {
  return {
    ...progress,
    pages: progress.pages.map((page) => ({ ...page, content: redactContent(page.content, redact) })),
    discovered: progress.discovered.map((found) => ({ ...found, detail: redact(found.detail) })),
    crawlError: redact(progress.crawlError),
  };
}

/** The same of one page. The bytes of its document stay as they were sent. */
export function redactContent(content: PageContent, redact: Redact): PageContent {
  if (!('document' in content)) return redact(content);
  const { document, title, rendering } = content;
  const told = { ...content, document: redact(document), title: redact(title) };
  return rendering === undefined ? told : { ...told, rendering: redact(rendering) };
}
