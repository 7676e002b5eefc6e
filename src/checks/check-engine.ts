import type { ShownPage } from '../browser/page-load/show-document.ts';
import type { StepAside } from '../browser/page-permit.ts';
import type { CheckKind, FetchedDocument, FoundIssue, RawCheck, Viewport } from '../domain/check.ts';
import type { CheckNote } from '../domain/check-note.ts';
import type { ConsentSetting } from '../domain/consent.ts';
import type { LoadedResource, LoadedResources } from '../domain/loaded-resource.ts';
import type { Screenshot, Thumbnail } from '../domain/screenshot.ts';
import type { ShownAs } from '../domain/shown-as.ts';
import type { SignIn } from '../domain/site-access.ts';

export interface CheckInput {
  readonly document: FetchedDocument;
  /** The report's device. Engines that request URLs send its user agent, followed by the product token. */
  readonly viewport: Viewport;
  /** Pages of the same group (a report) may share the browser's HTTP cache, but no cookies, storage or service workers. */
  readonly cacheGroup: string;
  /** The account whose turns at hosts the requests use. Default: the group. */
  readonly payerId?: string;
  /** Credentials for the site, for engines that request URLs; the same for all pages of a group. */
  readonly signIn?: SignIn | undefined;
  /** Requests per second that the report may send to its site. Default: 1. */
  readonly requestsPerSecond?: number;
  /** URLs or parts of paths that must not be requested for the report. Default: none. */
  readonly exclusions?: readonly string[];
  /** CSS selector of the element to wait for in a page with scripts. Default: null, wait until the page has settled. */
  readonly waitFor?: string | null;
  /** The standard whose rules have to run. Default: null, the engine's default rules. */
  readonly standard?: string | null;
  /** Whether menus, dialogs and the like are opened, to check what they show. Default: false. */
  readonly exploresStates?: boolean;
  /** The choice in the consent banner, and whether the page is checked with the banner. Default: null, no choice. */
  readonly consent?: ConsentSetting | null;
  /** Whether to return the engine's whole output, and not only the part that becomes issues. Default: false. */
  readonly keepsRaw?: boolean;
  /** Receives a screenshot of the page as it was checked, if the engine shows pages. Default: none is taken. */
  readonly keepScreenshot?: ((screenshot: Screenshot) => void) | undefined;
  /** The same for a thumbnail. */
  readonly keepThumbnail?: ((thumbnail: Thumbnail) => void) | undefined;
  /** Whether this engine must not run other checks in this process at the same time. Default: false. */
  readonly alone?: boolean;
  /** Called around waits during which other checks may run. */
  readonly stepAside?: StepAside;
}

/** What results depend on in addition to the document and the settings of the check. */
export interface EngineBasis {
  /** As `Interpretation.engineVersion`. */
  readonly engineVersion: string;
  /** The settings of this process that can change results, as text. */
  readonly settings: string;
}

/** The check for which resources are requested, as in `CheckInput`. */
export interface ResourceUse
  extends Required<Pick<CheckInput, 'viewport' | 'cacheGroup' | 'payerId' | 'requestsPerSecond'>> {
  /** The URL of the page. */
  readonly url: string;
}

/**
 * The impure half of an engine, which checks documents and may be slow or fail. The pure half is `interpret` of its description.
 * All engines in the registry pass `test/contract/check-engine.test.ts`.
 */
export interface EngineRuntime {
  /** Number of documents that are checked at a time in this process. */
  readonly concurrency: number;
  /**
   * Whether a check can wait long for other people's servers. If so, an account starts a check only while it has fewer running
   * than could be added: one account alone uses about half of `concurrency`. Default: false.
   */
  readonly waitsForOthers?: boolean;
  /** Starts the processes that the engine depends on. Idempotent. @throws AppError with a remedy */
  start(): Promise<void>;
  /** Whether the engine responds right now, or rests. */
  isReady(): Promise<boolean>;
  /**
   * Returns what results depend on at the moment; null if that is not known. Absent if they depend on more than that, the
   * document and the settings of the check: such results are never reused.
   */
  basis?(): Promise<EngineBasis | null>;
  /**
   * Requests what a page loaded during an earlier check. Returns the current version if all of it is still the same, else null.
   * Absent if the results do not depend on it.
   * @param signal ends the requests
   */
  presentResources?(
    resources: readonly LoadedResource[],
    use: ResourceUse,
    signal: AbortSignal,
  ): Promise<readonly LoadedResource[] | null>;
  /** Whether its process has stopped because there was no work. The next check starts it again. Absent if it never does. */
  isResting?(): boolean;
  /** Whether it did not respond when last probed, or its process could not be started again so far. Absent if it never fails. */
  isBroken?(): boolean;
  /** Starts it if it rests, before a check needs it. Never rejects. Absent if it never rests. */
  wake?(): Promise<void>;
  /** Stops everything that `start` started. Resolves when no process is left. */
  stop(): Promise<void>;
  /**
   * Checks a document and returns the raw output for `interpret`: JSON in UTF-8, which may be large.
   * @throws CheckFault when the document cannot be checked; says whether a retry may help
   */
  collect(input: CheckInput, signal: AbortSignal): Promise<Uint8Array>;
  /**
   * Checks a page as it is shown at the moment, and leaves it usable. Present for engines that show pages; others check the
   * serialized DOM.
   * @throws CheckFault, and errors of a page that has ended
   */
  collectLive?(shown: ShownPage, input: Pick<CheckInput, 'standard' | 'keepsRaw'>): Promise<Uint8Array>;
}

/** An engine of this process. The first two properties are part of its description. */
export interface CheckEngine extends EngineRuntime {
  readonly kind: CheckKind;
  readonly showsPages: boolean;
}

/** The interpreted output of an engine for a page. */
export interface Interpretation {
  /** One per issue type and document, in document order. */
  readonly issues: readonly FoundIssue[];
  /** Notes on how the page was checked. */
  readonly notes: readonly CheckNote[];
  /**
   * Identifies the style sheets, scripts and fonts that the page was shown with, in hexadecimal; absent for engines that show no
   * pages.
   */
  readonly resources?: string;
  /** What the page loaded; null or absent if another check could not verify that it is the same. */
  readonly loaded?: LoadedResources | null;
  /** What was done with the page before and while it was checked; absent if there was nothing to do. */
  readonly shownAs?: ShownAs;
  /** The versions of the programs that produced the output; null if results do not depend on any. */
  readonly engineVersion: string | null;
  /** The raw check to store, at most `rawCheckMaxCharacters` long; null if `keepsRaw` was not set. */
  rawCheck(): RawCheck | null;
}
