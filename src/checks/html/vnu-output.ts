import { CheckFault } from '../../domain/check-fault.ts';

/** The validator's JSON output: https://github.com/validator/validator/wiki/Output-»-JSON. */

export interface VnuMessage {
  /** `error`, `info`, or `non-document-error` when the validator could not check the document. */
  readonly type: string;
  /** Of an info: `warning`. Of an error: `fatal` if parsing stopped. Of a non-document error: `io`, `schema`, `internal`. */
  readonly subType?: string;
  readonly message: string;
  /** The source code around the occurrence. */
  readonly extract?: string;
  /** Lines and columns start at 1. Columns are in UTF-16 code units. Without lines, the message is about the whole document. */
  readonly firstLine?: number;
  readonly lastLine?: number;
  readonly firstColumn?: number;
  readonly lastColumn?: number;
  /** The position in `extract`, from 0. */
  readonly hiliteStart?: number;
  readonly hiliteLength?: number;
}

export interface VnuOutput {
  /** Not set here, because the validator does not know the page's URL. */
  readonly url?: string;
  readonly messages: readonly VnuMessage[];
  /** The language of the text, if the validator has detected it. */
  readonly language?: string;
  readonly version?: string;
}

/** Returns the version as checks store it; null if it is not known. */
export function engineVersionOf({ version }: VnuOutput): string | null {
  return version === undefined ? null : `vnu ${version}`;
}

/** @throws CheckFault, not permanent, for anything else: another server may listen at the configured URL */
export function parseVnuOutput(answer: Uint8Array): VnuOutput {
  const output = parsed(answer);
  if (isVnuOutput(output)) return output;
  throw new CheckFault({ code: 'validator_unusable_answer', params: {} }, { permanent: false, blame: 'anybody' });
}

/** @returns null when the response is not JSON */
function parsed(answer: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength).toString('utf8'));
  } catch {
    return null;
  }
}

/** Returns whether parsed JSON is the output of a validator. */
export function isVnuOutput(value: unknown): value is VnuOutput {
  if (typeof value !== 'object' || value === null || !('messages' in value)) return false;
  return Array.isArray(value.messages) && value.messages.every(isVnuMessage);
}

function isVnuMessage(value: unknown): value is VnuMessage {
  if (typeof value !== 'object' || value === null || !('type' in value) || !('message' in value)) return false;
  return typeof value.type === 'string' && typeof value.message === 'string';
}
