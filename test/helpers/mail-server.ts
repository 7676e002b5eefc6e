import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** An email as a server received it. */
export interface ReceivedEmail {
  /** Where the server was asked to deliver it. */
  readonly recipients: readonly string[];
  readonly mail: Email;
  /** As sent. */
  readonly source: string;
}

export interface MailServer {
  /** With a username and a password. */
  readonly url: string;
  readonly emails: ReceivedEmail[];
  /** Refuses the next recipients with this status. */
  refuseWith: number | null;
  /** Whether it accepts emails without confirming that, until the sender gives up. */
  isSilent: boolean;
  stop(): Promise<void>;
  /** Listens again after `stop`, on the same port. */
  start(): Promise<void>;
}

/** An SMTP server on a free port of 127.0.0.1 that requires a password. */
export async function startMailServer(): Promise<MailServer> {
  const emails: ReceivedEmail[] = [];
  let port = 0;
  let smtp: SMTPServer;
  const server: MailServer = {
    get url() {
      return `smtp://checks:sesame@127.0.0.1:${port}`;
    },
    emails,
    refuseWith: null,
    isSilent: false,
    stop: () => new Promise((resolve) => smtp.close(() => resolve())),
    async start() {
      smtp = new SMTPServer({
        disabledCommands: ['STARTTLS'],
        authOptional: false,
        onAuth: ({ username, password }, _session, done) => {
          const isKnown = username === 'checks' && password === 'sesame';
          done(isKnown ? null : new Error('Wrong password'), { user: username });
        },
        onRcptTo: (_address, _session, done) => {
          const status = server.refuseWith;
          done(status === null ? null : Object.assign(new Error('No such mailbox'), { responseCode: status }));
        },
        onData: (stream, { envelope }, done) => {
          const receive = async (bytes: Buffer): Promise<void> => {
            const recipients = envelope.rcptTo.map(({ address }) => address);
            emails.push({ recipients, mail: await PostalMime.parse(bytes), source: bytes.toString('utf8') });
            if (!server.isSilent) done(null);
          };
          // A sender that is killed in the middle of a message has sent none.
          void buffer(stream).then(receive, done);
        },
      });
      await new Promise<void>((resolve) => smtp.listen(port, '127.0.0.1', () => resolve()));
      ({ port } = smtp.server.address() as AddressInfo);
    },
  };
  await server.start();
  return server;
}
