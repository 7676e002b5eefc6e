import type { TProperties, TSchema } from 'typebox';
import type { BrowserPool } from '../browser/browser-pool.ts';
import type { CheckKind, Impact, IssueType, Json } from '../domain/check.ts';
import type { HttpClient } from '../egress/http-client.ts';
import type { ChildRegistry } from '../platform/child-registry.ts';
import type { Logger } from '../platform/logger.ts';
import type { SharedLimiters } from '../spider/rate-limiter.ts';
import type { A11yLimits } from './a11y/limits.ts';
import type { Checker, Interpretation } from './check-engine.ts';

/**
 * All that the rest of the service knows of a check engine. Names, endpoints, columns of lists, options and texts follow
 * from it, and nothing outside the engine's folder names an engine.
 */
export interface EngineDescription {
  /** Its word in every name: `html` makes `perform_html_checks`, `html_issues`, `filter[common_html_issue_id]`. */
  readonly kind: CheckKind;
  /** Its adjective in sentences: `HTML` for "HTML issues". */
  readonly words: string;
  /** Its heading in the terminal. */
  readonly title: string;
  /** What `perform_…_checks` means. */
  readonly about: string;
  /** Whether new reports have it unless they say otherwise. */
  readonly isDefault: boolean;
  /** Whether the contract does not have it, so that all of it is marked as additive. */
  readonly isAdditive: boolean;
  /** Whether it requires a plan with Pro features. */
  readonly isPro: boolean;
  /** Whether each of its issues has an impact: counts by severity, and lists that begin with the worst impact. */
  readonly isGraded: boolean;
  /** Whether it shows the documents in a browser, so that the report's device matters. */
  readonly showsPages: boolean;
  /** The part of the service that it depends on, for `/health/ready` and `doctor`; null for none of its own. */
  readonly dependsOn: string | null;
  /** What its errors and its warnings are called in the middle of a sentence. */
  readonly found: Readonly<Record<IssueType, string>>;
  /** Its option of `check`: `--NAME`, or `--no-NAME` where it is on by default. */
  readonly option: { readonly name: string; readonly help: string };
  readonly issues: IssueDescription;
  /** What its raw checks contain, with no capital letter and no full stop. */
  readonly aboutRaw: string;
  readonly texts: TextSources;
  /**
   * Judges what `Checker.collect` returned. Pure, so that a thread of its own can do it.
   * @throws CheckFailure when the checker says that it could not check the document, or the answer is none of its own
   */
  interpret(answer: Uint8Array, pageUrl: string): Interpretation;
  /** Makes the checker, from a module that is loaded only where checks run. */
  createChecker(settings: EngineSettings): Promise<Checker>;
}

/** How text of a page is found in what an engine says: `page` is the page's own text, `sentence` the engine's words about it. */
export type TextSource = 'page' | 'sentence' | 'engine';

/**
 * Where the texts of an engine come from. What signs in to a site is hidden in all of them but the engine's own words,
 * and an engine that does not say counts as repeating the page.
 */
export interface TextSources {
  readonly message: TextSource;
  /**
   * The fields of occurrences and raw checks by name, at any depth; what is said of a field holds for everything in it.
   * Fields that are missing here are the page's.
   */
  readonly fields: Readonly<Record<string, TextSource>>;
}

/** What an engine's issues look like in answers. */
export interface IssueDescription {
  /** What a common issue is, in a sentence. */
  readonly aboutCommon: string;
  /** What an issue of a web page is, in a sentence. */
  readonly about: string;
  /** How many places an issue has on its page. */
  readonly howManySchema: TSchema;
  /** What the attribute with the message is called, and an example for the filter of that name. */
  readonly messageFilter: { readonly name: 'message' | 'help'; readonly example: string };
  /** Whether common issues say when they were made and changed. */
  readonly datesCommon: boolean;
  /** The attributes of the kind of an issue, which issues and common issues have. */
  readonly kindSchema: TProperties;
  kindAttributes(issue: KeptIssueKind): object;
  /** The attributes of an issue's places on a web page. */
  readonly placesSchema: TProperties;
  placesAttributes(issue: KeptPlaces, page: { readonly url: string }): object;
  /** The first place, for people; null without any. */
  firstPlace(issue: KeptPlaces): { readonly where: string; readonly source: string } | null;
}

/** The kind of an issue, as the store keeps it. */
export interface KeptIssueKind {
  readonly issue_type: IssueType;
  readonly issue_sub_type: string | null;
  readonly message: string;
  readonly rule_id: string | null;
  readonly help_url: string | null;
  readonly impact: Impact | null;
  readonly impact_order: number;
  readonly tags: string[];
}

/** The places of an issue on a page, as the store keeps them. */
export interface KeptPlaces {
  /** The URL of the frame; null for the page itself. */
  readonly url: string | null;
  readonly occurrences: Json;
}

/** What engines are made of. */
export interface EngineSettings {
  /** Documents that the HTML check takes at a time. */
  readonly htmlConcurrency: number;
  /** A validator that runs already; null for one of our own. */
  readonly vnuUrl: string | null;
  /** Where pages are shown. */
  readonly browserPool: BrowserPool;
  readonly httpClient: HttpClient;
  /** Limiters of requests to sites, shared with crawls. */
  readonly limiters: SharedLimiters;
  /** How long a page with scripts may take to come to rest, in ms. */
  readonly settleMs: number;
  /** Other limits of the accessibility check than its own. */
  readonly a11yLimits?: Partial<A11yLimits> | undefined;
  /** Whether the process lives long enough for checkers to be tuned for a long run instead of a quick start. */
  readonly isLongLived: boolean;
  readonly children: ChildRegistry;
  readonly log: Logger;
}
