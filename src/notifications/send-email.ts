import { type Email, EmailFault, type Mailer } from '../egress/mailer.ts';
import type { Logger } from '../platform/logger.ts';
import { shortened } from '../platform/shorten.ts';
import { type Attempt, failedAttempt } from './send-webhook.ts';

/** Limits the reply of a mail server, which an error quotes. */
const ANSWER_MAX_CHARACTERS = 300;

/**
 * Sends an email. Problems of the mail server itself are logged for the operator; accounts see only that there is a problem.
 * @param mailer null if this installation sends no email
 * @throws the signal's reason when it is aborted
 */
export async function sendEmail(
  { mailer, log }: { readonly mailer: Mailer | null; readonly log: Logger },
  email: Email,
  signal: AbortSignal,
): Promise<Attempt> {
  if (mailer === null) return failedAttempt({ code: 'mail_not_set_up', params: {} });
  try {
    await mailer.send(email, signal);
    return { error: null, httpStatus: null, waitMs: null, isFinal: false };
  } catch (error) {
    if (!(error instanceof EmailFault)) throw error;
    const { answer, isFinal } = error;
    if (answer === null) {
      log.warn({ reason: error.message }, 'Could not reach the mail server; will retry');
      return failedAttempt({ code: 'mail_server_unreachable', params: {} });
    }
    const text = shortened(answer, ANSWER_MAX_CHARACTERS);
    return { ...failedAttempt({ code: 'mail_refused', params: { text } }), isFinal };
  }
}
