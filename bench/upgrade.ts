/**
 * Restarts two `serve` one by one behind a real proxy with the shipped configuration, under requests and with a report in
 * progress; then upgrades them and two `work` one by one to a version with further migrations. Counts failed requests, and
 * compares each report with an undisturbed one. Exits with 1 on any failure or difference.
 *
 *   npm run bench:upgrade -- [--restarts N] [--rate N] [--pages N] [--proxy nginx|caddy] [--old FOLDER]
 *
 * `--old` is the folder of an installed npm package, such as the previous release. Default: this version. The new version is this
 * one, with more migrations if the old one is the same.
 */
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { createUpgradeFleet } from './upgrade-fleet.ts';
import { startRequests } from './upgrade-requests.ts';

const { values } = parseArgs({
  options: {
    restarts: { type: 'string', default: '20' },
    rate: { type: 'string', default: '50' },
    pages: { type: 'string', default: '100' },
    proxy: { type: 'string', default: 'nginx' },
    old: { type: 'string' },
  },
});
const [restarts, rate, pages] = [Number(values.restarts), Number(values.rate), Number(values.pages)];
const proxyName = values.proxy === 'caddy' ? 'caddy' : 'nginx';

const fleet = await createUpgradeFleet({ pages, proxyName, old: values.old });
let isFailed = false;
try {
  const undisturbed = await fleet.runReport();
  console.log(`2 serve, 2 work, ${proxyName}, ${rate} requests per second, reports of ${pages} pages`);
  await during(`${restarts} rolling restarts of serve`, async () => {
    for (let number = 0; number < restarts; number += 1) await fleet.restartServe(number % 2);
  });
  await during('migration', async () => console.log(indented(await fleet.migrate())));
  await during('upgrade of two serve and two work', () => fleet.upgrade());
  await during('a restart of a serve of the old version', () => fleet.restartOld());

  /** Does something while requests are sent and reports run, and prints what happened. */
  async function during(what: string, act: () => Promise<void>): Promise<void> {
    const requests = startRequests(fleet.proxy, fleet.token, rate);
    const from = performance.now();
    let isDone = false;
    const results: string[] = [];
    const reports = (async () => {
      while (!isDone) results.push(isDeepStrictEqual(await fleet.runReport(), undisturbed) ? 'the same' : 'DIFFERENT');
    })();
    const reported = Promise.allSettled([reports]);
    const [acted] = await Promise.allSettled([act()]);
    const seconds = ((performance.now() - from) / 1_000).toFixed(0);
    isDone = true;
    const [ended] = await reported;
    const { sent, failures, latencies } = await requests.stop();
    for (const result of [acted, ended]) if (result.status === 'rejected') throw result.reason;
    isFailed ||= failures.length > 0 || results.includes('DIFFERENT');
    console.log(
      `${what}: ${seconds} s; ${sent} requests, ${failures.length} failed, ${latencies}; ` +
        `${results.length} reports, ${results.filter((result) => result === 'the same').length} the same`,
    );
    for (const failure of failures.slice(0, 5)) console.log(`  ${failure}`);
  }
} catch (error) {
  isFailed = true;
  console.log(error, fleet.proxy.log());
} finally {
  await fleet.stop();
}
if (isFailed) {
  console.log(fleet.log());
  process.exitCode = 1;
}

function indented(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, '  ');
}
