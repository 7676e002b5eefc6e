import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';
import type { CheckNote } from '../../domain/check-note.ts';
import { type FrameWorld, innerWorlds, mainWorld, withinFrameLimit } from './frame-world.ts';
import { changesPerNodeMax, changesPerPageMax, noteUrlCharactersMax } from './limits.ts';
import { HAS_SCRIPTS, untilElement } from './page-contents.ts';
import type { RequestWatch } from './request-watch.ts';

interface SettlingPage {
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly requests: RequestWatch;
  /** CSS selector of the element to wait for instead; null to wait until the page is settled. */
  readonly waitFor: string | null;
  readonly quietMs: number;
  readonly settleTimeoutMs: number;
}

/** Returns whether scripts may change the page or its frames. Pages without scripts need no waiting. */
export async function hasScripts({
  page,
  cdp,
  requests,
}: Pick<SettlingPage, 'page' | 'cdp' | 'requests'>): Promise<boolean> {
  if (requests.hasLoadedScript()) return true;
  const runs = async (world: FrameWorld): Promise<boolean> => (await world.evaluate(HAS_SCRIPTS)) === true;
  if (await runs(await mainWorld(cdp))) return true;
  const inner = await innerWorlds(page, cdp);
  return (await Promise.all(inner.map((world) => withinFrameLimit(runs(world))))).includes(true);
}

/**
 * Waits until a page is settled: until it has no pending requests, and neither it nor its frames have changed for a while; or
 * until an element matches `waitFor`. Stops waiting after `settleTimeoutMs`.
 * @returns a note when it stopped waiting; otherwise null
 */
export async function untilSettled(page: SettlingPage): Promise<CheckNote | null> {
  const { cdp, requests, waitFor, settleTimeoutMs } = page;
  const seconds = settleTimeoutMs / 1000;
  if (waitFor === null) {
    if (await settlesInTime(page)) return null;
    const url = requests.oldestPending()?.slice(0, noteUrlCharactersMax) ?? null;
    return { code: 'never_at_rest', params: { seconds, waiting_for: url } };
  }
  const isThere = await (await mainWorld(cdp)).evaluate(untilElement(waitFor, settleTimeoutMs));
  return isThere === true ? null : missing(waitFor, seconds);
}

/** Returns a note when `waitFor` does not match in a page without scripts, which needs no waiting; otherwise null. */
export async function checkWaitFor({ cdp, waitFor }: Pick<SettlingPage, 'cdp' | 'waitFor'>): Promise<CheckNote | null> {
  if (waitFor === null) return null;
  const isThere = await (await mainWorld(cdp)).evaluate(untilElement(waitFor, 0));
  return isThere === true ? null : missing(waitFor, 0);
}

function missing(selector: string, seconds: number): CheckNote {
  return { code: 'wait_for_missing', params: { selector, seconds } };
}

async function settlesInTime({ page, cdp, requests, quietMs, settleTimeoutMs }: SettlingPage): Promise<boolean> {
  const deadline = performance.now() + settleTimeoutMs;
  const left = (): number => Math.max(0, deadline - performance.now());
  for (;;) {
    await requests.idle(left());
    if (left() === 0) return false;
    const events = requests.events();
    const main = await mainWorld(cdp);
    const inner = await innerWorlds(page, cdp);
    const quiet = untilQuiet(quietMs, left());
    const frames = inner.map((world) => Promise.race([world.evaluate(quiet).catch(() => false), delay(left(), true)]));
    const changes = await Promise.all([main.evaluate(quiet), ...frames]);
    // With several documents, one may have changed after its own wait was over.
    const isQuiet = inner.length === 0 || !changes.includes(true);
    if (left() > 0 && isQuiet && requests.events() === events) return true;
  }
}

/** The browser's types that `quietInPage` uses: this file is compiled without the DOM library. */
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
/** How often each node has changed, kept in the isolated world of the document. */
declare const self: { changes?: { readonly byNode: WeakMap<PageNode, number>; all: number } };

/**
 * Returns an expression that resolves when the document has not changed for `quietMs`, or after `limitMs`, with whether it has
 * changed. Nodes that change again and again, such as a clock, do not count.
 */
function untilQuiet(quietMs: number, limitMs: number): string {
  return `(${quietInPage.toString()})(${quietMs}, ${limitMs}, ${changesPerNodeMax}, ${changesPerPageMax})`;
}

/**
 * Runs in the page, so it refers to nothing outside of it. Its timer runs in the page's thread: on a slow machine it is as late
 * as the page's timers, and earlier timers of the page run first. Properties are read through their prototypes, because names
 * in the document can hide those of the document itself and of forms.
 */
function quietInPage(quietMs: number, limitMs: number, perNodeMax: number, perPageMax: number): Promise<boolean> {
  const shadowRootOf: ((this: PageNode) => PageNode | null) | undefined = Object.getOwnPropertyDescriptor(
    Element.prototype,
    'shadowRoot',
  )?.get;
  const options = { subtree: true, childList: true, attributes: true, characterData: true };
  self.changes ??= { byNode: new WeakMap(), all: 0 };
  const { changes } = self;
  const watched = new Set<PageNode>();
  let hasChanged = false;
  let timer: ReturnType<typeof setTimeout>;
  const { promise, resolve } = Promise.withResolvers<boolean>();

  const observer = new MutationObserver((records) => {
    let counts = false;
    for (const node of new Set(records.map(({ target }) => target))) {
      const times = (changes.byNode.get(node) ?? 0) + 1;
      changes.byNode.set(node, times);
      counts ||= times <= perNodeMax;
    }
    if (!counts || changes.all >= perPageMax) return;
    changes.all += 1;
    hasChanged = true;
    restartTimer();
  });
  const end = (): void => {
    observer.disconnect();
    resolve(hasChanged);
  };
  /** Observers do not report changes in shadow roots. */
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
  function restartTimer(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const known = watched.size;
      watchAll();
      if (watched.size === known) return end();
      hasChanged = true;
      restartTimer();
    }, quietMs);
  }
  watched.add(document);
  watchAll();
  restartTimer();
  setTimeout(() => {
    hasChanged = true;
    clearTimeout(timer);
    end();
  }, limitMs);
  return promise;
}
