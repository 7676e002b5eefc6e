import type { BrowserPool } from '../browser/browser-pool.ts';
import type { ChildRegistry } from '../platform/child-registry.ts';
import type { Logger } from '../platform/logger.ts';
import { type A11yEngineOptions, createA11yEngine } from './a11y/engine.ts';
import type { CheckEngine } from './check-engine.ts';
import { createHtmlEngine } from './html/engine.ts';

/** What the engines are made of. */
export interface EngineSettings {
  /** Documents that the HTML check takes at a time. */
  readonly htmlConcurrency: number;
  /** A validator that runs already; null for one of our own. */
  readonly vnuUrl: string | null;
  /** Where the accessibility check shows pages. */
  readonly browserPool: BrowserPool;
  /** How long a page with scripts may take to come to rest, in ms. */
  readonly settleMs: number;
  /** Other limits of the accessibility check than its own. */
  readonly a11yLimits?: A11yEngineOptions['limits'];
  /** Whether the process lives long enough for checkers to be tuned for a long run instead of a quick start. */
  readonly isLongLived: boolean;
  readonly children: ChildRegistry;
  readonly log: Logger;
}

/** Every engine there is. A new one gets a line here; the contract suite of the engines then tests it, too. */
export function createEngines(settings: EngineSettings): readonly CheckEngine[] {
  const { browserPool, a11yLimits = {}, children, log } = settings;
  return [
    createHtmlEngine({
      concurrency: settings.htmlConcurrency,
      externalUrl: settings.vnuUrl ?? undefined,
      compiler: settings.isLongLived ? 'optimizing' : 'quick',
      children,
      logger: log,
    }),
    createA11yEngine({ pool: browserPool, limits: { restTimeoutMs: settings.settleMs, ...a11yLimits } }),
  ];
}
