import type { Redaction } from '../domain/redaction.ts';
import type { CrawlProgress, PageContent } from '../store/crawl-progress.ts';

/** What a crawl is about to save, without what signs in to the site. URLs stay: they are the site's own. */
export function redactProgress(progress: CrawlProgress, redaction: Redaction | null): CrawlProgress {
  if (redaction === null) return progress;
  const { pages, discovered, crawlError } = progress;
  return {
    ...progress,
    pages: pages.map((page) => ({ ...page, content: redactContent(page.content, redaction) })),
    discovered: discovered.map((found) => ({ ...found, detail: inSentence(found.detail, redaction) })),
    crawlError: inSentence(crawlError ?? null, redaction) ?? undefined,
  };
}

/** The same of one page. The bytes of its document stay as they were sent. */
export function redactContent(content: PageContent, redaction: Redaction | null): PageContent {
  if (redaction === null) return content;
  const { inPage } = redaction;
  if (!('document' in content)) {
    const { contentType, message } = content;
    return { ...content, contentType: inPage(contentType), message: redaction.inSentence(message) };
  }
  const { document, title, rendering } = content;
  const headers = document.headers.map(([name, value]) => [name, inPage(value)] as const);
  const told = {
    ...content,
    document: { ...document, contentType: inPage(document.contentType), headers },
    title: title === null ? null : inPage(title),
  };
  if (rendering === undefined) return told;
  return { ...told, rendering: { ...rendering, error: inSentence(rendering.error, redaction) } };
}

function inSentence(sentence: string | null, redaction: Redaction): string | null {
  return sentence === null ? null : redaction.inSentence(sentence);
}
