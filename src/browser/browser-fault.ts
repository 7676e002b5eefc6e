/**
 * Why the browser could not complete a page:
 * - `crashed`: the page's renderer process ended
 * - `closed`: the page closed itself
 * - `memory`: the page was killed because it used too much memory
 * - `time_limit`: the page did not complete in time
 * - `windows`: the page opened too many windows
 * - `browser_gone`: the browser ended for another reason, not known to be this page's fault
 * - `aborted`: the caller's signal was aborted
 */
export type BrowserFaultKind = 'crashed' | 'closed' | 'memory' | 'time_limit' | 'windows' | 'browser_gone' | 'aborted';

/** Thrown when the browser could not complete a page. */
export class BrowserFault extends Error {
  override readonly name = 'BrowserFault';
  readonly kind: BrowserFaultKind;

  constructor(kind: BrowserFaultKind, options?: { cause?: unknown }) {
    super(`The browser could not complete a page: ${kind}`, options);
    this.kind = kind;
  }
}
