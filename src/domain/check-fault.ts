import { type Failure, sentenceOf } from './failures/failure.ts';

/**
 * What may have caused a check to fail:
 * - `page`: the page or its site
 * - `anybody`: any of the pages that were checked at that time
 * - `engine`: the validator or the browser, before it received the page
 */
export type Blame = 'page' | 'anybody' | 'engine';

/** Thrown for a check without a result, with the failure that is stored. The message is for logs. */
export class CheckFault extends Error {
  override readonly name = 'CheckFault';
  readonly failure: Failure;
  /** True if the same document would fail again; false if a retry may help. */
  readonly permanent: boolean;
  /** Default `page`. */
  readonly blame: Blame;

  constructor(failure: Failure, options: { permanent: boolean; blame?: Blame; cause?: unknown }) {
    super(sentenceOf(failure), options);
    this.failure = failure;
    this.permanent = options.permanent;
    this.blame = options.blame ?? 'page';
  }
}
