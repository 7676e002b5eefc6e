import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Page } from 'playwright-core';
import { defaultUserAgent } from '../../src/browser/devices.ts';
import { findChromium } from '../../src/browser/find-chromium.ts';
import { browserCache } from './browser.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Longer than a page takes on a busy machine. */
const loadTimeoutMs = 120_000;

interface DirectRule {
  readonly id: string;
  readonly impact: string | null;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly target: unknown; readonly failureSummary: string }[];
}

/** All results of axe, without the time. */
export interface DirectResults {
  readonly violations: readonly DirectRule[];
  readonly incomplete: readonly DirectRule[];
  readonly passes: readonly DirectRule[];
  readonly timestamp?: string;
}

export interface DirectAxe {
  /**
   * Runs axe in a fresh browser page that loads the URL and waits a while.
   * @param rules to run in addition to the default ones
   */
  run(url: string, restMs: number, rules?: readonly string[]): Promise<DirectResults>;
  /** Opens an empty page of the same kind, to be used by hand. */
  open(): Promise<{ readonly page: Page; results(): Promise<DirectResults> }>;
  close(): Promise<void>;
}

/** Runs axe-core directly, without code of the service. */
export async function startDirectAxe(args: readonly string[] = []): Promise<DirectAxe> {
  const found = await findChromium({ executable: null, cacheDirectory: browserCache });
  const browser = await chromium.launch({
    executablePath: found.executable,
    env: found.environment,
    args: [...args],
  });
  return {
    async run(url, restMs, rules = []) {
      const page = await browser.newPage({ viewport: { width: 800, height: 600 }, userAgent: defaultUserAgent() });
      try {
        await page.goto(url, { waitUntil: 'load', timeout: loadTimeoutMs });
        await page.waitForTimeout(restMs);
        for (const frame of page.frames()) await frame.evaluate(AXE);
        const enabled = Object.fromEntries(rules.map((rule) => [rule, { enabled: true }]));
        const options = rules.length === 0 ? {} : { rules: enabled };
        return JSON.parse(await page.evaluate(`axe.run(${JSON.stringify(options)}).then(JSON.stringify)`));
      } finally {
        await page.close();
      }
    },
    async open() {
      const page = await browser.newPage({ viewport: { width: 800, height: 600 }, userAgent: defaultUserAgent() });
      const results = async (): Promise<DirectResults> => {
        await page.evaluate(AXE);
        return JSON.parse(await page.evaluate('axe.run().then(JSON.stringify)'));
      };
      return { page, results };
    },
    close: () => browser.close(),
  };
}
