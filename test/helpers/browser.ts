import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BrowserPool, type BrowserPoolOptions, createBrowserPool } from '../../src/browser/browser-pool.ts';
import type { FetchedDocument } from '../../src/domain/check.ts';
import type { ChildRegistry } from '../../src/platform/child-registry.ts';
import { createLogger } from '../../src/platform/logger.ts';

/** Kept between test runs, so that the bundled browser is unpacked once. */
export const browserCache = fileURLToPath(new URL('../../.test-data/cache', import.meta.url));

export const quietLog = createLogger({ level: 'silent', format: 'json' });

/** A pool of pages in a real browser; its cache is kept between test runs. */
export function testPool(changes: Partial<BrowserPoolOptions> = {}): BrowserPool {
  return createBrowserPool({
    find: { executable: null, cacheDirectory: browserCache },
    profilesDirectory: join(browserCache, 'browser-profiles'),
    proxyServer: null,
    userAgentSuffix: null,
    slots: 2,
    children: recordChildren(),
    log: quietLog,
    ...changes,
  });
}

/** A registry of children that records which were started and which are still running. */
export interface RecordedChildren extends ChildRegistry {
  readonly started: readonly number[];
  readonly present: ReadonlySet<number>;
}

export function recordChildren(): RecordedChildren {
  const started: number[] = [];
  const present = new Set<number>();
  return {
    started,
    present,
    add(pid) {
      started.push(pid);
      present.add(pid);
    },
    remove(pid) {
      present.delete(pid);
    },
  };
}

/** Processes, zombies included, that belong to a group or have a text in their command line. */
export function processesOf(groups: readonly number[], text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
        const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
        return groups.includes(group) || readFileSync(join('/proc', pid, 'cmdline'), 'latin1').includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** The document at a URL, fetched as the spider would. */
export async function fetchDocument(url: string): Promise<FetchedDocument> {
  const response = await fetch(url);
  return {
    url,
    httpStatus: response.status,
    contentType: response.headers.get('content-type') ?? '',
    headers: [...response.headers],
    body: new Uint8Array(await response.arrayBuffer()),
  };
}
