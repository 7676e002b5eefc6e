import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BrowserFault } from '../../src/browser/browser-fault.ts';
import { type JourneyMeans, runJourney } from '../../src/crawling/journeys/run-journey.ts';
import { DEFAULT_VIEWPORT } from '../../src/domain/check.ts';
import { CheckFault } from '../../src/domain/check-fault.ts';
import { stepInWords } from '../../src/domain/failures/step-words.ts';
import { type JourneyStep, namedStep } from '../../src/domain/journey.ts';

/** A browser that fails at the first mark. Its only element is `#buy`. */
function brokenBrowser() {
  const clicks: string[] = [];
  const nothing = () => undefined;
  const missing = Object.assign(new Error('Timeout exceeded.'), { name: 'TimeoutError' });
  const page = {
    ...{ on: nothing, off: nothing, url: () => 'https://example.com/', context: () => page, goto: async () => null },
    ...{ evaluate: () => Promise.reject(new Error('Target closed')), close: async () => undefined },
    locator: (selector: string) => ({
      first: () => ({
        waitFor: () => (selector === 'css=#buy' ? Promise.resolve() : Promise.reject(missing)),
        click: async () => void clicks.push(selector),
        evaluate: async () => undefined,
        fill: async (text: string) => void clicks.push(text),
      }),
    }),
  };
  const cdp = { send: async () => ({ frameTree: { frame: { id: '1' } } }), on: nothing, off: nothing };
  let pages = 0;
  const withPage = async (_: unknown, use: (...args: readonly unknown[]) => Promise<unknown>) => {
    pages += 1;
    return use({ page, cdp }, (work: () => unknown) => work());
  };
  return { pool: { withPage: withPage as never }, clicks, pages: () => pages };
}

async function run(steps: readonly JourneyStep[], other: Partial<JourneyMeans> = {}) {
  const { pool, clicks, pages } = brokenBrowser();
  const journey = { name: 'Buying', steps: [{ open: '/' }, ...steps, { check: 'Done' }] };
  const toRun = {
    ...{ journey, startingUrl: 'https://example.com/', viewport: DEFAULT_VIEWPORT, cacheGroup: '1' },
    ...{ standard: null, engines: [], secrets: [] },
  };
  const means = { pool, takeCode: async () => '123456', signal: new AbortController().signal, ...other };
  const { marks, hasActed } = await runJourney(toRun, undefined, means);
  return {
    codes: marks.map(({ content }) => 'failure' in content && content.failure.code),
    clicks,
    pages: pages(),
    hasActed,
  };
}

test('a journey that exceeds its time limit is not performed again', async () => {
  let timesMs: number[] = [];
  const withPage = ({ timeLimitMs }: { readonly timeLimitMs: number }) => {
    timesMs = [...timesMs, timeLimitMs];
    return Promise.reject(new BrowserFault('time_limit'));
  };
  const { codes } = await run([], { pool: { withPage: withPage as never } });
  assert.deepEqual([codes, timesMs], [['journey_too_long'], [600_000]]);
});

test('a journey is performed again after a fault of the browser only if it has not changed anything', async () => {
  const codes = ['journey_broke_off'];
  assert.deepEqual(await run([]), { codes, clicks: [], pages: 2, hasActed: false });
  assert.deepEqual(await run([{ click: '#buy' }]), { codes, clicks: ['css=#buy'], pages: 1, hasActed: true });
  // A one-time password, which a second attempt could not use again.
  const entered = { codes, clicks: ['123456'], pages: 1, hasActed: true };
  assert.deepEqual(await run([{ fill: '#buy', totp: 'GEZDGNBVGY3TQOJQ' }]), entered);
  // It happens only once it is recorded.
  const times: number[] = [];
  const onActing = async (): Promise<void> => void times.push(1);
  const recorded = await run([{ click: '#buy' }, { click: '#buy' }], { onActing });
  assert.deepEqual([recorded.clicks.length, times], [2, [1]]);
  const outage = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  await assert.rejects(run([{ click: '#buy' }], { onActing: () => Promise.reject(outage) }), outage);
  const failed = ['journey_step_failed'];
  const refusal = new CheckFault({ code: 'report_stopped', params: {} }, { permanent: true });
  const refused = await run([{ click: '#buy' }], { onActing: () => Promise.reject(refusal) });
  assert.deepEqual(refused, { codes: failed, clicks: [], pages: 1, hasActed: false });
  assert.deepEqual(await run([{ click: '#none' }]), { codes: failed, clicks: [], pages: 1, hasActed: false });
});

test('a failed step is named without what it enters', () => {
  const steps = [
    [{ open: 'https://example.com/go?token=abc#part' }, 'open “https://example.com/go?…”'],
    [{ fill: '#name', value: 'Ada' }, 'fill the field “#name”'],
    [{ fill: '#card', secret: '4111' }, 'fill the field “#card”'],
    [{ select: '#size', value: 'large' }, 'select in the list “#size”'],
    [{ press: 'Enter' }, 'press the key “Enter”'],
    [{ wait_for: { url: '/cart', selector: 'main' } }, 'wait for “/cart” in the URL and the element “main”'],
    [{ check: 'Cart' }, 'check the page as “Cart”'],
  ] as const;
  for (const [step, words] of steps) assert.equal(stepInWords(namedStep(step, 0)), words);
});
