import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { joinWorkers } from '../../src/queue/worker.ts';
import { openDatabase } from '../../src/store/database.ts';
import { livingWorkers } from '../../src/store/living-workers.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { openTestStore } from '../helpers/crawler.ts';
import { a11yErrorsOf, startPlayedChecking } from '../helpers/played-checking.ts';
import { reportWithPages } from '../helpers/played-report.ts';
import { until } from '../helpers/until.ts';

const store = await openTestStore();
after(() => store.close());

/** Forwards connections to the database, and cuts one before the response to the first statement that contains a text. */
async function startCutter(text: string) {
  const { hostname, port } = new URL(store.connectionString);
  const sockets = new Set<Socket>();
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let isToBeCut = false;
    client.on('data', (data) => {
      if (cuts === 0 && data.includes(text)) {
        isToBeCut = true;
        cuts += 1;
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (isToBeCut) client.destroy();
      else client.write(data);
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(store.connectionString);
  url.port = String((server.address() as AddressInfo).port);
  return {
    connectionString: url.href,
    cuts: () => cuts,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

for (const [what, text] of [
  ['a claim', 'attempts = c.attempts + 1'],
  ['the end of a transaction that saves results', 'commit'],
] as const) {
  test(`the connection breaks before the response to ${what}: every check ends, and counts once`, async (t) => {
    const { reportId } = await reportWithPages(store);
    const cutter = await startCutter(text);
    const { db, close } = openDatabase(cutter.connectionString, () => undefined, { use: 'work' });
    await startPlayedChecking(t, { db, connectionString: store.connectionString }, async () => undefined);
    t.after(async () => {
      await close();
      cutter.stop();
    });
    assert.deepEqual(await a11yErrorsOf(store, reportId), [null]);
    assert.equal(cutter.cuts(), 1);
    await assertCountsAddUp(store.db, reportId);
  });
}

test('a worker whose database goes away while it joins can still be closed', async () => {
  const away = openDatabase('postgres://127.0.0.1:1/nothing', () => undefined);
  const worker = await joinWorkers(store.connectionString, away.db, pino({ level: 'silent' }));
  assert.ok(worker.isConnected());
  assert.ok((await livingWorkers(store.db)).includes(worker.id()));
  await worker.close();
  await away.close();
  await until(async () => (await livingWorkers(store.db)).length === 0);
});
