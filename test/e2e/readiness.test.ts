import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createVnuServer, type VnuServer } from '../../src/checks/html/vnu-server.ts';
import { processesOf, quietLog, recordChildren } from '../helpers/browser.ts';
import { sharedValidator } from '../helpers/shared-parts.ts';
import { startTestApp, type TestApp } from '../helpers/start-app.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** Anyone can request readiness, as often as they like. */

const PAGES = 3;
const CALLS_AT_A_TIME = 200;
/** Between two rounds of calls: each costs as much processor time as a page. */
const PAUSE_MS = 500;

let service: TestApp;
let site: TestSite;
/** The validator of all tests, or one of this file if it runs alone. */
let validator: string;
let vnu: VnuServer | undefined;
/** Validations of the document that probes the validator: all, those in progress, and the most at a time. */
const probes = { all: 0, now: 0, most: 0 };

/** A server that counts requests and forwards them to the validator. */
const counter = createServer((question, answer) => {
  const chunks: Buffer[] = [];
  question.on('data', (chunk: Buffer) => chunks.push(chunk));
  question.on('end', () => {
    const body = Buffer.concat(chunks);
    if (body.includes('Are you there?')) {
      probes.all += 1;
      probes.now += 1;
      probes.most = Math.max(probes.most, probes.now);
      answer.on('close', () => {
        probes.now -= 1;
      });
    }
    const { method, url: path, headers } = question;
    const passedOn = request(validator, { method, path, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 500, answered.headers);
      answered.pipe(answer);
    });
    passedOn.on('error', () => answer.destroy());
    passedOn.end(body);
  });
});

before(async () => {
  validator = (await sharedValidator()).SITEWARDEN_VNU_URL ?? (await startOwnValidator());
  await new Promise<void>((resolve) => counter.listen(0, '127.0.0.1', resolve));
  const { port }: Pick<AddressInfo, 'port'> = Object(counter.address());
  service = await startTestApp({ SITEWARDEN_VNU_URL: `http://127.0.0.1:${port}` });
  const links = Array.from({ length: PAGES }, (_, page) => `<a href="/${page}">Page ${page}</a>`).join(' ');
  site = await startTestSite({
    '*': `<!DOCTYPE html><html lang="en"><title>Page</title><main><h1>Page</h1>${links}<img src="data:,"></main></html>`,
  });
});

async function startOwnValidator(): Promise<string> {
  vnu = createVnuServer({ children: recordChildren(), logger: quietLog });
  await vnu.start();
  return `http://127.0.0.1:${vnu.current()?.port}`;
}

after(async () => {
  await service?.close();
  await site?.stop();
  counter.closeAllConnections();
  counter.close();
  await vnu?.stop();
});

const browsers = (): number[] => processesOf([], `browser-profiles/${process.pid}-`).toSorted();

test('hundreds of concurrent requests share one probe of each part, and disturb no check', async () => {
  const health = new URL('/health/ready', service.api);
  await service.app.browser.start();
  const runningBefore = browsers();
  // The start of the service has probed the validator, too.
  await until(() => probes.all > 0 && probes.now === 0);
  Object.assign(probes, { all: 0, most: 0 });
  const { data } = await service.ask('/reports', 'POST', {
    starting_url: `${site.origin}/`,
    max_pages: PAGES,
    rate_limit: 100,
    perform_a11y_checks: true,
  });
  let isOver = false;
  const report = service.finished(data.id).finally(() => {
    isOver = true;
  });
  let answered = 0;
  do {
    const statuses = await Promise.all(
      Array.from({ length: CALLS_AT_A_TIME }, async () => (await fetch(health)).status),
    );
    assert.ok(statuses.every((status) => status === 200 || status === 503));
    answered += statuses.length;
    await Promise.race([report, delay(PAUSE_MS)]);
  } while (!isOver);
  // How long a result is kept is tested in `test/unit/share-answer.test.ts`.
  assert.equal(probes.most, 1);
  assert.ok(probes.all >= 1 && probes.all < answered / 10, `${probes.all} validations for ${answered} calls`);

  assert.equal((await report).attributes.status, 'finished');
  const pages = await service.all(`/reports/${data.id}/web_pages`);
  assert.equal(pages.length, PAGES);
  for (const { attributes } of pages) {
    for (const check of [attributes.html_check, attributes.a11y_check]) {
      assert.deepEqual([check.error, check.errors], [null, 1]);
    }
  }
  assert.deepEqual(
    browsers().filter((pid) => runningBefore.includes(pid)),
    runningBefore,
    'the browser continues',
  );
});
