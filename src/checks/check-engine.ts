import type { StepAside } from '../browser/page-place.ts';
import type { CheckKind, FetchedDocument, FoundIssue, RawCheck, Viewport } from '../domain/check.ts';
import type { CheckNote } from '../domain/check-note.ts';
import type { SignIn } from '../domain/site-access.ts';

export interface CheckInput {
  readonly document: FetchedDocument;
  readonly viewport: Viewport;
  /**
   * Pages with the same group (a report) may share the browser's HTTP cache, never cookies, storage or service workers.
   */
  readonly cacheGroup: string;
  /** What signs the page in to its site, for an engine that shows pages; the same for all pages of a group. */
  readonly signIn?: SignIn | undefined;
  /** Requests per second that the report may send to its site. Default 1. */
  readonly requestsPerSecond?: number;
  /** URLs or parts of paths that nobody is to request for the report. Default none. */
  readonly exclusions?: readonly string[];
  /** A CSS selector of what a page with scripts is waited for before it is checked. Default null: until it is at rest. */
  readonly waitFor?: string | null;
  /** Whether the checker's whole output is wanted, and not just what becomes issues. Default false. */
  readonly keepsRaw?: boolean;
  /** Whether nothing else may be under way in the checker of this process meanwhile. Default false. */
  readonly alone?: boolean;
  /** Told when the check only waits, so that others may be under way. Absent: nobody counts. */
  readonly stepAside?: StepAside;
}

/**
 * The part of an engine that gathers what is known of a document (impure, slow, may fail); `interpret` of its description
 * judges it (pure). Every engine in the registry passes the same suite, `test/contract/check-engine.test.ts`.
 */
export interface Checker {
  /** How many documents it checks at a time in this process. */
  readonly concurrency: number;
  /** Starts what the checker depends on. Idempotent; rejects with an AppError that names the remedy. */
  start(): Promise<void>;
  /** Whether the checker answers right now. */
  isReady(): Promise<boolean>;
  /** Ends everything that `start` began; after it no process is left. */
  stop(): Promise<void>;
  /**
   * The checker's own output for the document, not looked at yet: JSON in UTF-8, for `interpret`. It may be large.
   * @throws CheckFailure when the document could not be checked; says whether trying again may help
   */
  collect(input: CheckInput, signal: AbortSignal): Promise<Uint8Array>;
}

/** A checker with what runs it needs to know of its engine. */
export interface CheckEngine extends Checker {
  readonly kind: CheckKind;
  /** As in its description. */
  readonly showsPages: boolean;
}

/** What a checker's answer says of a page. */
export interface Interpretation {
  /** One for each kind of issue and document, in document order. */
  readonly issues: readonly FoundIssue[];
  /** What is to be known about how the page was checked, beside the issues. */
  readonly notes: readonly CheckNote[];
  /** What is kept of an answer that was collected to be kept, at most `rawCheckMaxCharacters`; null for any other. */
  rawCheck(): RawCheck | null;
}
