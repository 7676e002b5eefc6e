import { BrowserFault } from '../browser/browser-fault.ts';
import type { PrintDocument } from '../browser/print-document.ts';
import { AppError, RetryLater } from '../platform/errors.ts';
import type { CheckOutcome } from './check-outcome.ts';
import { writeHtml } from './html.ts';
import type { ReportModel } from './report-model.ts';

/** Limits for a document that the browser prints in seconds: the time grows faster than the number of pages. */
const PDF_LIMITS = { issueTypesMax: 100, furtherFixesMax: 100, pagesMax: 1_000 };

/** By then, a browser that ended or was overloaded may work again. */
const retryAfterS = 60;

/**
 * Yields a report as PDF: the web page, printed by the browser.
 * @throws AppError too_large_to_print; RetryLater not_printable
 */
export async function* writePdf(
  model: ReportModel,
  outcome: CheckOutcome | null,
  print: PrintDocument,
): AsyncGenerator<Uint8Array> {
  const html = (await Array.fromAsync(writeHtml(model, outcome, PDF_LIMITS))).join('');
  const pdf = await print(html).catch((cause: unknown) => {
    throw notPrintable(cause);
  });
  yield dated(pdf, model.report.finished_at ?? model.report.inserted_at);
}

/** A report that takes too long to print or is too large fails each time, so only other errors are worth a retry. */
function notPrintable(cause: unknown): AppError {
  const remedy = 'Export html and print it, or use another format.';
  const isGone = cause instanceof BrowserFault && ['browser_gone', 'aborted'].includes(cause.kind);
  if (!isGone && !(cause instanceof AppError)) {
    return new AppError('too_large_to_print', `The browser could not print the report. ${remedy}`, { cause });
  }
  const reason = isGone
    ? 'The browser exited or took too long to print the report'
    : 'The browser could not be started';
  return new RetryLater('not_printable', `${reason}. ${remedy}`, retryAfterS, { cause });
}

/** Sets the two times in a PDF to the time of the report, so that the PDF is the same every time it is printed. */
function dated(pdf: Buffer, time: Date): Buffer {
  const digits = time.toISOString().replace(/\D/g, '').slice(0, 14);
  for (const name of ['/CreationDate (D:', '/ModDate (D:']) {
    const at = pdf.indexOf(name);
    if (at >= 0) pdf.write(digits, at + name.length, 'latin1');
  }
  return pdf;
}
