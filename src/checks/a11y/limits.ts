import {
  PAGE_LOAD_LIMITS,
  type PageLoadLimits,
  recordedBodiesMaxBytes,
  recordedBodyMaxBytes,
} from '../../browser/page-load/limits.ts';

/** Limits on opening the states of a page (decision 0149). */
export interface StateLimits {
  /** States that are examined, in document order. */
  readonly statesMax: number;
  /** Elements that are opened within each other: a menu, its submenu, and what that opens. */
  readonly depthMax: number;
  /** Elements that look alike, such as the buttons of the rows of a table: the first of them are opened. */
  readonly alikeMax: number;
  /** Loads of the page, including the first. It is loaded again if it does not return to the previous state. */
  readonly loadsMax: number;
  /**
   * Elements in the page, added up each time that it is examined. This limits the time for a page, but in the same way on every
   * machine: 1,000 elements take about 0.3 s.
   */
  readonly elementsMax: number;
  /**
   * Time for all states, in milliseconds, without the waits for the page to settle. Only pages that are slow in another way reach
   * it: where time runs out, the states differ from check to check.
   */
  readonly timeMs: number;
  /** Time for one state, including all waits. A page that takes longer has hung. */
  readonly stateTimeoutMs: number;
  /** Characters of the findings of all states as JSON. */
  readonly findingsMaxCharacters: number;
  /** Faults of the page, such as loading itself again, after which no more states are opened. */
  readonly failuresMax: number;
}

const STATE_LIMITS: StateLimits = {
  statesMax: 50,
  depthMax: 3,
  alikeMax: 10,
  loadsMax: 20,
  elementsMax: 250_000,
  timeMs: 300_000,
  stateTimeoutMs: 60_000,
  findingsMaxCharacters: 8 * 1_024 * 1_024,
  failuresMax: 3,
};

/** Limits of the accessibility check of one page. Times in milliseconds. */
export interface A11yLimits extends PageLoadLimits {
  /** The whole check, from opening the page to the result, without waiting for the page to settle. */
  readonly checkTimeoutMs: number;
  /** The same for a page that is alone in the browser: shorter, because all others wait for it. */
  readonly aloneTimeoutMs: number;
  /**
   * Characters of axe's results as JSON. 5,000 elements with issues take 2 to 8 million. A small page can cause any number, and
   * the results are held in memory several times.
   */
  readonly resultMaxCharacters: number;
  readonly states: StateLimits;
}

/** For pages of 50,000 elements, which take axe 10 to 30 seconds on a CPU that may be busy with other work. */
export const A11Y_LIMITS: A11yLimits = {
  ...PAGE_LOAD_LIMITS,
  checkTimeoutMs: 120_000,
  aloneTimeoutMs: 60_000,
  resultMaxCharacters: 32 * 1_024 * 1_024,
  states: STATE_LIMITS,
};

/**
 * Time for a frame to respond to axe's ping, in milliseconds. Frames that are late are not checked, and axe's default of half a
 * second is too short on a busy machine.
 */
export const framePingMs = 3_000;

/** Limits of the search for style rules. Bootstrap has 2,000 rules, which take 30 ms; a search that takes too long finds none. */
export const STYLE_RULE_LIMITS = {
  elementsMax: 2_000,
  rulesMax: 20_000,
  selectorMaxCharacters: 200,
  valueMaxCharacters: 100,
  urlMaxCharacters: 1_000,
  totalMaxCharacters: 131_072,
  variablesMax: 5,
  timeMs: 5_000,
};

/**
 * Time for the search with the layout that it causes, in milliseconds. Finding the lines of the rules gets the same time again.
 */
export const styleRulesTimeoutMs = 10_000;

/**
 * How long a resource may take to respond, including the wait for its turn at the host, when it is compared with an earlier
 * check.
 */
export const resourceRequestTimeoutMs = 60_000;
/** Maximum size of a resource whose content is compared. */
export const resourceMaxBytes = recordedBodyMaxBytes;
/** Maximum length of what is stored about the resources of a page, as JSON: enough for 300 ordinary files. */
export const resourceListMaxCharacters = 262_144;
/** Bytes of a page's resources that are read from the browser, and the time to read them. */
export const resourceContentsMaxBytes = recordedBodiesMaxBytes;
export const resourceContentsTimeoutMs = 3_000;
/** How long a page waits for its resources. Then it is checked, which takes about as long. */
export const resourcesTimeoutMs = 5_000;
/** Memory for what is known about the resources of all reports, in each of two maps: about 40,000 resources. */
export const resourcesRememberedBytes = 32 * 1_024 * 1_024;
/** Recent reports whose requests are counted, and their hosts. With more, only the limits that reports share would apply. */
export const resourceReportsMax = 1_000;
export const resourceHostsMax = 5_000;
/** Requests for resources at a time, and the memory for their contents: for all reports, and for each report. */
export const probeRequestsMax = 256;
export const probeBodiesMaxBytes = 64 * 1_024 * 1_024;
export const probeReportBodiesMaxBytes = 24 * 1_024 * 1_024;

/** How long a page may take to settle after something was opened, in milliseconds. */
export const stateSettleMs = 3_000;
/**
 * How often the page is asked whether something has closed again, 25 ms apart. Counted instead of timed, because transitions also
 * take longer on a busy machine.
 */
export const closingLooksMax = 20;
/** Elements of a state that may open something. Few pages have more, and far fewer are opened. */
export const openersPerStateMax = 500;
/** Buttons that are clicked one after the other in the layers of a consent banner. */
export const bannerLayersMax = 3;
/** Frames of one document in which a consent banner is looked for. Such frames are on top of the page, and few frames are. */
export const bannerFramesMax = 10;
/** Time for dismissing a consent banner with another load of the page, in milliseconds, without waits. */
export const consentTimeoutMs = 30_000;
/** How long the pages of a report wait for its first page, whose banner is dismissed for all. Then they dismiss their own. */
export const firstPageWaitMs = 120_000;
/** Reports whose dismissed banners are remembered: the size of what a site stores is limited to half a million characters. */
export const consentReportsMax = 20;
