import { inSeconds } from './wording.ts';

interface Answer {
  readonly status: number;
}

/** Failures of notifications: of one delivery, or of a channel. Without a full stop. */
export const DELIVERY_FAILURES = {
  receiver_answered: ({ status }: Answer) => `The receiver returned ${status}: only 200 to 299 count as delivered`,
  receiver_redirects: ({ status }: Answer) =>
    `The receiver returned ${status}, a redirect, which is not followed: enter the URL that it redirects to`,
  receiver_gone: ({ status }: Answer) => `The receiver returned ${status}: it has unsubscribed`,
  receiver_silent: ({ seconds }: { readonly seconds: number }) =>
    `The receiver did not respond within ${inSeconds(seconds)}: it should respond first and do its work afterwards`,
  receiver_unreadable: () =>
    'The stored URL or secret cannot be decrypted: it is damaged, or its key was replaced. Enter the URL again and create a new secret',
  recipient_stopped: () => 'The recipient has unsubscribed: only the recipient can confirm the address again',
  mail_not_set_up: () =>
    'This installation does not send email: its operator can set SITEWARDEN_SMTP_URL and SITEWARDEN_MAIL_FROM',
  mail_server_unreachable: () => 'The mail server of this installation is not available: see the log of the service',
  mail_refused: ({ text }: { readonly text: string }) => `The mail server rejected the email: ${text}`,
  delivery_broke_off: () => 'The delivery was interrupted by an error in this service; see its log',
};
