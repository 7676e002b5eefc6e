/** The vocabulary of checks and issues, in the contract's words (section 2 of the API contract). */

/** The word of a check engine, such as `html`: one of those in `checks/registry.ts`. */
export type CheckKind = string;

export type CheckStatus = 'pending' | 'checked' | 'failed';

/** The status of a web page that follows from those of its checks, of which there is at least one. */
export function statusOfPage(checks: readonly CheckStatus[]): CheckStatus | 'checking' {
  if (checks.includes('failed')) return 'failed';
  if (!checks.includes('checked')) return 'pending';
  return checks.includes('pending') ? 'checking' : 'checked';
}

export type IssueType = 'error' | 'warning';

/** Impacts from the mildest to the worst; `impactOrder` gives their place, from 1. */
export const IMPACTS = ['minor', 'moderate', 'serious', 'critical'] as const;
export type Impact = (typeof IMPACTS)[number];

/** The numeric form of an impact: minor 1, moderate 2, serious 3, critical 4. */
export function impactOrder(impact: Impact): number {
  return IMPACTS.indexOf(impact) + 1;
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * One kind of issue on one page, with all the places where it was found. What `interpret` of a check engine gives
 * and what the store keeps: engines differ only in `occurrences`.
 */
export interface FoundIssue {
  readonly type: IssueType;
  /** The validator's finer classification, such as `fatal` or `info`; null for most. */
  readonly subType: string | null;
  /** The validator's message, or the help text of the accessibility rule. */
  readonly message: string;
  /** The rule's id where the engine has rules with ids, else null. */
  readonly ruleId: string | null;
  readonly helpUrl: string | null;
  /** Null for engines that do not grade their issues. */
  readonly impact: Impact | null;
  readonly tags: readonly string[];
  /** The URL of the document that the issue refers to: the page itself, or a frame in it. */
  readonly url: string;
  /** How many places or elements are affected, at least 1. */
  readonly howMany: number;
  /** The engine's own description of each place, in document order. */
  readonly occurrences: Json;
}

/** A checker's own output for a document, as it is kept where that was asked for. */
export interface RawCheck {
  /** A JSON object. */
  readonly json: string;
  /** Entries left out because the whole would have been too large: messages, or affected elements. */
  readonly omitted: number;
}

/** The viewport and the identity with which a browser shows a page. */
export interface Viewport {
  readonly width: number;
  readonly height: number;
  /** The whole screen, of which the viewport may be a part; absent where it is as large. */
  readonly screen?: { readonly width: number; readonly height: number };
  readonly deviceScaleFactor: number;
  readonly isMobile: boolean;
  readonly hasTouch: boolean;
  /** The spider of a report on this device sends it, too. Null: that of the default device, which the spider does not send. */
  readonly userAgent: string | null;
}

/** 800x600 at scale 1: the device of a report that names none. */
export const DEFAULT_VIEWPORT: Viewport = {
  width: 800,
  height: 600,
  deviceScaleFactor: 1,
  isMobile: false,
  hasTouch: false,
  userAgent: null,
};

/** A document as the server sent it, with the transfer's content encoding undone. */
export interface FetchedDocument {
  /** The URL that answered, normalised, without fragment. */
  readonly url: string;
  readonly httpStatus: number;
  /** The `Content-Type` header as sent, or an empty string when there was none. */
  readonly contentType: string;
  /** Response headers as sent, names in lower case, repeated headers as repeated pairs. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}
