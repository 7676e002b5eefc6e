import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core';
import { ensureFirstAccount } from '../../src/accounts/accounts.ts';
import { openSession } from '../../src/accounts/sessions.ts';
import { SESSION_COOKIE } from '../../src/api/http/session-cookie.ts';
import { findChromium } from '../../src/browser/find-chromium.ts';
import { createVnuServer, type VnuServer } from '../../src/checks/html/vnu-server.ts';
import type { CheckKind } from '../../src/domain/check.ts';
import { inTimeOr } from '../../src/platform/in-time.ts';
import { browserCache, quietLog, recordChildren } from './browser.ts';
import { patienceMs } from './patience.ts';
import { sharedParts, sharedValidator } from './shared-parts.ts';
import { startTestApp, type TestApp } from './start-app.ts';
import { until } from './until.ts';

/** The dashboard of a real service in a real browser, which records everything that should not happen. */
export interface Dashboard {
  readonly service: TestApp;
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /**
   * Returns what should not have happened since the last call, one line each: errors of scripts, violations of the policy,
   * foreign requests, refused requests, shifts of the layout.
   */
  takeFaults(): string[];
  /** The same without shifts that follow an action: browsers expect its result within half a second, even on a busy machine. */
  takeFaultsButLateResults(): string[];
  /** Opens a window, which is signed in as the owner by default, or uses a window that was left. */
  open(path: string, options?: WindowOptions): Promise<Page>;
  /** Keeps a window for the next `open` with the same options: a new window costs twice as much as loading a screen. */
  leave(page: Page): Promise<void>;
  /** Loads another path in a window. It costs half of what a new window does. */
  load(page: Page, path: string): Promise<void>;
  /** Shows another path in a window as a link does, and waits until it is shown. It costs a fraction of loading the app again. */
  visit(page: Page, path: string): Promise<void>;
  /** Visits a path, and waits for its heading. Only a screen with the same path is loaded again. */
  show(page: Page, path: string): Promise<void>;
  /** Returns what screen readers announce about the focused element, from the browser's accessibility tree: `link "Overview"`. */
  told(page: Page): Promise<string>;
  /** Resolves when a window has shown everything: nothing is being read but events. */
  settled(page: Page): Promise<void>;
  /** Accepts responses with this status from now on. */
  expectStatus(...statuses: readonly number[]): void;
  /** Accepts requests to another origin from now on. */
  expectOrigin(origin: string): void;
  /**
   * Runs axe in a window, with all rules of WCAG 2.2 AA by default, or in its modal dialog, since the rest is inert. Returns what
   * it found, one line each.
   */
  axe(page: Page, rules?: readonly string[]): Promise<string[]>;
  /** Returns what axe could not decide in all windows so far, and why: `rule: reason`, each once. */
  needsReview(): string[];
  /** Runs the HTML validator on the document of a window as it is now. Returns its errors and warnings, one line each. */
  validate(page: Page): Promise<string[]>;
  close(): Promise<void>;
}

export interface WindowOptions {
  readonly width?: number;
  readonly scheme?: 'light' | 'dark';
  readonly isSignedIn?: boolean;
  /** Whether no other window shares its network, tabs and storage. */
  readonly isAlone?: boolean;
}

/** A message of the HTML validator. */
interface Message {
  readonly type: string;
  readonly subType?: string;
  readonly message: string;
  readonly extract?: string;
}

interface AxeRule {
  readonly id: string;
  readonly nodes: readonly {
    readonly html: string;
    readonly failureSummary?: string;
    readonly any: readonly { readonly message: string }[];
    readonly all: readonly { readonly message: string }[];
    readonly none: readonly { readonly message: string }[];
  }[];
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The dashboard has no media, which a rule would wait for. */
const AXE_OPTIONS = { resultTypes: ['violations', 'incomplete'], preload: false } as const;
/** The tags of the rules that every screen keeps. */
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The beginning of faults that are shifts of the layout after an action. */
const LATE_RESULT = 'late result: ';
const resultMs = 10_000;
/** Larger shifts of the layout are visible. */
const SHIFT_MAX = 0.01;
/** Screens are covered while they load, but not longer (`web/src/shell/reveal.tsx`): on a busy machine, they move later. */
const COVERED_MAX_MS = 1_500;

/** @param kinds the service does checks of these kinds only; default: all */
export async function startDashboard(
  environment: Readonly<Record<string, string>> = {},
  kinds?: readonly CheckKind[],
): Promise<Dashboard> {
  const service = await startTestApp(environment, {}, kinds);
  const browser = await startBrowser();
  const ownValidator = await startOwnValidator();
  const validatorUrl =
    (await sharedValidator()).SITEWARDEN_VNU_URL ?? `http://127.0.0.1:${ownValidator?.current()?.port}`;
  const origin = new URL(service.api).origin;
  const { id } = await ensureFirstAccount(service.app.db);
  const { secret } = await openSession(service.app.db, id, { userAgent: 'Test/1.0' });
  const faults: string[] = [];
  const expected = new Set<number>();
  const undecided = new Set<string>();
  const origins = [origin];
  const contexts = new Map<string, BrowserContext>();
  const left = new WeakMap<BrowserContext, Page[]>();
  /** The requests of each window that are not answered, without streams. */
  const pending = new WeakMap<Page, Set<Request>>();

  const contextFor = async ({ width = 1280, scheme = 'light', isSignedIn = true, isAlone = false }: WindowOptions) => {
    const key = `${width} ${scheme} ${isSignedIn}`;
    const before = contexts.get(key);
    if (before !== undefined && !isAlone) return before;
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: scheme });
    context.setDefaultTimeout(patienceMs);
    if (!isAlone) contexts.set(key, context);
    if (isSignedIn)
      await context.addCookies([{ name: SESSION_COOKIE, value: secret, url: origin, sameSite: 'Strict' }]);
    context.on('page', (page) => void pending.set(page, pendingRequests(page)));
    await watchContext(context, { origins, expected, note: (fault) => void faults.push(fault) });
    return context;
  };

  const load = async (page: Page, path: string): Promise<void> => {
    await page.goto(origin + path);
    await page.locator('h1').waitFor();
  };

  const isQuiet = async (page: Page): Promise<boolean> =>
    (pending.get(page)?.size ?? 0) === 0 && (await page.locator('[data-loading]').count()) === 0;

  const settled = (page: Page): Promise<void> =>
    // What the window is about to show, such as another screen or a response, takes a few tasks.
    until(async () => (await isQuiet(page)) && (await isIdle(page)) && (await isQuiet(page)), {
      timeoutMs: patienceMs,
      pollMs: 50,
    });

  const visit = async (page: Page, path: string): Promise<void> => {
    await page.evaluate(
      `history.pushState({}, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'));`,
    );
    await settled(page);
  };

  return {
    service,
    origin,
    load,
    settled,
    visit,
    async show(page, path) {
      await page.emulateMedia({ media: null });
      if (new URL(path, origin).pathname === new URL(page.url()).pathname) return load(page, path);
      await page.evaluate('document.querySelector("h1").id = "left"');
      await visit(page, path);
      await page.locator('h1:not(#left)').waitFor();
      await settled(page);
      // The heading gets the focus in the next frame.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    },
    takeFaults: () => faults.splice(0),
    takeFaultsButLateResults: () => faults.splice(0).filter((fault) => !fault.startsWith(LATE_RESULT)),
    async open(path, options = {}) {
      const context = await contextFor(options);
      const page = left.get(context)?.pop() ?? (await context.newPage());
      await load(page, path);
      return page;
    },
    async leave(page) {
      await page.evaluate('sessionStorage.clear()');
      // Nothing runs there.
      await page.goto(`${origin}/theme.js`);
      await page.emulateMedia({ media: null });
      const others = left.get(page.context());
      if (others === undefined) left.set(page.context(), [page]);
      else others.push(page);
    },
    told,
    expectStatus: (...statuses) => {
      for (const status of statuses) expected.add(status);
    },
    expectOrigin: (other) => void origins.push(other),
    async axe(page, rules = WCAG) {
      if (await page.evaluate('typeof axe === "undefined"')) await loadAxe(page);
      const run = async (): Promise<Record<'violations' | 'incomplete', readonly AxeRule[]>> =>
        JSON.parse(
          await page.evaluate(
            `axe.run(document.querySelector('dialog:modal') ?? document, ${JSON.stringify({ runOnly: rules, ...AXE_OPTIONS })}).then(({ violations, incomplete }) => JSON.stringify({ violations, incomplete }))`,
          ),
        );
      let found = await run();
      // A heading that is not among the headings: the page has changed in the meantime.
      if (found.incomplete.some(({ id }) => id === 'heading-order')) found = await run();
      for (const { id: rule, nodes } of found.incomplete) {
        for (const { any, all, none } of nodes)
          for (const { message } of [...any, ...all, ...none]) undecided.add(`${rule}: ${message}`);
      }
      return found.violations.flatMap(({ id: rule, nodes }) =>
        nodes.map((node) => `${rule}: ${node.html} ${node.failureSummary ?? ''}`),
      );
    },
    needsReview: () => [...undecided].toSorted(),
    async validate(page) {
      const response = await fetch(`${validatorUrl}?out=json`, {
        method: 'POST',
        headers: { 'content-type': 'text/html; charset=utf-8' },
        body: await page.content(),
      });
      const { messages } = (await response.json()) as { readonly messages: readonly Message[] };
      return messages
        .filter(({ type, subType }) => type === 'error' || subType === 'warning')
        .map(({ message, extract = '' }) => `${message} ${extract}`);
    },
    async close() {
      const pages = browser.contexts().flatMap((context) => context.pages());
      // A route may be waiting for the service's response.
      await Promise.all(pages.map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
      await browser.close();
      await service.close();
      await ownValidator?.stop();
    },
  };
}

/** Waits until the scripts of a window have nothing to do, or for a second; false if it has loaded another page instead. */
function isIdle(page: Page): Promise<boolean> {
  const idle = page.evaluate<boolean>(
    'new Promise((done) => requestIdleCallback(() => done(true), { timeout: 1_000 }))',
  );
  return inTimeOr(idle, patienceMs, false);
}

async function told(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page);
  const { result } = await session.send('Runtime.evaluate', { expression: 'document.activeElement' });
  const { nodes } = await session.send('Accessibility.getPartialAXTree', {
    objectId: result.objectId ?? '',
    fetchRelatives: false,
  });
  await session.detach();
  const [node] = nodes;
  return `${node?.role?.value} "${node?.name?.value}"`;
}

/** Playwright would evaluate the source with `eval`, whose code the browser compiles again in each document. */
async function loadAxe(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: AXE });
  await session.detach();
}

/** A file that runs without the global set-up has no shared validator. */
async function startOwnValidator(): Promise<VnuServer | undefined> {
  if (sharedParts !== null) return undefined;
  const server = createVnuServer({ children: recordChildren(), logger: quietLog });
  await server.start();
  return server;
}

function pendingRequests(page: Page): Set<Request> {
  const requests = new Set<Request>();
  page.on('request', (request) => {
    if (!request.url().includes('/events')) requests.add(request);
  });
  for (const event of ['requestfinished', 'requestfailed'] as const) {
    page.on(event as 'requestfinished', (request) => void requests.delete(request));
  }
  return requests;
}

async function startBrowser(): Promise<Browser> {
  const found = await findChromium({ executable: null, cacheDirectory: browserCache });
  return chromium.launch({ executablePath: found.executable, env: found.environment });
}

async function watchContext(
  context: BrowserContext,
  {
    origins,
    expected,
    note,
  }: { readonly origins: readonly string[]; readonly expected: ReadonlySet<number>; note(fault: string): void },
): Promise<void> {
  await context.exposeFunction('noteFault', note);
  await context.addInitScript(`
    addEventListener('securitypolicyviolation', (event) => noteFault('policy: ' + event.violatedDirective + ' ' + event.blockedURI));
    let uncovered = '';
    const wait = setTimeout;
    setTimeout = (run, ms, ...more) => {
      if (ms !== ${COVERED_MAX_MS}) return wait(run, ms, ...more);
      const path = location.pathname;
      uncovered = '';
      return wait(() => { uncovered = path; run(); }, ms, ...more);
    };
    const actions = [];
    for (const type of ['pointerdown', 'keydown', 'input']) addEventListener(type, () => actions.push(performance.now()), true);
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if (!entry.hadRecentInput && entry.value > ${SHIFT_MAX} && location.pathname !== uncovered)
          noteFault((actions.some((time) => time <= entry.startTime && entry.startTime < time + ${resultMs}) ? '${LATE_RESULT}' : '') + 'shift of ' + entry.value.toFixed(3) + ' at ' + location.pathname + ': ' + entry.sources.map(({ node, previousRect: from, currentRect: to }) => (node?.className || node?.nodeName) + ' from ' + [from.x, from.y, from.width, from.height] + ' to ' + [to.x, to.y, to.width, to.height]).join('; '));
    }).observe({ type: 'layout-shift', buffered: true });
  `);
  context.on('page', (page) => {
    page.on('pageerror', (error) => note(`error: ${error.message}`));
    page.on('console', (message) => {
      // The browser reports responses with such a status itself; they are checked below.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        note(`console: ${message.text()}`);
    });
    page.on('request', (request) => {
      if (![...origins, 'blob:'].some((own) => request.url().startsWith(own)))
        note(`foreign request: ${request.url()}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400 && !expected.has(response.status())) note(`${response.status()}: ${response.url()}`);
    });
  });
}
