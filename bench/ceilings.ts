/** The maximum speed of the engines on this machine: the same pages, two at a time, without spider, database or issues. */

import axe from 'axe-core';
import { chromium } from 'playwright-core';
import { Agent, request } from 'undici';

const AT_A_TIME = 2;
const VIEWPORT = { width: 800, height: 600 };

async function inParallel<Item>(
  items: readonly Item[],
  run: (item: Item, lane: number) => Promise<void>,
): Promise<number> {
  const started = performance.now();
  const queue = items.values();
  const lane = async (index: number) => {
    for (const item of queue) await run(item, index);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, (_, index) => lane(index)));
  return (performance.now() - started) / 1_000;
}

/** Seconds that the validator takes for the documents, sent as fast as it accepts them, with responses read and discarded. */
export async function vnuCeiling(validatorUrl: string, documents: readonly Uint8Array[]): Promise<number> {
  const dispatcher = new Agent({ connections: AT_A_TIME });
  const seconds = await inParallel(documents, async (body) => {
    const answer = await request(`${validatorUrl}/?out=json`, {
      dispatcher,
      method: 'POST',
      headers: { 'content-type': 'text/html; charset=utf-8', 'user-agent': 'sitewarden-bench' },
      body,
    });
    await answer.body.dump();
  });
  await dispatcher.close();
  return seconds;
}

/**
 * Seconds that axe takes for the pages, loaded over the network, in reused tabs, with axe injected into new documents and only
 * violations and incomplete results returned.
 */
export async function axeCeiling(
  executablePath: string,
  env: Record<string, string>,
  urls: readonly string[],
): Promise<number> {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath, args, env, chromiumSandbox: false });
  try {
    const context = await browser.newContext({ viewport: VIEWPORT });
    await context.addInitScript(axe.source);
    const pages = await Promise.all(Array.from({ length: AT_A_TIME }, () => context.newPage()));
    return await inParallel(urls, async (url, lane) => {
      const page = pages[lane];
      if (page === undefined) return;
      await page.goto(url, { waitUntil: 'load' });
      await page.evaluate(
        'axe.run({ resultTypes: ["violations", "incomplete"] }).then(r => [r.violations, r.incomplete])',
      );
    });
  } finally {
    await browser.close();
  }
}
