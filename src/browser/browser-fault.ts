/**
 * What can happen to a page in the browser:
 * - `crashed`: its renderer ended
 * - `closed`: it closed itself
 * - `memory`: it took more memory than a page may, and was ended
 * - `time_limit`: it did not end in time
 * - `windows`: it opened windows without end
 * - `browser_gone`: the browser ended under it, through no known fault of this page
 * - `aborted`: the caller's signal
 */
export type BrowserFaultKind = 'crashed' | 'closed' | 'memory' | 'time_limit' | 'windows' | 'browser_gone' | 'aborted';

/** A page that the browser could not bring to its end. */
export class BrowserFault extends Error {
  override readonly name = 'BrowserFault';
  readonly kind: BrowserFaultKind;

  constructor(kind: BrowserFaultKind, options?: { cause?: unknown }) {
    super(`A page in the browser came to no end: ${kind}`, options);
    this.kind = kind;
  }
}
