import { sql } from 'kysely';
import { type Receiver, startReceiver } from './receiver.ts';
import { type Item, startTestApp, type TestApp, WITHOUT_BROWSER } from './start-app.ts';
import { startTestSite, type TestSite } from './test-site.ts';
import { until } from './until.ts';

/** A service that notifies, a site whose only page changes, a schedule for it, and a receiver of webhooks. */
export interface Notified {
  readonly service: TestApp;
  readonly site: TestSite;
  readonly receiver: Receiver;
  readonly scheduleId: string;
  /** Deletes all channels, and lets the receiver accept everything. */
  reset(): Promise<void>;
  /** Changes the page of the site; nothing makes it fail. */
  show(html: string): void;
  createChannel(attributes?: object): Promise<Item>;
  /** Runs the schedule while the site has a page. Returns the id of the report once it has been compared. */
  run(html: string): Promise<string>;
  /** Waits until the receiver has this many messages. */
  told(count: number): Promise<void>;
  deliveriesOf(channel: Item): Promise<Item[]>;
  stateOf(channel: Item): Promise<Item['attributes']>;
  /** Ends the pauses between attempts. */
  hurry(): Promise<unknown>;
  stop(): Promise<void>;
}

export const pageWith = (body: string): string =>
  `<!doctype html><html lang="en"><head><title>Page</title></head><body><h1>Page</h1>${body}</body></html>`;
export const GOOD = pageWith('<p>Fine</p>');
export const BAD = pageWith('<p><font color="red">Red & <b>loud</b></font></p>');

const EVERYTHING = [
  ...['report.finished', 'report.failed', 'schedule.got_worse', 'schedule.out_of_credits', 'guest.near_limit'],
  'channel.paused',
];

export async function startNotified(): Promise<Notified> {
  let content = GOOD;
  const site = await startTestSite({
    '/': (_, response) => {
      response.writeHead(content === '' ? 500 : 200, { 'content-type': 'text/html' }).end(content);
    },
  });
  const receiver = await startReceiver();
  const service = await startTestApp({}, {}, WITHOUT_BROWSER);
  service.app.startNotifying({ takesEmails: true });
  const schedule = { starting_url: `${site.origin}/`, periodicity: { every: 'deploy' }, fail_on: 'error' };
  const scheduleId: string = (await service.ask('/schedules', 'POST', schedule)).data.id;
  return {
    service,
    site,
    receiver,
    scheduleId,
    async reset() {
      await service.app.db.deleteFrom('notification_channels').execute();
      receiver.received.length = 0;
      Object.assign(receiver.behaviour, { status: 204, headers: {}, isSilent: false });
      content = GOOD;
    },
    show(html) {
      content = html;
    },
    async createChannel(attributes = {}) {
      const url = `${receiver.origin}/in`;
      const all = { kind: 'webhook', name: 'Team', webhook_url: url, events: EVERYTHING, ...attributes };
      return (await service.ask('/notification_channels', 'POST', all)).data;
    },
    run(html) {
      content = html;
      return runSchedule(service, scheduleId);
    },
    told: (count) => until(() => receiver.received.length >= count),
    deliveriesOf: (channel) => service.all(`/notification_channels/${channel.id}/deliveries`),
    stateOf: async ({ id }) => (await service.ask(`/notification_channels/${id}`)).data.attributes,
    hurry: () =>
      sql`UPDATE notification_deliveries SET next_attempt_at = now() WHERE status = 'pending'`.execute(service.app.db),
    async stop() {
      await service.close();
      await receiver.stop();
      await site.stop();
    },
  };
}

/** Runs a schedule. Returns the id of the report once it has ended and been compared. */
export async function runSchedule(service: TestApp, scheduleId: string): Promise<string> {
  const { id } = (await service.ask(`/schedules/${scheduleId}/runs`, 'POST')).data;
  await service.finished(id);
  await service.compared(id);
  return id;
}
