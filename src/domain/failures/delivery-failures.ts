import { inSeconds } from './wording.ts';

interface Answer {
  readonly status: number;
}

/** Failures of notifications: of one delivery, or of a channel. Without a full stop. */
export const DELIVERY_FAILURES = {
  receiver_answered: ({ status }: Answer) => `The receiver answered ${status}: only 200 to 299 count as delivered`,
  receiver_redirects: ({ status }: Answer) =>
    `The receiver answered ${status}, a redirect, which is not followed: enter the URL that it leads to`,
  receiver_gone: ({ status }: Answer) => `The receiver answered ${status}: it wants no more messages`,
  receiver_silent: ({ seconds }: { readonly seconds: number }) =>
    `The receiver did not answer within ${inSeconds(seconds)}: it should answer first and work afterwards`,
  receiver_unreadable: () =>
    'The stored URL or secret cannot be decrypted: it is damaged, or its key has been replaced. Enter the URL again, and ask for a new secret',
  recipient_stopped: () => 'The recipient has ended these mails: only the recipient can confirm the address again',
  mail_not_set_up: () =>
    'This installation sends no mail: its operator can set SITEWARDEN_SMTP_URL and SITEWARDEN_MAIL_FROM',
  mail_server_unreachable: () =>
    'The mail server of this installation could not be used: the log of the service says why',
  mail_refused: ({ text }: { readonly text: string }) => `The mail server refused the mail: ${text}`,
  delivery_broke_off: () => 'The delivery was interrupted by an error of this service; see its log',
};
