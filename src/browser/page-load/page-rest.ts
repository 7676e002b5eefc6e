import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';
import type { CheckNote } from '../../domain/check-note.ts';
import { type FrameWorld, innerWorlds, mainWorld, withinFrameLimit } from './frame-world.ts';
import { changesPerPageMax, changesPerPlaceMax, noteUrlCharactersMax } from './limits.ts';
import { HAS_SCRIPTS, untilElement } from './page-contents.ts';
import type { RequestWatch } from './request-watch.ts';

export interface RestMeans {
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly requests: RequestWatch;
  /** A CSS selector of what is waited for instead; null for rest. */
  readonly waitFor: string | null;
  /** For how long nothing may happen in a page at rest, in ms. */
  readonly restMs: number;
  readonly restTimeoutMs: number;
}

/** Whether scripts may still change the page or the frames in it. What has none is waited for by nobody. */
export async function hasScripts({
  page,
  cdp,
  requests,
}: Pick<RestMeans, 'page' | 'cdp' | 'requests'>): Promise<boolean> {
  if (requests.hasLoadedScript()) return true;
  const runs = async (world: FrameWorld): Promise<boolean> => (await world.evaluate(HAS_SCRIPTS)) === true;
  if (await runs(await mainWorld(cdp))) return true;
  const inner = await innerWorlds(page, cdp);
  return (await Promise.all(inner.map((world) => withinFrameLimit(runs(world))))).includes(true);
}

/**
 * Waits until a page has drawn itself: until no request is under way and nothing in it, nor in its frames, has changed for a
 * while; or until an element matches a selector. Takes it as it stands when the time is over.
 * @returns what is to be noted of it; null when it came to rest
 */
export async function untilDrawn(means: RestMeans): Promise<CheckNote | null> {
  const { cdp, requests, waitFor, restTimeoutMs } = means;
  const seconds = restTimeoutMs / 1000;
  if (waitFor === null) {
    if (await comesToRest(means)) return null;
    const url = requests.oldestPending()?.slice(0, noteUrlCharactersMax) ?? null;
    return { code: 'never_at_rest', params: { seconds, waiting_for: url } };
  }
  const isThere = await (await mainWorld(cdp)).evaluate(untilElement(waitFor, restTimeoutMs));
  return isThere === true ? null : missing(waitFor, seconds);
}

/** What is to be noted of a page that nobody waits for, because nothing in it will change. */
export async function drawnAsSent({ cdp, waitFor }: Pick<RestMeans, 'cdp' | 'waitFor'>): Promise<CheckNote | null> {
  if (waitFor === null) return null;
  const isThere = await (await mainWorld(cdp)).evaluate(untilElement(waitFor, 0));
  return isThere === true ? null : missing(waitFor, 0);
}

function missing(selector: string, seconds: number): CheckNote {
  return { code: 'wait_for_missing', params: { selector, seconds } };
}

/** @returns whether the page came to rest in time */
async function comesToRest({ page, cdp, requests, restMs, restTimeoutMs }: RestMeans): Promise<boolean> {
  const deadline = performance.now() + restTimeoutMs;
  const left = (): number => Math.max(0, deadline - performance.now());
  for (;;) {
    await requests.idle(left());
    if (left() === 0) return false;
    const events = requests.events();
    const main = await mainWorld(cdp);
    const inner = await innerWorlds(page, cdp);
    const quiet = untilQuiet(restMs, left());
    const frames = inner.map((world) => Promise.race([world.evaluate(quiet).catch(() => false), delay(left(), true)]));
    const changes = await Promise.all([main.evaluate(quiet), ...frames]);
    // Where there are several documents, one may have changed while another was waited for.
    const isQuiet = inner.length === 0 || !changes.includes(true);
    if (left() > 0 && isQuiet && requests.events() === events) return true;
  }
}

/** The parts of the page's world that the functions below touch; this file is not checked against a browser's types. */
interface PageNode {
  readonly shadowRoot?: PageNode | null;
}
interface PageObserver {
  observe(root: PageNode, options: object): void;
  disconnect(): void;
}
interface PagePrototype<Methods> {
  readonly prototype: Methods;
}
type Select = (this: PageNode, selector: string) => Iterable<PageNode>;
declare const document: PageNode;
declare const MutationObserver: new (
  callback: (records: readonly { readonly target: PageNode }[]) => void,
) => PageObserver;
declare const Element: PagePrototype<object>;
declare const Document: PagePrototype<{ readonly querySelectorAll: Select }>;
declare const DocumentFragment: typeof Document;
/** What has changed how often, kept in our world of the document. */
declare const self: { changes?: { readonly at: WeakMap<PageNode, number>; all: number } };

/**
 * An expression that resolves when nothing in the document has changed for `quietMs`, after `limitMs` at the latest: with
 * whether anything has changed. Changes of a place that changes again and again, such as a clock, do not count.
 */
function untilQuiet(quietMs: number, limitMs: number): string {
  return `(${quietInPage.toString()})(${quietMs}, ${limitMs}, ${changesPerPlaceMax}, ${changesPerPageMax})`;
}

/**
 * Runs in the page, and so stands alone. Its timer runs in the page's own thread: on a slow machine it is late just as the
 * page's timers are, and what the page has put on for an earlier time comes first. Properties are read through their
 * prototypes, because names in the document hide those of the document itself and of forms.
 */
function quietInPage(quietMs: number, limitMs: number, perPlaceMax: number, perPageMax: number): Promise<boolean> {
  const shadowRootOf: ((this: PageNode) => PageNode | null) | undefined = Object.getOwnPropertyDescriptor(
    Element.prototype,
    'shadowRoot',
  )?.get;
  const options = { subtree: true, childList: true, attributes: true, characterData: true };
  self.changes ??= { at: new WeakMap(), all: 0 };
  const { changes } = self;
  const watched = new Set<PageNode>();
  let hasChanged = false;
  let timer: ReturnType<typeof setTimeout>;
  const { promise, resolve } = Promise.withResolvers<boolean>();

  const observer = new MutationObserver((records) => {
    let counts = false;
    for (const place of new Set(records.map(({ target }) => target))) {
      const times = (changes.at.get(place) ?? 0) + 1;
      changes.at.set(place, times);
      counts ||= times <= perPlaceMax;
    }
    if (!counts || changes.all >= perPageMax) return;
    changes.all += 1;
    hasChanged = true;
    begin();
  });
  const end = (): void => {
    observer.disconnect();
    resolve(hasChanged);
  };
  /** Observers do not look into shadow roots, nor learn of new ones. */
  function watch(root: PageNode, select: Select): void {
    watched.add(root);
    observer.observe(root, options);
    for (const element of select.call(root, '*')) {
      const shadowRoot = shadowRootOf?.call(element) ?? null;
      if (shadowRoot !== null && !watched.has(shadowRoot))
        watch(shadowRoot, DocumentFragment.prototype.querySelectorAll);
    }
  }
  function watchAll(): void {
    for (const root of [...watched]) {
      watch(
        root,
        root === document ? Document.prototype.querySelectorAll : DocumentFragment.prototype.querySelectorAll,
      );
    }
  }
  function begin(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const known = watched.size;
      watchAll();
      if (watched.size === known) return end();
      hasChanged = true;
      begin();
    }, quietMs);
  }
  watched.add(document);
  watchAll();
  begin();
  setTimeout(() => {
    hasChanged = true;
    clearTimeout(timer);
    end();
  }, limitMs);
  return promise;
}
