import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { createA11yEngine } from '../src/checks/a11y/engine.ts';
import { createVnuServer } from '../src/checks/html/vnu-server.ts';
import { DEFAULT_VIEWPORT } from '../src/domain/check.ts';
import { quietLog, recordChildren, testPool } from '../test/helpers/browser.ts';
import { startLoopbackProxy } from '../test/helpers/loopback-proxy.ts';
import { startTestSite } from '../test/helpers/test-site.ts';

/** Checks real pages, and edited versions of them, in the folders of websites. */

const MODULES = join(import.meta.dirname, '../node_modules');
/** Websites in npm packages. */
export const CORPORA: readonly string[] = ['@tabler/preview/dist', 'dygraphs/_site', 'startbootstrap-sb-admin-2'].map(
  (name) => join(MODULES, name),
);
const checkTimeoutMs = 120_000;
const contentType = 'text/html; charset=utf-8';

/** Checks the text of a page of a folder. */
export type Check = (text: string, file: string) => Promise<{ readonly answer: Uint8Array; readonly url: string }>;

/** An engine that has been started. */
export interface OpenEngine {
  open(directory: string): Promise<{ readonly check: Check; stop(): Promise<void> }>;
  stop(): Promise<void>;
}

export async function openValidator(): Promise<OpenEngine> {
  const validator = createVnuServer({ compiler: 'optimizing', children: recordChildren(), logger: quietLog });
  await validator.start();
  const check: Check = async (text, file) => {
    const document = { contentType, body: Buffer.from(text) };
    const answer = await validator.validate(document, AbortSignal.timeout(checkTimeoutMs));
    return { answer, url: `http://identity.test/${file}` };
  };
  return { open: async () => ({ check, stop: async () => {} }), stop: () => validator.stop() };
}

export async function openA11yEngine(): Promise<OpenEngine> {
  const proxy = await startLoopbackProxy();
  const engine = createA11yEngine({ pool: testPool({ proxyServer: proxy.address }) });
  await engine.start();
  return {
    async open(directory) {
      const site = await startTestSite({ directory });
      const check: Check = async (text, file) => {
        const url = `${site.origin}/${file}`;
        const document = { url, httpStatus: 200, contentType, headers: [], body: Buffer.from(text) };
        const input = { document, viewport: DEFAULT_VIEWPORT, cacheGroup: directory };
        return { answer: await engine.collect(input, AbortSignal.timeout(checkTimeoutMs)), url };
      };
      return { check, stop: () => site.stop() };
    },
    async stop() {
      await engine.stop();
      await proxy.stop();
    },
  };
}

/** Returns pages spread evenly over a folder. */
export async function chosenFiles(directory: string, pages: number): Promise<string[]> {
  const files = (await Array.fromAsync(glob('**/*.{html,htm}', { cwd: directory }))).toSorted();
  const chosen = Math.min(pages, files.length);
  return Array.from({ length: chosen }, (_, index) => files[Math.floor((index * files.length) / chosen)] ?? '');
}
