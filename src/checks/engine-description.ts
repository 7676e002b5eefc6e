import type { TProperties, TSchema } from 'typebox';
import type { ShownOccurrence } from '../../packages/client/occurrences.ts';
import type { BrowserPool } from '../browser/browser-pool.ts';
import type { Certainty, CheckKind, Impact, Json, SourceLocation } from '../domain/check.ts';
import type { HttpClient } from '../egress/http-client.ts';
import type { EditedPart } from '../page-source/edited-element.ts';
import type { SourceTree } from '../page-source/source-tree.ts';
import type { ChildRegistry } from '../platform/child-registry.ts';
import type { Logger } from '../platform/logger.ts';
import type { SharedLimiters } from '../spider/rate-limiter.ts';
import type { A11yLimits } from './a11y/limits.ts';
import type { EngineRuntime, Interpretation } from './check-engine.ts';
import type { MarkedOccurrences } from './occurrence-marks.ts';

/**
 * Everything that the rest of the service knows about a check engine. Names, endpoints, columns, options and texts are derived
 * from it, so that no code outside of an engine's folder refers to the engine.
 */
export interface EngineDescription {
  /** Part of all names: `html` as in `perform_html_checks`, `html_issues`, `filter[common_html_issue_id]`. */
  readonly kind: CheckKind;
  /** Adjective in sentences: `HTML` as in "HTML issues". */
  readonly words: string;
  /** Heading in the terminal. */
  readonly title: string;
  /** Description of `perform_…_checks`. */
  readonly about: string;
  /** Whether new reports have the check by default. */
  readonly isDefault: boolean;
  /** Whether the engine is not part of the contract, so that its names are marked as additive. */
  readonly isAdditive: boolean;
  /** Whether the check requires a plan with Pro features. */
  readonly isPro: boolean;
  /** Whether the engine's rules have ids that stay the same across its versions. If not, messages identify issues. */
  readonly isNamedByRule: boolean;
  /** Whether issues have an impact, with counts by impact and lists sorted by it. */
  readonly isGraded: boolean;
  /** Whether documents are shown in a browser, so that the check fails without the report's device. */
  readonly showsPages: boolean;
  /** The part of the service that the engine depends on, for `/health/ready` and `doctor`; null for none. */
  readonly dependsOn: string | null;
  /** The words for errors and warnings within a sentence. */
  readonly found: Readonly<Record<Certainty, string>>;
  /** Option of the `check` command: `--NAME`, or `--no-NAME` for a default check. */
  readonly option: { readonly name: string; readonly help: string };
  readonly issues: IssueDescription;
  /** Returns the rules that do not run in a report for a standard, null for none; absent if all rules always run. */
  rulesNotRun?(standard: string | null): readonly string[];
  /**
   * Returns tags that include all success criteria with at least one rule that runs for a standard; absent if the rules test no
   * success criteria.
   */
  testedTags?(standard: string | null): readonly string[];
  /** What raw checks contain, as part of a sentence. */
  readonly aboutRaw: string;
  readonly texts: TextSources;
  /**
   * Interprets the output of `EngineRuntime.collect`. Pure, so that another thread can run it.
   * @param source the elements of the document; null if it has none. Parses on the first call, so engines call it only if they
   *   must.
   * @throws CheckFault when the output says that the document could not be checked, or is not valid
   */
  interpret(answer: Uint8Array, pageUrl: string, source?: () => SourceTree | null): Interpretation;
  /** Creates the engine. Imports its module dynamically, so that only processes that run checks load it. */
  createEngine(settings: EngineSettings): Promise<EngineRuntime>;
}

/**
 * Whether text comes from the page (`page`), from the engine (`engine`), or from the engine with quotes from the page
 * (`sentence`).
 */
export type TextSource = 'page' | 'sentence' | 'engine';

/**
 * Where the texts of an engine come from. Credentials are redacted in all texts except the engine's own.
 */
export interface TextSources {
  readonly message: TextSource;
  /**
   * Fields of occurrences and raw checks by name, at any depth. Applies to everything in the field. Fields that are not listed
   * come from the page.
   */
  readonly fields: Readonly<Record<string, TextSource>>;
}

/** An edit that fixes issues of several types. */
export interface SharedEdit {
  readonly what: 'alternative text' | 'heading level' | 'language code' | 'role';
  readonly of: Exclude<EditedPart, 'surroundings'>;
}

/** How much issues hinder visitors, the worst first. */
export const HINDRANCES = ['severe', 'some', 'none'] as const;

/** What an issue means for visitors. */
export interface Effect {
  /** Who it affects and how, in one or two sentences for readers who don't know HTML; null if unknown. */
  readonly words: string | null;
  readonly hindrance: (typeof HINDRANCES)[number];
}

/** How the API shows an engine's issues. */
export interface IssueDescription {
  /** A sentence that describes a common issue. */
  readonly aboutCommon: string;
  /** A sentence that describes an issue of a web page. */
  readonly about: string;
  /** Schema of `how_many`, the number of occurrences of an issue on its page. */
  readonly howManySchema: TSchema;
  /** The name of the message attribute, and an example for the filter of that name. */
  readonly messageFilter: { readonly name: 'message' | 'help'; readonly example: string };
  /** Whether common issues show when they were created and updated. */
  readonly datesCommon: boolean;
  /** The attributes that issues and common issues share. */
  readonly issueTypeSchema: TProperties;
  issueTypeAttributes(issue: KeptIssueType): object;
  /** Returns how to fix an issue, in one or two sentences; null if only its message explains it. */
  remedyOf(issue: Pick<KeptIssueType, 'issue_type' | 'rule_id' | 'tags'>): string | null;
  effectOf(issue: Pick<KeptIssueType, 'issue_type' | 'rule_id' | 'impact' | 'message' | 'tags'>): Effect;
  /**
   * Returns what has to be edited, worded the same for all issue types, even of other engines, that the same edit fixes; null, or
   * absent, if it fixes no other type.
   */
  editOf?(issue: Pick<KeptIssueType, 'rule_id' | 'message' | 'tags'>): SharedEdit | null;
  /** Returns what the messages of a rule have in common; absent if all messages of a rule are the same, or rules have no ids. */
  ruleTitleOf?(issue: KeptIssueType): string;
  /** Whether an issue reports that something was not checked; absent if none does. */
  isUntested?(issue: KeptIssueType): boolean;
  /** The attributes of an issue's occurrences on a web page. */
  readonly occurrencesSchema: TProperties;
  /** Returns these attributes. Yields after each slice of occurrences, since an issue may have 100,000. */
  occurrencesAttributes(issue: MarkedOccurrences, page: { readonly url: string }): Generator<void, object>;
  /** The identities of the issue's occurrences across reports, in their order. */
  occurrenceClues(issue: KeptOccurrences): readonly OccurrenceClue[];
  /** The occurrences as lists across several pages and the terminal show them, in their order. */
  shownOccurrences(issue: KeptOccurrences): readonly ShownOccurrence[];
}

/** The stored type of an issue. */
export interface KeptIssueType {
  readonly issue_type: Certainty;
  readonly issue_sub_type: string | null;
  readonly message: string;
  readonly rule_id: string | null;
  readonly help_url: string | null;
  readonly impact: Impact | null;
  readonly impact_order: number;
  readonly tags: string[];
}

/** The stored occurrences of an issue on a page. */
export interface KeptOccurrences {
  /** The URL of the frame; null for the page itself. */
  readonly url: string | null;
  readonly occurrences: Json;
}

/** The position of an occurrence in its document. */
export interface OccurrenceClue {
  /**
   * The start tag of the element, as far as the engine reports it; without a start tag, anything else that identifies the
   * occurrence.
   */
  readonly markup: string;
  /** Null if the occurrence is not in the document as the server sent it. */
  readonly at: SourceLocation | null;
  /** The position of the element that has to be edited, if it is a different element. Absent or null for most. */
  readonly edited?: SourceLocation | null;
  /**
   * What has to be edited, if it is not the element, such as a pair of colors: occurrences with the same cause are in one
   * cluster, regardless of their markup. Absent or null for most.
   */
  readonly cause?: string | null;
}

/** Settings and dependencies of engines. */
export interface EngineSettings {
  /** Number of documents that the HTML check processes at a time. */
  readonly htmlConcurrency: number;
  /** URL of a running validator; null to start one. */
  readonly vnuUrl: string | null;
  readonly browserPool: BrowserPool;
  readonly httpClient: HttpClient;
  /** Limiters of requests to sites, shared with crawls. */
  readonly limiters: SharedLimiters;
  /** How long a page with scripts may take to settle, in ms. */
  readonly settleMs: number;
  /** Overrides of the limits of the accessibility check. */
  readonly a11yLimits?: Partial<A11yLimits> | undefined;
  /** Whether the process runs long, so that engines optimize for throughput rather than a quick start. */
  readonly isLongLived: boolean;
  /** Processes of engines stop after this time without work, in ms; 0 for never. */
  readonly restMs: number;
  readonly children: ChildRegistry;
  readonly log: Logger;
}
