import { type Failure, sentenceOf } from './failures/failure.ts';

/**
 * Whose fault it may be that a check gave no result:
 * - `page`: of the page or its site
 * - `anybody`: of any of the pages that were checked at that time
 * - `checker`: of the checker, which never looked at the page
 */
export type Blame = 'page' | 'anybody' | 'checker';

/** A check that gave no result, and why. The message is for logs. */
export class CheckFailure extends Error {
  override readonly name = 'CheckFailure';
  readonly failure: Failure;
  /** True when the same document would fail again; false when the fault was ours or passing, so that a retry may help. */
  readonly permanent: boolean;
  /** `page` unless said otherwise. */
  readonly blame: Blame;

  constructor(failure: Failure, options: { permanent: boolean; blame?: Blame; cause?: unknown }) {
    super(sentenceOf(failure), options);
    this.failure = failure;
    this.permanent = options.permanent;
    this.blame = options.blame ?? 'page';
  }
}
