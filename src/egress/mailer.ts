import type { Transporter } from 'nodemailer';
import { messageOf } from '../platform/errors.ts';

/**
 * Time limits for an email in milliseconds: mail servers may look up the sender before they respond. `sendMs` is for a whole
 * email.
 */
const LIMITS = { connectMs: 10_000, greetingMs: 15_000, idleMs: 30_000, sendMs: 60_000, closeMs: 1_000 } as const;
export type MailerLimits = { readonly [Limit in keyof typeof LIMITS]: number };

export interface Email {
  /** Identifies the email: the same for each attempt to send it. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Where the recipient unsubscribes with one click (RFC 8058); null for none. */
  readonly unsubscribeUrl: string | null;
}

/** An email was not sent. */
export class EmailFault extends Error {
  override readonly name = 'EmailFault';
  /**
   * The reply of the server that rejected the email; null if the server could not be reached, or did not accept the credentials.
   */
  readonly answer: string | null;
  /** Whether the server will refuse the email again (RFC 5321: a reply of 500 or more). */
  readonly isFinal: boolean;

  constructor(message: string, { answer, isFinal }: { readonly answer: string | null; readonly isFinal: boolean }) {
    super(message);
    this.answer = answer;
    this.isFinal = isFinal;
  }
}

/** A server that replies slowly is not idle, and may still accept the email. */
const TOO_LATE = { answer: null, isFinal: false } as const;

export interface Mailer {
  /** @throws EmailFault; the signal's reason when it is aborted */
  send(email: Email, signal: AbortSignal): Promise<void>;
  /** Signs in to the server. @throws Error */
  verify(): Promise<void>;
  close(): void;
}

export interface MailerSettings {
  /** `smtp://user:password@host:port` or `smtps://`. The operator has named it, so its address is not guarded. */
  readonly smtpUrl: string;
  /** An address, with or without a name: `Site checks <checks@example.com>`. */
  readonly mailFrom: string;
}

/** Creates the sender of emails over SMTP, one connection each. It connects with the first email. */
export function createMailer({ smtpUrl, mailFrom }: MailerSettings, limits: MailerLimits = LIMITS): Mailer {
  let transport: Promise<Transporter> | null = null;
  const open = (): Promise<Transporter> => {
    transport ??= connect(smtpUrl, limits);
    return transport;
  };
  const domain = /@([^@>\s]+)>?$/.exec(mailFrom)?.[1] ?? 'localhost';
  return {
    async send({ id, to, subject, text, html, unsubscribeUrl }, signal) {
      const transporter = await open();
      const late = AbortSignal.timeout(limits.sendMs);
      const sent = transporter.sendMail({
        signal: AbortSignal.any([signal, late]),
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
      await sent.catch((error: unknown) => {
        signal.throwIfAborted();
        throw late.aborted ? new EmailFault('The mail server took too long', TOO_LATE) : faultOf(error);
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

/** Imports the library when it is needed: most starts send no email. */
async function connect(url: string, { connectMs, greetingMs, idleMs, closeMs }: MailerLimits): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url,
    connectionTimeout: connectMs,
    greetingTimeout: greetingMs,
    socketTimeout: idleMs,
    socketCloseTimeout: closeMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Codes of the library for replies about the email itself. Others are about the connection and signing in. */
const ABOUT_THE_EMAIL: readonly unknown[] = ['EENVELOPE', 'EMESSAGE'];

function faultOf(error: unknown): EmailFault {
  const { code, responseCode: status, response } = Object(error);
  const isAboutEmail = ABOUT_THE_EMAIL.includes(code) && typeof response === 'string';
  return new EmailFault(messageOf(error), {
    answer: isAboutEmail ? response : null,
    isFinal: isAboutEmail && typeof status === 'number' && status >= 500,
  });
}
