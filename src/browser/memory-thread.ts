import { availableParallelism } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { createGroupReader, type GroupMember, killHard } from './chromium-process.ts';
import { memoryGrowthBytesPerMsAndCore, memorySampleMinMs, pageMemoryShare } from './limits.ts';
import { type KillNotice, type MemoryLimits, SHARED, type WatchRequest } from './memory-watch.ts';

/** The thread of the memory watch: measures the memory of all browsers, and kills pages and browsers. */

const { memoryBytes, memoryHardBytes }: MemoryLimits = workerData;
const growthBytesPerMs = memoryGrowthBytesPerMsAndCore * availableParallelism();
const browsers = new Map<number, BigInt64Array>();
const groups = createGroupReader();
/** Pids of killed processes whose memory the system has not freed yet. */
let killed = new Set<number>();
let timer = setTimeout(measure, 0);

parentPort?.on('message', ({ group, shared }: WatchRequest) => {
  if (shared === null) browsers.delete(group);
  else browsers.set(group, shared);
  groups.forget();
  clearTimeout(timer);
  measure();
});

function measure(): void {
  if (browsers.size === 0) return;
  const all = groups.members(new Set(browsers.keys()));
  killed = new Set(all.filter(({ pid }) => killed.has(pid)).map(({ pid }) => pid));
  const members = all.filter(({ pid }) => !killed.has(pid));
  for (const [group, shared] of browsers) {
    const bytes = sum(members.filter((member) => member.group === group));
    Atomics.store(shared, SHARED.bytes, BigInt(bytes));
    if (bytes > memoryBytes) Atomics.store(shared, SHARED.isWorn, 1n);
  }
  // Killed processes count until their memory is free, so that another page cannot take as much in the meantime.
  const bytes = sum(all);
  if (bytes > memoryHardBytes) killLargest(members, bytes);
  // Measure again before even the fastest-growing page can reach the limit.
  const waitMs = Math.max(memorySampleMinMs, (memoryHardBytes - bytes) / growthBytesPerMs);
  timer = setTimeout(measure, waitMs);
}

/**
 * Kills the largest page if it holds at least `pageMemoryShare` of the limit. Otherwise kills the largest browser, unless
 * the memory falls below the limit as soon as the killed processes are gone.
 */
function killLargest(members: readonly GroupMember[], bytes: number): void {
  const [renderer] = members.filter((member) => member.isRenderer).sort((a, b) => b.bytes - a.bytes);
  const wholeBrowser = renderer === undefined || renderer.bytes <= memoryHardBytes * pageMemoryShare;
  if (wholeBrowser && sum(members) <= memoryHardBytes) return;
  const group = wholeBrowser ? largestGroup(members) : renderer.group;
  const shared = browsers.get(group);
  if (shared === undefined) return;
  Atomics.store(shared, wholeBrowser ? SHARED.browserKilledAt : SHARED.pageKilledAt, BigInt(Date.now()));
  killHard(wholeBrowser ? -group : renderer.pid);
  for (const { pid } of wholeBrowser ? members.filter((member) => member.group === group) : [renderer]) killed.add(pid);
  parentPort?.postMessage({ bytes, limit: memoryHardBytes, wholeBrowser } satisfies KillNotice);
}

function largestGroup(members: readonly GroupMember[]): number {
  const bytesOf = (group: number): number => sum(members.filter((member) => member.group === group));
  return [...browsers.keys()].reduce((largest, group) => (bytesOf(group) > bytesOf(largest) ? group : largest));
}

function sum(members: readonly GroupMember[]): number {
  return members.reduce((total, { bytes }) => total + bytes, 0);
}
