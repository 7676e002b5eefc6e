import { DEFAULT_VIEWPORT } from '../domain/check.ts';
import { createSemaphore } from '../platform/semaphore.ts';
import { BrowserFault } from './browser-fault.ts';
import type { BrowserPool } from './browser-pool.ts';
import type { BrowserPage } from './page-slot.ts';

/** Limits of printing. Under load, a document of 1,000 rows takes 4 s, and its PDF has 1.5 MB. */
export const PRINT_LIMITS = {
  /** The wait for earlier prints and for a free page. */
  waitMs: 60_000,
  /** The time limit for printing, without the wait. */
  timeoutMs: 60_000,
  maxBytes: 64 * 1_024 * 1_024,
  /** Bytes that the browser sends at a time. */
  chunkBytes: 1_024 * 1_024,
};

const FOOTER =
  '<p style="width: 100%; font: 8px sans-serif; text-align: center"><span class="pageNumber"></span> / <span class="totalPages"></span></p>';

/**
 * Prints an HTML document, which loads nothing from the network.
 * @param signal cancels printing
 * @returns a tagged PDF with bookmarks for its headings
 * @throws AppError browser_missing, browser_failed_to_start; BrowserFault; RangeError if the PDF is too large
 */
export type PrintDocument = (html: string, signal?: AbortSignal) => Promise<Buffer>;

/** Returns a function that prints in a free page of the pool: one document at a time, so that most pages are left for checks. */
export function createPrinter(pool: Pick<BrowserPool, 'withPage'>): PrintDocument {
  const semaphore = createSemaphore(1);
  const { timeoutMs: timeLimitMs, waitMs } = PRINT_LIMITS;
  const request = { purpose: 'print', viewport: DEFAULT_VIEWPORT, cacheGroup: 'print', timeLimitMs } as const;
  return async (html, cancelled) => {
    const wait = new AbortController();
    const signal = cancelled === undefined ? wait.signal : AbortSignal.any([cancelled, wait.signal]);
    const timer = setTimeout(() => wait.abort(), waitMs);
    const start = (page: BrowserPage): Promise<Buffer> => {
      clearTimeout(timer);
      return print(page, html);
    };
    let release = (): void => undefined;
    try {
      release = await semaphore.acquire('print', signal).catch((cause: unknown) => {
        throw new BrowserFault('aborted', { cause });
      });
      return await pool.withPage({ ...request, signal }, start);
    } finally {
      clearTimeout(timer);
      release();
    }
  };
}

async function print({ page, cdp }: BrowserPage, html: string): Promise<Buffer> {
  // Only printed documents share its context.
  await page.context().setOffline(true);
  const { frameTree } = await cdp.send('Page.getFrameTree');
  await cdp.send('Page.setDocumentContent', { frameId: frameTree.frame.id, html });
  const { stream } = await cdp.send('Page.printToPDF', {
    ...{ generateTaggedPDF: true, generateDocumentOutline: true, preferCSSPageSize: true },
    ...{ displayHeaderFooter: true, headerTemplate: '<span></span>', footerTemplate: FOOTER },
    transferMode: 'ReturnAsStream',
  });
  const chunks: Buffer[] = [];
  let [bytes, isOver] = [0, false];
  while (!isOver) {
    const { data, eof } = await cdp.send('IO.read', { handle: stream ?? '', size: PRINT_LIMITS.chunkBytes });
    const chunk = Buffer.from(data, 'base64');
    chunks.push(chunk);
    bytes += chunk.byteLength;
    isOver = eof;
    if (bytes > PRINT_LIMITS.maxBytes) throw new RangeError(`The PDF has more than ${PRINT_LIMITS.maxBytes} bytes.`);
  }
  await cdp.send('IO.close', { handle: stream ?? '' });
  return Buffer.concat(chunks);
}
