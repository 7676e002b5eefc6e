import type { VnuDocument } from './vnu-client.ts';

/** A validator as the engine sees it: a process of ours, or a server that runs elsewhere. */
export interface HtmlValidator {
  /** Idempotent. @throws AppError naming the remedy when it cannot be had */
  start(): Promise<void>;
  /** Whether it answers right now. */
  isReady(): Promise<boolean>;
  /** Ends everything that `start` began. */
  stop(): Promise<void>;
  /**
   * Its answer, for `parseVnuOutput`.
   * @throws CheckFailure when the document could not be checked; says whether trying again may help
   */
  validate(document: VnuDocument, signal: AbortSignal): Promise<Buffer>;
}
