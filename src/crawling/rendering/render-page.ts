import { BrowserFault, isBrowserMissing, pageFailure } from '../../browser/browser-fault.ts';
import type { BrowserPool, PageRequest } from '../../browser/browser-pool.ts';
import type { DevtoolsSession } from '../../browser/devtools-session.ts';
import { EarlyRedirect } from '../../browser/page-load/fulfil-document.ts';
import { framesPerPage, PAGE_LOAD_LIMITS, type PageLoadLimits } from '../../browser/page-load/limits.ts';
import { showDocument } from '../../browser/page-load/show-document.ts';
import type { StepAside } from '../../browser/page-permit.ts';
import { type BrowserPage, setViewport } from '../../browser/page-slot.ts';
import { DEFAULT_VIEWPORT, type FetchedDocument, type Viewport } from '../../domain/check.ts';
import type { Failure } from '../../domain/failures/failure.ts';
import { SIGN_OUT_TEXTS, signOutTextMaxCharacters } from '../../domain/session-urls.ts';
import type { SignIn } from '../../domain/site-access.ts';
import { hrefsPerPageMax, rawTitleMaxCharacters, urlMaxCharacters } from '../../spider/limits.ts';
import { firstUrl, type PageLinks, resolvedLinks, tidyTitle } from '../../spider/page-links.ts';

/** Limits of rendering one page to find its links. Times in milliseconds. */
export interface RenderLimits extends PageLoadLimits {
  /** One attempt, from opening the page to collecting its links, without waiting for it to settle. */
  readonly renderTimeoutMs: number;
}

const RENDER_LIMITS: RenderLimits = {
  ...PAGE_LOAD_LIMITS,
  renderTimeoutMs: 45_000,
};

/** Attempts to render a page that failed for a reason outside it. */
const renderAttemptsMax = 2;
/**
 * Pixels. At this height, pages show at once what they would add on scrolling. Few pages are taller, and endless pages stop
 * growing here.
 */
const viewportHeight = 10_000;
/** URLs that a page may navigate to within the document. Real pages do so once or twice; some never stop. */
const routesPerPageMax = 100;
/** Characters of all links collected from a page: enough for 10,000 of the greatest length. */
const linksMaxCharacters = 20 * 1_024 * 1_024;

/** The result of rendering a document. */
export type Rendering =
  | { readonly kind: 'rendered'; readonly found: PageLinks }
  | {
      readonly kind: 'failed';
      readonly error: Failure;
      /** Whether a browser has loaded the page, which costs a credit. */
      readonly hasRun: boolean;
      /** The `crawl_error`, if the failure concerns the whole report. */
      readonly ofReport?: Failure;
    };

/**
 * Renders a fetched document. Throws only the signal's reason, AppError if the browser cannot be started, and BrowserFault if it
 * is stopped.
 */
export type RenderPage = (
  document: FetchedDocument,
  options: {
    readonly cacheGroup: string;
    readonly signIn?: SignIn | undefined;
    /** The viewport of the report's device. Default: the viewport of the default device. */
    readonly viewport?: Viewport | undefined;
    /** The CSS selector to wait for on a page with scripts; null to wait until it has settled. */
    readonly waitFor: string | null;
    readonly signal: AbortSignal;
  },
) => Promise<Rendering>;

export interface PageRendererOptions {
  readonly pool: BrowserPool;
  /** Limits that override `RENDER_LIMITS`. */
  readonly limits?: Partial<RenderLimits>;
}

const COLLECT_LIMITS: CollectLimits = {
  hrefsMax: hrefsPerPageMax,
  hrefMaxCharacters: urlMaxCharacters,
  allMaxCharacters: linksMaxCharacters,
  framesMax: framesPerPage,
  titleMaxCharacters: rawTitleMaxCharacters,
  signOutTexts: SIGN_OUT_TEXTS,
  signOutMaxCharacters: signOutTextMaxCharacters,
};
const COLLECT = `(${collectInPage.toString()})(${JSON.stringify(COLLECT_LIMITS)})`;

export function createPageRenderer({ pool, ...options }: PageRendererOptions): RenderPage {
  const limits: RenderLimits = { ...RENDER_LIMITS, ...options.limits };
  const { renderTimeoutMs: timeLimitMs } = limits;

  const show = (request: PageRequest, wanted: Wanted): Promise<PageLinks> =>
    pool.withPage(request, (browserPage, stepAside) => render(browserPage, { ...wanted, stepAside }, limits));

  /** Returns the result after an error; null if the page is to be rendered once more. */
  function afterError(error: unknown, url: string, isLastAttempt: boolean): Rendering | null {
    if (isBrowserMissing(error) || (error instanceof BrowserFault && error.kind === 'aborted')) throw error;
    // The page navigated away at once. As with a redirect, its only link is the target.
    if (error instanceof EarlyRedirect) {
      const links = resolvedLinks([{ base: url, hrefs: [error.target] }]);
      return rendered({ links, signOuts: [], canonical: null, title: null, hashRoutes: 0 });
    }
    const { failure, permanent } = pageFailure(error, { work: 'rendering', timeLimitMs });
    return permanent || isLastAttempt ? { kind: 'failed', error: failure, hasRun: true } : null;
  }

  return async (document, { cacheGroup, signIn, viewport = DEFAULT_VIEWPORT, waitFor, signal }) => {
    const request = { purpose: 'crawl', viewport, cacheGroup, signIn, timeLimitMs, signal } as const;
    let alone = false;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return rendered(await show({ ...request, alone }, { document, viewport, waitFor }));
      } catch (error) {
        signal.throwIfAborted();
        const outcome = afterError(error, document.url, attempt === renderAttemptsMax);
        if (outcome !== null) return outcome;
        alone = mayBeOthersFault(error);
      }
    }
  };
}

/** Whether another page may have crashed the browser. */
function mayBeOthersFault(error: unknown): boolean {
  return error instanceof BrowserFault && (error.kind === 'browser_gone' || error.kind === 'crashed');
}

function rendered(found: PageLinks): Rendering {
  return { kind: 'rendered', found };
}

interface Wanted {
  readonly document: FetchedDocument;
  readonly viewport: Viewport;
  readonly waitFor: string | null;
}

/** Loads the document in a tall viewport, and restores the size of the page for the next one. */
async function render(
  browserPage: BrowserPage,
  { document, viewport, waitFor, stepAside }: Wanted & { readonly stepAside: StepAside },
  limits: RenderLimits,
): Promise<PageLinks> {
  const tall = { width: viewport.width, height: viewportHeight };
  const routes = watchRoutes(browserPage.cdp);
  try {
    await setViewport(browserPage, { ...viewport, ...tall, screen: tall });
    const toShow = { url: document.url, document, waitFor, stepAside, isRecorded: false };
    const links = await showDocument(browserPage, toShow, limits, async ({ main, navigationTarget }) => {
      const collected: CollectedPage = JSON.parse(String(await main.evaluate(COLLECT)));
      return linksOf(collected, routes.of(main.frameId), navigationTarget());
    });
    await setViewport(browserPage, viewport);
    return links;
  } finally {
    routes.end();
  }
}

function linksOf(
  { runs, signOuts, canonicals, base, title, hashRoutes }: CollectedPage,
  routes: string[],
  navigationTarget: string | null,
): PageLinks {
  const addresses = navigationTarget === null ? routes : [...routes, navigationTarget];
  return {
    links: resolvedLinks([...runs, { base, hrefs: addresses }]),
    signOuts: resolvedLinks(signOuts.map(({ base: ofLink, href }) => ({ base: ofLink, hrefs: [href] }))),
    canonical: firstUrl(canonicals, base),
    title: tidyTitle(title),
    hashRoutes,
  };
}

/** The URLs of navigations within the document: `pushState`, `replaceState`, `navigation.navigate`. */
interface RouteWatch {
  /** Returns the routes of a frame in order, at most `routesPerPageMax` for all frames. */
  of(frameId: string): string[];
  end(): void;
}

/** Listens over the DevTools protocol, so that the page does not notice. */
function watchRoutes(cdp: DevtoolsSession): RouteWatch {
  const routes = new Map<string, string>();
  const listen = ({ frameId, url }: { readonly frameId: string; readonly url: string }): void => {
    if (routes.size < routesPerPageMax) routes.set(`${frameId} ${url}`, url);
  };
  cdp.on('Page.navigatedWithinDocument', listen);
  return {
    of: (frameId) => [...routes].flatMap(([key, url]) => (key.startsWith(`${frameId} `) ? [url] : [])),
    end: () => void cdp.off('Page.navigatedWithinDocument', listen),
  };
}

/** The limits of `collectInPage`, passed into the page. */
interface CollectLimits {
  /** Number of different links. */
  readonly hrefsMax: number;
  readonly hrefMaxCharacters: number;
  readonly allMaxCharacters: number;
  readonly framesMax: number;
  readonly titleMaxCharacters: number;
  /** In lower case. */
  readonly signOutTexts: readonly string[];
  readonly signOutMaxCharacters: number;
}

/** The contents of a page, before URLs are resolved. */
interface CollectedPage {
  /** Links in document order, each once; consecutive links with the same base form a run. */
  readonly runs: readonly { readonly base: string; readonly hrefs: readonly string[] }[];
  /** The links among them that sign out, by their text or label. */
  readonly signOuts: readonly { readonly base: string; readonly href: string }[];
  /** The `<link rel="canonical">` elements in the head. Their URLs are resolved against `base`. */
  readonly canonicals: readonly string[];
  readonly base: string;
  readonly title: string;
  /** How many links lead to a route in the fragment. */
  readonly hashRoutes: number;
}

/** The parts of the DOM that `collectInPage` uses; this project does not include the browser's types. */
interface PageNode {
  readonly contentDocument?: PageNode | null;
}
type Getter<T> = ((this: PageNode) => T) | undefined;
interface PagePrototype<Methods> {
  readonly prototype: Methods;
}
declare const document: PageNode;
declare const Node: PagePrototype<object>;
declare const Element: PagePrototype<{ getAttribute(this: PageNode, name: string): string | null }>;
declare const Document: PagePrototype<{ querySelectorAll(this: PageNode, selector: string): Iterable<PageNode> }>;
declare const DocumentFragment: typeof Document;

/**
 * Collects the links of the document, of its open shadow roots and of its same-origin frames, in document order. Links are the
 * same elements as in `src/spider/extract-links.ts`.
 *
 * Runs in an isolated world of the page, so it must not refer to anything outside the function. Properties are read through
 * their prototypes, because named elements of the document hide properties of the document and of forms. Returns JSON, which
 * is the fastest way out of a page.
 */
function collectInPage(limits: CollectLimits): string {
  const getter = <T>(prototype: object, name: string): Getter<T> =>
    Object.getOwnPropertyDescriptor(prototype, name)?.get;
  const nameOf = getter<string>(Element.prototype, 'localName');
  const shadowRootOf = getter<PageNode | null>(Element.prototype, 'shadowRoot');
  const baseUriOf = getter<string>(Node.prototype, 'baseURI');
  const titleOf = getter<string>(Document.prototype, 'title');
  const textOf = getter<string | null>(Node.prototype, 'textContent');
  const signsOut = (label: string): boolean =>
    label.length <= limits.signOutMaxCharacters &&
    limits.signOutTexts.includes(label.replace(/\s+/g, ' ').trim().toLowerCase());
  const attribute = (element: PageNode, name: string): string | null =>
    Element.prototype.getAttribute.call(element, name);
  const baseOf = (owner: PageNode): string => {
    const base = baseUriOf?.call(owner) ?? '';
    return base.length <= limits.hrefMaxCharacters ? base : 'about:invalid';
  };

  const runs: { base: string; hrefs: string[] }[] = [];
  const known = new Set<string>();
  const signOuts: { base: string; href: string }[] = [];
  let characters = 0;
  let hashRoutes = 0;
  let frames = 0;

  function keep(base: string, href: string): void {
    // Many links differ only in their fragment.
    const target = href.split('#', 1)[0] ?? '';
    if (href.startsWith('#/', target.length) || href.startsWith('#!/', target.length)) hashRoutes += 1;
    const key = `${base}\n${target}`;
    if (target.length > limits.hrefMaxCharacters || known.size >= limits.hrefsMax || known.has(key)) return;
    characters += target.length;
    if (characters > limits.allMaxCharacters) return;
    known.add(key);
    const last = runs.at(-1);
    if (last?.base === base) last.hrefs.push(target);
    else runs.push({ base, hrefs: [target] });
  }

  function keepSignOut(element: PageNode, base: string, href: string): void {
    if (href.length > limits.hrefMaxCharacters || signOuts.length >= 100) return;
    const labels = [textOf?.call(element), attribute(element, 'aria-label'), attribute(element, 'title')];
    const isSignOut = labels.some((label) => typeof label === 'string' && signsOut(label));
    if (isSignOut) signOuts.push({ base, href: href.split('#', 1)[0] ?? '' });
  }

  function visit(root: PageNode, base: string, select: typeof Document.prototype.querySelectorAll): void {
    for (const element of select.call(root, '*')) {
      const name = nameOf?.call(element).toLowerCase();
      const href = name === 'a' || name === 'area' ? attribute(element, 'href') : null;
      if (href !== null) {
        keep(base, href);
        keepSignOut(element, base, href);
      }
      const shadowRoot = shadowRootOf?.call(element) ?? null;
      if (shadowRoot !== null) visit(shadowRoot, base, DocumentFragment.prototype.querySelectorAll);
      if (name === 'iframe' || name === 'frame' || name === 'object') visitFrame(element);
    }
  }

  function visitFrame(element: PageNode): void {
    // Null if the document is from another origin.
    const inner = element.contentDocument ?? null;
    if (inner === null || frames >= limits.framesMax) return;
    frames += 1;
    visit(inner, baseOf(inner), Document.prototype.querySelectorAll);
  }

  const base = baseOf(document);
  visit(document, base, Document.prototype.querySelectorAll);
  const canonicals: string[] = [];
  for (const link of Document.prototype.querySelectorAll.call(document, 'head link[rel][href]')) {
    const isCanonical = /(^|\s)canonical(\s|$)/i.test(attribute(link, 'rel') ?? '');
    const href = attribute(link, 'href') ?? '';
    if (isCanonical && canonicals.length < 10 && href.length <= limits.hrefMaxCharacters) canonicals.push(href);
  }
  const title = (titleOf?.call(document) ?? '').slice(0, limits.titleMaxCharacters);
  return JSON.stringify({ runs, signOuts, canonicals, base, title, hashRoutes });
}
