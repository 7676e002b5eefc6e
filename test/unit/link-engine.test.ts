import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LinkAnswer } from '../../src/checks/links/ask-link.ts';
import { createReportMemories } from '../../src/checks/links/engine.ts';
import { rememberedEntryBytes, rememberedPerReportBytes } from '../../src/checks/links/limits.ts';

const LONG = 'x'.repeat(2_000);

/** Recalls as many links as given, each redirected to another URL. Returns the links that were requested. */
async function recallAll(memoryFor: ReturnType<typeof createReportMemories>, page: string, links: readonly string[]) {
  const memory = memoryFor('report', page);
  const asked: string[] = [];
  for (const link of links) {
    await memory.recall(link, async (): Promise<LinkAnswer> => {
      asked.push(link);
      return { kind: 'status', status: 200, url: `${link}/end` };
    });
  }
  return asked;
}

const linksOf = (count: number, rest: string): string[] =>
  Array.from({ length: count }, (_, number) => `https://site.test/${number}/${rest}`);

describe('the memory of link checks', () => {
  it('remembers responses for thousands of ordinary links', async () => {
    const memoryFor = createReportMemories();
    const links = linksOf(8_000, 'page');
    assert.equal((await recallAll(memoryFor, 'https://site.test/a', links)).length, 8_000);
    assert.deepEqual(await recallAll(memoryFor, 'https://site.test/b', links), []);
  });

  it('counts the bytes of links and final URLs, and forgets the oldest', async () => {
    const memoryFor = createReportMemories();
    const fitting = Math.floor(rememberedPerReportBytes / (rememberedEntryBytes + 2 * LONG.length));
    const links = linksOf(2 * fitting, LONG);
    await recallAll(memoryFor, 'https://site.test/a', links);
    // Most recent first: repeated requests make others be forgotten.
    const again = await recallAll(memoryFor, 'https://site.test/b', links.toReversed());
    assert.ok(again.length >= fitting && again.length < fitting + 50, `${again.length} of ${links.length}`);
    assert.ok(!again.includes(links.at(-1) ?? ''));
  });

  it('counts the bytes of pages', async () => {
    const memoryFor = createReportMemories();
    const link = ['https://site.test/link'];
    await recallAll(memoryFor, 'https://site.test/first', link);
    for (const page of linksOf(2_000, LONG)) memoryFor('report', page);
    assert.deepEqual(await recallAll(memoryFor, 'https://site.test/b', link), link);
  });
});
