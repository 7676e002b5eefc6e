import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createEngines, engineOf } from '../../src/checks/registry.ts';
import { DEFAULT_VIEWPORT, type FetchedDocument } from '../../src/domain/check.ts';
import { createAddressGuard } from '../../src/egress/address-guard.ts';
import { createHttpClient } from '../../src/egress/http-client.ts';
import { createSharedLimiters } from '../../src/spider/rate-limiter.ts';
import { quietLog, recordChildren, testPool } from '../helpers/browser.ts';
import { PATIENT_PAGES } from '../helpers/patience.ts';
import { sharedValidator } from '../helpers/shared-parts.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** The contract of engines, tested for every engine in the registry. */

const children = recordChildren();
const httpClient = createHttpClient({
  addressGuard: createAddressGuard({ allowPrivateNetworks: true }),
  userAgent: 'sitewarden/test',
});
const engines = await createEngines({
  httpClient,
  limiters: createSharedLimiters(100),
  htmlConcurrency: 2,
  vnuUrl: (await sharedValidator()).SITEWARDEN_VNU_URL ?? null,
  settleMs: 10_000,
  restMs: 0,
  browserPool: testPool({ children }),
  a11yLimits: PATIENT_PAGES,
  isLongLived: false,
  children,
  log: quietLog,
});
let site: TestSite;

const FAULTY =
  '<!DOCTYPE html><title>x</title><main><img src=a><img src=b><p>A <p id=d>B <p id=d>C<a href=/gone>D</a></main>';
const SOUND = '<!DOCTYPE html><html lang="en"><title>Sound</title><main><h1>Sound</h1><p>Text</p></main></html>';

before(async () => {
  site = await startTestSite({ '/faulty': FAULTY, '/sound': SOUND });
});
after(async () => {
  await httpClient.close();
  await site.stop();
});

function document(path: string, body: string): FetchedDocument {
  const headers = [['content-type', 'text/html; charset=utf-8']] as const;
  const contentType = 'text/html; charset=utf-8';
  return { url: `${site.origin}${path}`, httpStatus: 200, contentType, headers, body: Buffer.from(body) };
}

it('every engine has its own kind', () => {
  assert.equal(new Set(engines.map(({ kind }) => kind)).size, engines.length);
});

for (const engine of engines) {
  describe(`the ${engine.kind} engine`, () => {
    const { interpret } = engineOf(engine.kind);
    const check = (path: string, body: string, signal = new AbortController().signal, alone = false) =>
      engine.collect({ document: document(path, body), viewport: DEFAULT_VIEWPORT, cacheGroup: 'test', alone }, signal);

    before(() => engine.start());
    after(() => engine.stop());

    it('starts once, however often start is called', async () => {
      const { length } = children.started;
      await engine.start();
      assert.equal(children.started.length, length);
      assert.equal(await engine.isReady(), true);
      assert(engine.concurrency >= 1);
    });

    it('returns raw checks in JSON, and always the same issues for them', async () => {
      const raw = await check('/faulty', FAULTY);
      const url = `${site.origin}/faulty`;
      const { issues } = interpret(raw, url);
      assert.deepEqual(
        interpret(Buffer.from(JSON.stringify(JSON.parse(Buffer.from(raw).toString()))), url).issues,
        issues,
      );
      assert.deepEqual(interpret(await check('/faulty', FAULTY), url).issues, issues);
      assert(issues.length > 0);
      for (const issue of issues) {
        assert(issue.howMany >= 1 && Number.isInteger(issue.howMany));
        assert(issue.message !== '' && issue.tags.length > 0 && URL.canParse(issue.url));
        assert(Array.isArray(issue.occurrences));
        assert.equal(issue.occurrences.length, issue.howMany);
      }
      const kinds = issues.map((issue) =>
        JSON.stringify([issue.type, issue.subType, issue.message, issue.impact, issue.url]),
      );
      assert.equal(new Set(kinds).size, kinds.length, 'each issue type comes once');
    });

    it('finds no issues in a correct document', async () => {
      const { issues } = interpret(await check('/sound', SOUND), `${site.origin}/sound`);
      assert.deepEqual(issues, []);
    });

    it('runs nothing else while a check runs alone', async () => {
      const ended: string[] = [];
      const one = async (name: string, body: string, alone = false): Promise<void> => {
        await check('/sound', body, undefined, alone);
        ended.push(name);
      };
      const large = SOUND.replace('<p>Text</p>', '<p>Text</p>'.repeat(300));
      await Promise.all([one('large', large), one('alone', SOUND, true), one('next', SOUND)]);
      assert.deepEqual(ended, ['large', 'alone', 'next']);
    });

    it('ends an aborted check, and continues with the next', async () => {
      const aborted = AbortSignal.abort(new Error('stopped'));
      await assert.rejects(check('/faulty', FAULTY, aborted));
      await check('/sound', SOUND);
    });

    it('leaves nothing when it is stopped', async () => {
      await engine.stop();
      assert.equal(await engine.isReady(), false);
      assert.equal(children.present.size, 0);
    });
  });
}
