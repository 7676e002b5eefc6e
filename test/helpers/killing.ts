import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { StartOptions } from './command-line.ts';
import { assertCountsAddUp } from './counts.ts';
import { type Fleet, killOne, startFleet, VICTIMS, type Victim } from './fleet.ts';
import { linkedPage, pageNumber } from './linked-pages.ts';
import { randomFrom } from './random.ts';
import { type ReportResult, resultOf } from './report-result.ts';
import { startTestSite, type TestSite } from './test-site.ts';
import { until } from './until.ts';

/** Reports whose processes are killed at random, compared with one whose processes are not. */
export interface Killing {
  /**
   * Creates a report, and kills random processes until it ends or the number is reached.
   * @returns what was killed, and the difference to the undisturbed report; null if there is none
   */
  report(killsMax: number): Promise<{ readonly kills: readonly Victim[]; readonly difference: string | null }>;
  /**
   * Creates a report of two journeys, kills the processes in the middle of each, and once it has ended, checks the marks of the
   * second one again, in which something is ordered.
   */
  journeys(): Promise<KilledJourneys>;
  /** Standard error of the processes. */
  log(): string;
  /** Stops everything in order, and removes it. Returns any remaining processes. */
  stop(): Promise<number[]>;
}

/** The checks of marks, as in `resultOf`. */
type Marks = ReportResult['pages'];

export interface KilledJourneys {
  readonly killed: Marks;
  /** After the re-check. */
  readonly rechecked: Marks;
  /** How often something was ordered: after the kills, and after the re-check. */
  readonly orders: readonly number[];
}

export interface KillingOptions {
  readonly pages: number;
  /** The same seed makes the same choices; what they hit depends on timing. */
  readonly seed: number;
  /** Environment of both. Default: none, so that each starts a validator of its own. */
  readonly env?: StartOptions['env'];
}

/**
 * The maximum of kills per kind and report. More would fail the report: a check is not retried forever after
 * its browser, validator or process was killed
 * (`src/checking/check-pages.ts`). If the database ends more often within a minute, `serve` gives up
 * (`src/platform/limits.ts`), exits and is restarted, which counts as another end.
 */
const KILLS_MAX: Readonly<Record<Victim, number>> = {
  serve: 1,
  worker: 2,
  postmaster: 4,
  backend: 4,
  jvm: 1,
  chromium: 1,
};
/** Between two kills. */
const PAUSE_MS = { min: 200, max: 2_500 } as const;
const LOOK_MS = 150;
/** A report that takes longer is hanging. */
const REPORT_TIMEOUT_MS = 400_000;

export async function startKilling({ pages, seed, env }: KillingOptions): Promise<Killing> {
  const random = randomFrom(seed);
  const site = await startSite(pages);
  const fleet = await startFleet(env);
  const undisturbed = await undisturbedResult(fleet, site, pages).catch(async (error: unknown) => {
    await fleet.stop();
    fleet.remove();
    await site.stop();
    throw error;
  });

  const killUntilEnd = async (reportId: string, killsMax: number, kills: Victim[]): Promise<void> => {
    while (kills.length < killsMax) {
      await delay(PAUSE_MS.min + random() * (PAUSE_MS.max - PAUSE_MS.min));
      if (await hasEnded(fleet, reportId)) return;
      const allowed = VICTIMS.filter((victim) => kills.filter((kill) => kill === victim).length < KILLS_MAX[victim]);
      const victim = allowed[Math.floor(random() * allowed.length)];
      if (victim === undefined) return;
      if (killOne(fleet, victim, random) !== null) kills.push(victim);
    }
  };
  return {
    async report(killsMax) {
      const reportId = await createReport(fleet, site, { max_pages: pages });
      const kills: Victim[] = [];
      await killUntilEnd(reportId, killsMax, kills);
      try {
        await ended(fleet, reportId);
        await compare(fleet, reportId, undisturbed);
        await fleet.ready();
        return { kills, difference: null };
      } catch (error) {
        return { kills, difference: error instanceof Error ? error.message : String(error) };
      }
    },
    journeys: () => killJourneys(fleet, site, random),
    log: fleet.log,
    async stop() {
      const left = await fleet.stop();
      fleet.remove();
      await site.stop();
      return left;
    },
  };
}

async function killJourneys(fleet: Fleet, site: KilledSite, random: () => number): Promise<KilledJourneys> {
  const marksOf = async (reportId: string): Promise<Marks> => {
    await fleet.ask((db) => assertCountsAddUp(db, reportId));
    return (await fleet.ask((db) => resultOf(db, reportId))).pages;
  };
  const orders: number[] = [];
  const arrivals = HELD.map((path) => site.hold(path));
  const reportId = await createReport(fleet, site, { only_journeys: true, journeys: JOURNEYS });
  for (const arrival of arrivals) {
    await arrival;
    for (const victim of ['serve', 'worker'] as const) killOne(fleet, victim, random);
  }
  await ended(fleet, reportId);
  const killed = await marksOf(reportId);
  orders.push(site.orders());
  await fleet.ready();
  const pages = await fleet.ask((db) =>
    db.selectFrom('web_pages').select('id').where('report_id', '=', reportId).where('url', 'like', '%Buy%').execute(),
  );
  await send(fleet, `/reports/${reportId}/rechecks`, { web_page_ids: pages.map(({ id }) => String(id)) });
  await ended(fleet, reportId);
  orders.push(site.orders());
  return { killed, rechecked: await marksOf(reportId), orders };
}

async function undisturbedResult(fleet: Fleet, site: TestSite, pages: number): Promise<ReportResult> {
  const reportId = await createReport(fleet, site, { max_pages: pages });
  await ended(fleet, reportId);
  const result = await fleet.ask((db) => resultOf(db, reportId));
  assert.equal(result.pages.length, 2 * pages);
  assert.ok(result.pages.every(({ status, errors }) => status === 'checked' && errors > 0));
  assert.equal(result.screenshots.length, pages);
  return result;
}

async function compare(fleet: Fleet, reportId: string, undisturbed: ReportResult): Promise<void> {
  await fleet.ask(async (db) => {
    const result = await resultOf(db, reportId);
    // Says why, where the difference of everything is cut off.
    const failed = result.pages.filter(({ status }) => status === 'failed');
    assert.deepEqual(
      failed.map(({ url, kind, error }) => ({ url, kind, error })),
      [],
    );
    assert.deepEqual(result, undisturbed);
    await assertCountsAddUp(db, reportId);
  });
}

function createReport(fleet: Fleet, site: TestSite, attributes: object): Promise<string> {
  return send(fleet, '/reports', {
    starting_url: `${site.origin}/`,
    rate_limit: 100,
    perform_html_checks: true,
    perform_a11y_checks: true,
    store_screenshots: true,
    ...attributes,
  });
}

/** Creates a resource. @returns its id */
async function send({ api, adminToken }: Fleet, path: string, attributes: object): Promise<string> {
  const response = await fetch(`${api}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${adminToken}`,
      'content-type': 'application/vnd.api+json',
      // A kept connection may end while the request is sent.
      connection: 'close',
    },
    body: JSON.stringify({ data: { attributes } }),
  });
  assert.equal(response.status, 201, await response.clone().text());
  const document: { data: { id: string } } = JSON.parse(await response.text());
  return document.data.id;
}

/** False while the database is unavailable. */
function hasEnded({ ask }: Fleet, reportId: string): Promise<boolean> {
  const isEnded = ask(async (db) => {
    const report = await db.selectFrom('reports').select('status').where('id', '=', reportId).executeTakeFirst();
    return report?.status === 'finished' || report?.status === 'failed';
  });
  return isEnded.catch(() => false);
}

async function ended(fleet: Fleet, reportId: string): Promise<void> {
  await until(() => hasEnded(fleet, reportId), { timeoutMs: REPORT_TIMEOUT_MS, pollMs: LOOK_MS });
}

interface KilledSite extends TestSite {
  /** Leaves the next request for a path without a response. Resolves when it arrives. */
  hold(path: string): Promise<void>;
  orders(): number;
}

async function startSite(pages: number): Promise<KilledSite> {
  const held = new Map<string, () => void>();
  let orders = 0;
  const isHeld = (path: string): boolean => {
    const arrive = held.get(path);
    arrive?.();
    return held.delete(path);
  };
  const show = (response: ServerResponse, body: string): void =>
    void response.setHeader('content-type', 'text/html; charset=utf-8').end(body);
  const site = await startTestSite({
    '/held': (_, response) => {
      if (!isHeld('/held')) show(response, linkedPage(1, pages));
    },
    '/shop': (_, response) => show(response, SHOP),
    '/order': (_, response) => {
      orders += 1;
      if (!isHeld('/order')) response.writeHead(204).end();
    },
    '*': (request, response) => show(response, linkedPage(pageNumber(request.url ?? ''), pages)),
  });
  return {
    ...site,
    hold: (path) => new Promise((resolve) => void held.set(path, resolve)),
    orders: () => orders,
  };
}

/** The paths in the middle of the journeys. */
const HELD = ['/held', '/order'] as const;
const JOURNEYS = [
  { name: 'Look', steps: [{ open: '/' }, { check: 'Start' }, { open: '/held' }, { check: 'Held' }] },
  {
    name: 'Buy',
    steps: [
      { open: '/shop' },
      { check: 'Shop' },
      { click: 'button' },
      { wait_for: { text: 'Ordered' } },
      { check: 'Ordered' },
    ],
  },
];
const SHOP = `<!DOCTYPE html><html lang=en><title>Shop</title><main><h1>Shop</h1><img src=data:,><button>Order</button></main><script>
  document.querySelector('button').onclick = async ({ target }) => {
    await fetch('/order', { method: 'POST' });
    target.outerHTML = '<p>Ordered <img src=data:,>';
  };</script></html>`;
