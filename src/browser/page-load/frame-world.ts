import type { Page } from 'playwright-core';
import { inTimeOr } from '../../platform/in-time.ts';
import type { DevtoolsSession } from '../devtools-session.ts';
import { framesPerPage, frameTimeoutMs } from './limits.ts';

/** The name of sitewarden's isolated world in every frame. */
export const WORLD_NAME = 'sitewarden';

/**
 * An isolated JavaScript world in a frame: it sees the frame's document, but not what the page's scripts define or change, and
 * these scripts do not see the world. The page's content security policy does not apply in it.
 */
export interface FrameWorld {
  readonly frameId: string;
  /** The URL of the document; for `srcdoc` and `about:blank`, the parent's. */
  readonly url: string;
  /** Evaluates an expression and awaits promises. @throws Error with the text of the exception */
  evaluate(expression: string): Promise<unknown>;
  /** Returns the id of the frame in the element that an expression returns; null when it contains none. */
  frameIn(elementExpression: string): Promise<string | null>;
  /** Returns the id that DevTools has for the element that an expression returns; null for none. */
  nodeIn(elementExpression: string): Promise<number | null>;
}

interface FrameTree {
  readonly frame: { readonly id: string; readonly url: string; readonly unreachableUrl?: string };
  readonly childFrames?: readonly FrameTree[];
}

interface LocatedFrame {
  readonly cdp: DevtoolsSession;
  readonly frameId: string;
  readonly url: string;
}

/** The worlds of the documents that pages show, by their sessions; null while a page shows another document. */
const MAIN_WORLDS = new WeakMap<DevtoolsSession, Promise<FrameWorld> | null>();

/** Opens a world in the page's main frame, once per document. The session has to receive navigation events. */
export function mainWorld(cdp: DevtoolsSession): Promise<FrameWorld> {
  const forget = (): void => void MAIN_WORLDS.set(cdp, null);
  if (!MAIN_WORLDS.has(cdp)) {
    cdp.on('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId === undefined) forget();
    });
  }
  const known = MAIN_WORLDS.get(cdp) ?? openMainWorld(cdp, forget);
  MAIN_WORLDS.set(cdp, known);
  return known;
}

/** @param onFailure called when the world may be gone: the page may have loaded another document */
async function openMainWorld(cdp: DevtoolsSession, onFailure: () => void): Promise<FrameWorld> {
  const failed = (error: unknown): never => {
    onFailure();
    throw error;
  };
  const { frameTree } = await cdp.send('Page.getFrameTree').catch(failed);
  const world = await openWorld({ cdp, frameId: frameTree.frame.id, url: frameTree.frame.url }).catch(failed);
  return { ...world, evaluate: (expression) => world.evaluate(expression).catch(failed) };
}

/**
 * Opens worlds in the other frames, at most `framesPerPage`. Skips frames that show the browser's error page, and frames that do
 * not respond.
 */
export async function innerWorlds(page: Page, cdp: DevtoolsSession): Promise<FrameWorld[]> {
  if (page.frames().length === 1) return [];
  const { frameTree } = await cdp.send('Page.getFrameTree');
  const [, ...local] = located(cdp, frameTree, frameTree.frame.url);
  const all = [...local, ...(page.frames().length > local.length + 1 ? await separateFrames(page) : [])];
  const opened = await Promise.all(all.slice(0, framesPerPage).map((frame) => withinFrameLimit(openWorld(frame))));
  return opened.filter((world) => world !== null);
}

/** Returns the result of work in a frame; null when the frame is gone or does not respond, for example because a script hangs. */
export function withinFrameLimit<T>(work: Promise<T>): Promise<T | null> {
  return inTimeOr(work, frameTimeoutMs, null);
}

/** Finds frames of other sites, which run in separate processes and require their own DevTools sessions. */
async function separateFrames(page: Page): Promise<LocatedFrame[]> {
  const found = await Promise.all(
    page.frames().map(async (frame) => {
      const parentUrl = frame.parentFrame()?.url() ?? page.url();
      // Rejects for a frame in its parent's process.
      const cdp =
        frame === page.mainFrame()
          ? null
          : await page
              .context()
              .newCDPSession(frame)
              .catch(() => null);
      if (cdp === null) return [];
      const tree = await withinFrameLimit(cdp.send('Page.getFrameTree'));
      return tree === null ? [] : located(cdp, tree.frameTree, parentUrl);
    }),
  );
  return found.flat();
}

function located(cdp: DevtoolsSession, tree: FrameTree, parentUrl: string): LocatedFrame[] {
  if (tree.frame.unreachableUrl !== undefined) return [];
  const url = tree.frame.url === '' || tree.frame.url.startsWith('about:') ? parentUrl : tree.frame.url;
  const children = (tree.childFrames ?? []).flatMap((child) => located(cdp, child, url));
  return [{ cdp, frameId: tree.frame.id, url }, ...children];
}

async function openWorld({ cdp, frameId, url }: LocatedFrame): Promise<FrameWorld> {
  const created = await cdp.send('Page.createIsolatedWorld', { frameId, worldName: WORLD_NAME });
  const contextId = created.executionContextId;
  const describe = async (expression: string) => {
    const { result } = await cdp.send('Runtime.evaluate', { expression, contextId });
    if (result.objectId === undefined) return null;
    return (await cdp.send('DOM.describeNode', { objectId: result.objectId })).node;
  };
  return {
    frameId,
    url,
    async evaluate(expression) {
      const answer = await cdp.send('Runtime.evaluate', {
        expression,
        contextId,
        awaitPromise: true,
        returnByValue: true,
      });
      if (answer.exceptionDetails !== undefined) {
        const { exception, text } = answer.exceptionDetails;
        throw new Error(exception?.description ?? text);
      }
      return answer.result.value;
    },
    frameIn: async (elementExpression) => (await describe(elementExpression))?.frameId ?? null,
    nodeIn: async (elementExpression) => (await describe(elementExpression))?.backendNodeId ?? null,
  };
}
