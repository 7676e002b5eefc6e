import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { createMailer, EmailFault } from '../../src/egress/mailer.ts';
import { closedOrigin } from '../helpers/fetching.ts';
import { until } from '../helpers/until.ts';

/** Mail servers that do not accept an email: what the fault says about another attempt, and that the connection ends. */

/** Short enough for a test. */
const limits = { connectMs: 1_000, greetingMs: 300, idleMs: 300, sendMs: 1_500, closeMs: 100 };
/** For servers that respond, even on a busy machine. */
const patient = { connectMs: 60_000, greetingMs: 60_000, idleMs: 60_000, sendMs: 60_000, closeMs: 100 };
const MAIL = { id: '7', to: 'ana@example.com', subject: 'Test', text: 'Text', html: '<p>Text', unsubscribeUrl: null };

/** The replies of a server to the beginning of a dialogue (`''`), to commands and to the end of an email (`.`). Null: none. */
type Answers = Readonly<Record<string, string | null>>;
const WILLING: Answers = {
  ...{ '': '220 mail.example.com ESMTP', EHLO: '250-mail.example.com\r\n250 AUTH PLAIN', AUTH: '235 Welcome' },
  ...{ MAIL: '250 OK', RCPT: '250 OK', DATA: '354 Go on', '.': '250 Taken', QUIT: '221 Bye' },
};

/** @param use gets the connections that are open */
async function withServer(
  serve: (socket: Socket) => void,
  use: (authority: string, open: ReadonlySet<Socket>) => Promise<void>,
  create: (listener: (socket: Socket) => void) => Server = createServer,
): Promise<void> {
  const open = new Set<Socket>();
  const server = create((socket) => {
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  try {
    await use(`checks:sesame@127.0.0.1:${port}`, open);
  } finally {
    for (const socket of open) socket.destroy();
    server.close();
  }
}

/** Sends the given replies to any email. */
function talk(socket: Socket, changes: Answers = {}): void {
  const answers = { ...WILLING, ...changes };
  const say = (to: string): void => {
    const answer = answers[to];
    if (typeof answer === 'string') socket.write(`${answer}\r\n`);
  };
  let isMail = false;
  say('');
  createInterface(socket).on('line', (line) => {
    if (isMail && line !== '.') return;
    isMail = line === 'DATA';
    say(line.split(' ')[0] ?? '');
  });
}

const send = (url: string, within = limits, signal = new AbortController().signal): Promise<void> =>
  createMailer({ smtpUrl: url, mailFrom: 'checks@example.com' }, within).send(MAIL, signal);

async function faultOf(sent: Promise<void>): Promise<string> {
  const fault = await sent.then(
    () => null,
    (error: unknown) => error,
  );
  assert.ok(fault instanceof EmailFault, String(fault));
  return `${fault.isFinal ? 'final' : 'again'}, ${fault.answer ?? 'of the server'}`;
}

function repeat(socket: Socket, text: string, first = ''): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(text), 50);
  socket.on('close', () => clearInterval(timer));
}

describe('mail servers', () => {
  const dialogues: readonly [name: string, changes: Answers, expected: string][] = [
    ['without a greeting', { '': null }, 'again, of the server'],
    ['that want no visitors', { '': '554 No service' }, 'again, of the server'],
    ['that speak another protocol', { '': 'HTTP/1.1 400 Bad Request' }, 'again, of the server'],
    ['that know another password', { AUTH: '535 Wrong password' }, 'again, of the server'],
    ...['EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA', '.'].map(
      (command) =>
        [`that stop at ${command}`, { [command]: null }, 'again, of the server'] as [string, Answers, string],
    ),
    ['that do not like the sender', { MAIL: '553 Not yours' }, 'final, 553 Not yours'],
    ['that are busy', { MAIL: '421 Too many connections' }, 'again, 421 Too many connections'],
    ['that greylist', { RCPT: '451 4.7.1 Try again' }, 'again, 451 4.7.1 Try again'],
    ['that do not know the recipient', { RCPT: '550 5.1.1 No such mailbox' }, 'final, 550 5.1.1 No such mailbox'],
    ['that are full', { '.': '452 4.2.2 Mailbox full' }, 'again, 452 4.2.2 Mailbox full'],
    ['that take it for spam', { '.': '554 5.7.1 Spam' }, 'final, 554 5.7.1 Spam'],
  ];
  for (const [name, changes, expected] of dialogues) {
    it(`${name}: ${expected}`, () =>
      withServer(
        (socket) => talk(socket, changes),
        async (authority, open) => {
          const isSilent = Object.values(changes).includes(null);
          assert.equal(await faultOf(send(`smtp://${authority}`, isSilent ? limits : patient)), expected);
          await until(() => open.size === 0);
        },
      ));
  }

  const floods: readonly [name: string, serve: (socket: Socket) => void][] = [
    ['that drip a greeting', (socket) => repeat(socket, '220-mail\r\n')],
    // Never idle, so that only the time for the whole email ends it.
    ['that drip an answer', (socket) => repeat(socket, '250-mail\r\n', '220 mail\r\n')],
    ['that never end an answer', (socket) => repeat(socket, '220-'.padEnd(1_048_576, 'x'))],
    ['that hang up', (socket) => void socket.destroy()],
  ];
  for (const [name, serve] of floods) {
    it(`${name}: again`, () =>
      withServer(serve, async (authority, open) => {
        assert.equal(await faultOf(send(`smtp://${authority}`)), 'again, of the server');
        await until(() => open.size === 0);
      }));
  }

  it('that do not exist, or are not trusted', async () => {
    const closed = (await closedOrigin()).replace('http:', 'smtp:');
    assert.equal(await faultOf(send(closed)), 'again, of the server');
    assert.equal(await faultOf(send('smtp://no-such-host.invalid')), 'again, of the server');
    const fixture = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url), 'utf8');
    const tls = { key: fixture('key'), cert: fixture('cert') };
    const untrusted = async (authority: string) =>
      assert.equal(await faultOf(send(`smtps://${authority}`)), 'again, of the server');
    await withServer(talk, untrusted);
    await withServer(talk, untrusted, (listener) => createTlsServer(tls, listener));
  });

  it('are left at once when the service stops', () =>
    withServer(
      (socket) => talk(socket, { DATA: null }),
      async (authority, open) => {
        const stopping = new AbortController();
        const sent = send(`smtp://${authority}`, patient, stopping.signal);
        await until(() => open.size === 1);
        const reason = new Error('The service stops');
        stopping.abort(reason);
        await assert.rejects(sent, (error) => error === reason);
        await until(() => open.size === 0);
      },
    ));

  it('get one email, with the same id each time', () => {
    const lines: string[] = [];
    return withServer(
      (socket) => {
        talk(socket);
        createInterface(socket).on('line', (line) => lines.push(line));
      },
      async (authority) => {
        for (const _ of [1, 2]) await send(`smtp://${authority}`, patient);
        const ids = lines.filter((line) => line.startsWith('Message-ID:'));
        assert.deepEqual(ids, ['Message-ID: <7@example.com>', 'Message-ID: <7@example.com>']);
      },
    );
  });
});
