import type { Transporter } from 'nodemailer';
import { messageOf } from '../platform/errors.ts';

/** Time limits of a mail in milliseconds: mail servers may look up the sender before they answer. */
const CONNECT_TIMEOUT_MS = 10_000;
const GREETING_TIMEOUT_MS = 15_000;
const IDLE_TIMEOUT_MS = 30_000;
/** For a whole mail. */
const SEND_TIMEOUT_MS = 60_000;

export interface Mail {
  /** Identifies the mail: the same for each attempt to send it. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Where the recipient ends such mails with one click (RFC 8058); null for none. */
  readonly unsubscribeUrl: string | null;
}

/** A mail was not sent. */
export class MailFault extends Error {
  override readonly name = 'MailFault';
  /** The answer of the server that refused it; null if it could not be reached, or did not let this service in. */
  readonly answer: string | null;
  /** Whether the server will refuse it again (RFC 5321: an answer of 500 or more). */
  readonly isFinal: boolean;

  constructor(message: string, { answer, isFinal }: { readonly answer: string | null; readonly isFinal: boolean }) {
    super(message);
    this.answer = answer;
    this.isFinal = isFinal;
  }
}

export interface Mailer {
  /** @throws MailFault; the signal's reason when it is aborted */
  send(mail: Mail, signal: AbortSignal): Promise<void>;
  /** Signs in at the server. @throws Error */
  verify(): Promise<void>;
  close(): void;
}

export interface MailSettings {
  /** `smtp://user:password@host:port` or `smtps://`. The operator has named it, so its address is not guarded. */
  readonly smtpUrl: string;
  /** An address, with or without a name: `Site checks <checks@example.com>`. */
  readonly mailFrom: string;
}

/** Creates what sends mails over SMTP, a connection each. It connects with the first mail. */
export function createMailer({ smtpUrl, mailFrom }: MailSettings): Mailer {
  let transport: Promise<Transporter> | null = null;
  const open = (): Promise<Transporter> => {
    transport ??= connect(smtpUrl);
    return transport;
  };
  const domain = /@([^@>\s]+)>?$/.exec(mailFrom)?.[1] ?? 'localhost';
  return {
    async send({ id, to, subject, text, html, unsubscribeUrl }, signal) {
      const transporter = await open();
      const sent = transporter.sendMail({
        from: mailFrom,
        to: { name: '', address: to },
        messageId: `<${id}@${domain}>`,
        ...{ subject, text, html },
        headers: {
          'Auto-Submitted': 'auto-generated',
          ...(unsubscribeUrl !== null && {
            'List-Unsubscribe': `<${unsubscribeUrl}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
        },
      });
      await inTime(sent, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        throw faultOf(error);
      });
    },
    async verify() {
      await (await open()).verify();
    },
    close() {
      void transport?.then((opened) => opened.close());
    },
  };
}

/** Imports the library when it is needed: most starts send no mail. */
async function connect(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: GREETING_TIMEOUT_MS,
    socketTimeout: IDLE_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** The library cannot be stopped: a mail that is given up may arrive nevertheless. */
async function inTime(sent: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  const timer = setTimeout(() => reject(new Error('The mail server took too long')), SEND_TIMEOUT_MS);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    await Promise.race([sent, stopped]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    // Its error, if it comes later, has been told.
    sent.catch(() => undefined);
  }
}

/** Codes of the library for answers about the mail itself. Others are about the connection and signing in. */
const ABOUT_THE_MAIL: readonly unknown[] = ['EENVELOPE', 'EMESSAGE'];

function faultOf(error: unknown): MailFault {
  const { code, responseCode: status, response } = Object(error);
  const isAboutMail = ABOUT_THE_MAIL.includes(code) && typeof response === 'string';
  return new MailFault(messageOf(error), {
    answer: isAboutMail ? response : null,
    isFinal: isAboutMail && typeof status === 'number' && status >= 500,
  });
}
