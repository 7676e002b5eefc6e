import { availableParallelism } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { memoryGrowthBytesPerMsAndCore, memorySampleMinMs, pageMemoryShare } from './limits.ts';
import { type EndedNotice, type MemoryLimits, SHARED, type WatchRequest } from './memory-watch.ts';
import { createGroupReader, type GroupMember, killHard } from './process-group.ts';

/** The thread of the memory watch: what it does all the time, and nothing else. */

const { memoryBytes, memoryHardBytes }: MemoryLimits = workerData;
const growthBytesPerMs = memoryGrowthBytesPerMsAndCore * availableParallelism();
const browsers = new Map<number, BigInt64Array>();
const groups = createGroupReader();
/** Ended, and still there: what they hold is being freed. */
let ended = new Set<number>();
let timer = setTimeout(look, 0);

parentPort?.on('message', ({ group, shared }: WatchRequest) => {
  if (shared === null) browsers.delete(group);
  else browsers.set(group, shared);
  groups.forget();
  clearTimeout(timer);
  look();
});

function look(): void {
  if (browsers.size === 0) return;
  const all = groups.members(new Set(browsers.keys()));
  ended = new Set(all.filter(({ pid }) => ended.has(pid)).map(({ pid }) => pid));
  const members = all.filter(({ pid }) => !ended.has(pid));
  for (const [group, shared] of browsers) {
    const bytes = sum(members.filter((member) => member.group === group));
    Atomics.store(shared, SHARED.bytes, BigInt(bytes));
    if (bytes > memoryBytes) Atomics.store(shared, SHARED.isWorn, 1n);
  }
  // What was ended holds its memory for a moment, in which another page must not take as much again.
  const bytes = sum(all);
  if (bytes > memoryHardBytes) endLargest(members, bytes);
  // Before the fastest page can have reached the limit.
  const restMs = Math.max(memorySampleMinMs, (memoryHardBytes - bytes) / growthBytesPerMs);
  timer = setTimeout(look, restMs);
}

/**
 * Ends the largest page when it holds a good part of the memory; else the largest browser, unless there will be room as soon
 * as what was ended is gone.
 */
function endLargest(members: readonly GroupMember[], bytes: number): void {
  const [renderer] = members.filter((member) => member.isRenderer).sort((a, b) => b.bytes - a.bytes);
  const wholeBrowser = renderer === undefined || renderer.bytes <= memoryHardBytes * pageMemoryShare;
  if (wholeBrowser && sum(members) <= memoryHardBytes) return;
  const group = wholeBrowser ? largestGroup(members) : renderer.group;
  const shared = browsers.get(group);
  if (shared === undefined) return;
  Atomics.store(shared, wholeBrowser ? SHARED.browserEndedAt : SHARED.pageEndedAt, BigInt(Date.now()));
  killHard(wholeBrowser ? -group : renderer.pid);
  for (const { pid } of wholeBrowser ? members.filter((member) => member.group === group) : [renderer]) ended.add(pid);
  parentPort?.postMessage({ bytes, limit: memoryHardBytes, wholeBrowser } satisfies EndedNotice);
}

function largestGroup(members: readonly GroupMember[]): number {
  const bytesOf = (group: number): number => sum(members.filter((member) => member.group === group));
  return [...browsers.keys()].reduce((most, group) => (bytesOf(group) > bytesOf(most) ? group : most));
}

function sum(members: readonly GroupMember[]): number {
  return members.reduce((total, { bytes }) => total + bytes, 0);
}
