/** The types of checks and issues. */

/** The name of a check engine in `checks/registry.ts`, such as `html`. */
export type CheckKind = string;

export type CheckStatus = 'pending' | 'checked' | 'failed';

/** The status of a check, with its result: `passed` and `with_errors` are `checked`. Muted errors do not count. */
export const CHECK_STATES = ['passed', 'with_errors', 'failed', 'pending'] as const;
export type CheckState = (typeof CHECK_STATES)[number];

/** Returns the status of a web page from the statuses of its checks. Requires at least one check. */
export function statusOfPage(checks: readonly CheckStatus[]): CheckStatus | 'checking' {
  if (checks.includes('failed')) return 'failed';
  if (!checks.includes('checked')) return 'pending';
  return checks.includes('pending') ? 'checking' : 'checked';
}

export const CERTAINTIES = ['error', 'warning'] as const;
export type Certainty = (typeof CERTAINTIES)[number];

/** From the mildest to the worst. */
export const IMPACTS = ['minor', 'moderate', 'serious', 'critical'] as const;
export type Impact = (typeof IMPACTS)[number];

/** Returns an impact as a number: minor 1, moderate 2, serious 3, critical 4. */
export function impactOrder(impact: Impact): number {
  return IMPACTS.indexOf(impact) + 1;
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * An issue of one page, with all its occurrences, as the `interpret` function of an engine returns it. Engines differ only in
 * `occurrences`.
 */
export interface FoundIssue {
  readonly type: Certainty;
  /** The validator's finer classification, such as `fatal` or `info`; null for most. */
  readonly subType: string | null;
  /** The validator's message, or the help text of the accessibility rule. */
  readonly message: string;
  /** Null if the engine's rules have no ids. */
  readonly ruleId: string | null;
  readonly helpUrl: string | null;
  /** Null for engines that do not grade their issues. */
  readonly impact: Impact | null;
  readonly tags: readonly string[];
  /** The URL of the document that the issue refers to: the page itself, or a frame in it. */
  readonly url: string;
  /** Number of occurrences, at least 1. */
  readonly howMany: number;
  /** The engine's description of each occurrence, in document order. */
  readonly occurrences: Json;
}

/** A position in the source of a document. Lines and columns start at 1; columns are in UTF-16 code units. */
export interface SourceLocation {
  readonly line: number;
  readonly column: number;
}

/** The identity of an issue and its occurrences across reports: docs/contract/fingerprints.md. */
export interface IssueIdentity {
  /** The fingerprint of the issue type: 16 bytes in hexadecimal. */
  readonly kind: string;
  /** The fingerprints of the occurrences, in their order: 16 bytes each. Unique on the page. */
  readonly occurrences: Uint8Array;
  /** The fingerprint of each occurrence's cluster: 8 bytes each. Occurrences with the same markup are in the same cluster. */
  readonly clusters: Uint8Array;
  /**
   * The traces, which follow each occurrence through edits of its element: 8 bytes each, all 0 if the element is not in the
   * document as sent.
   */
  readonly traces: Uint8Array;
}

/** The output of a validator for a document, which is stored if the report requests it. */
export interface RawCheck {
  /** A JSON object. */
  readonly json: string;
  /** Number of messages or affected elements that were left out to limit its size. */
  readonly omitted: number;
}

/** The device that a browser emulates. */
export interface Viewport {
  readonly width: number;
  readonly height: number;
  /** Absent if the screen is as large as the viewport. */
  readonly screen?: { readonly width: number; readonly height: number };
  readonly deviceScaleFactor: number;
  readonly isMobile: boolean;
  readonly hasTouch: boolean;
  /** The spider sends it, too. Null for the default device, for which the browser and the spider send their own. */
  readonly userAgent: string | null;
}

/** The default device of reports. */
export const DEFAULT_VIEWPORT: Viewport = {
  width: 800,
  height: 600,
  deviceScaleFactor: 1,
  isMobile: false,
  hasTouch: false,
  userAgent: null,
};

/** A document as the server sent it, decompressed. */
export interface FetchedDocument {
  /** The URL that returned it, normalized, without fragment. */
  readonly url: string;
  readonly httpStatus: number;
  /** The `Content-Type` header as sent; empty if there was none. */
  readonly contentType: string;
  /** Response headers as sent, names in lower case, repeated headers as repeated pairs. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}
