import { CheckFailure } from '../../domain/check-failure.ts';

/** The validator's JSON output, https://github.com/validator/validator/wiki/Output-»-JSON, as it is. */

export interface VnuMessage {
  /** `error`, `info`, or `non-document-error` when the validator could not do its work. */
  readonly type: string;
  /** `warning` on an info; `fatal` on an error after which the parser gave up; `io`, `schema`, `internal` on the rest. */
  readonly subType?: string;
  readonly message: string;
  /** The source around the place. */
  readonly extract?: string;
  /** Lines and columns count from 1, columns in UTF-16 code units. Absent lines mean the document as a whole. */
  readonly firstLine?: number;
  readonly lastLine?: number;
  readonly firstColumn?: number;
  readonly lastColumn?: number;
  /** The place inside the extract, from 0. */
  readonly hiliteStart?: number;
  readonly hiliteLength?: number;
}

export interface VnuOutput {
  /** The page's URL. The validator, which is not told it, gives none. */
  readonly url?: string;
  readonly messages: readonly VnuMessage[];
  /** The language of the text, where the validator could tell. */
  readonly language?: string;
  readonly version?: string;
}

/** @throws CheckFailure, not permanent, when it is none: other servers may be listening where one was configured */
export function parseVnuOutput(answer: Uint8Array): VnuOutput {
  const output = parsed(answer);
  if (isVnuOutput(output)) return output;
  throw new CheckFailure({ code: 'validator_unusable_answer', params: {} }, { permanent: false, blame: 'anybody' });
}

/** @returns null for what is no JSON */
function parsed(answer: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength).toString('utf8'));
  } catch {
    return null;
  }
}

/** Whether parsed JSON is the validator's. */
export function isVnuOutput(value: unknown): value is VnuOutput {
  if (typeof value !== 'object' || value === null || !('messages' in value)) return false;
  return Array.isArray(value.messages) && value.messages.every(isVnuMessage);
}

function isVnuMessage(value: unknown): value is VnuMessage {
  if (typeof value !== 'object' || value === null || !('type' in value) || !('message' in value)) return false;
  return typeof value.type === 'string' && typeof value.message === 'string';
}
