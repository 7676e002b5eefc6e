import { Pool } from 'undici';
import { CheckFailure } from '../../domain/check-failure.ts';
import { messageOf } from '../../platform/errors.ts';
import { answerMaxBytes } from './limits.ts';
import { parseVnuOutput } from './vnu-output.ts';
import { vnuRequest } from './vnu-request.ts';

/** The validator answers requests without one with 400. */
const USER_AGENT = 'sitewarden';

const PROBE = Buffer.from('<!DOCTYPE html><html lang="en"><title>Probe</title><p>Are you there?</html>');

/** What the validator needs of a document. */
export interface VnuDocument {
  /** The `Content-Type` header as the server sent it; empty when there was none. */
  readonly contentType: string;
  readonly body: Uint8Array;
}

export interface VnuClient {
  /**
   * The validator's answer for the document, for `parseVnuOutput`. There is no time limit but the signal's.
   * @throws CheckFailure, not permanent, when the validator gives no proper answer; permanent when the answer is larger
   *   than `answerMaxBytes`
   */
  validate(document: VnuDocument, signal: AbortSignal): Promise<Buffer>;
  /** Whether the validator can do a small validation within the time. */
  probe(timeoutMs: number): Promise<boolean>;
  /** Ends the connections; requests under way fail. */
  close(): Promise<void>;
}

/** A client of a validator (vnu in server mode) at a base URL, with connections that stay open between checks. */
export function createVnuClient(baseUrl: string): VnuClient {
  const base = new URL(baseUrl);
  const basePath = base.pathname.replace(/\/+$/, '');
  // The signals of the callers limit the time. Big documents keep the validator busy for a while before it answers.
  const pool = new Pool(base.origin, { headersTimeout: 0, bodyTimeout: 0 });

  async function validate(document: VnuDocument, signal: AbortSignal): Promise<Buffer> {
    const { path, contentType } = vnuRequest(document.contentType, document.body);
    try {
      const response = await pool.request({
        method: 'POST',
        path: `${basePath}${path}`,
        headers: { 'content-type': contentType, 'user-agent': USER_AGENT },
        body: document.body,
        signal,
      });
      const answer = await readAnswer(response.body);
      if (response.statusCode === 200) return answer;
      const failure = { code: 'validator_error_status', params: { status: response.statusCode } } as const;
      throw new CheckFailure(failure, { permanent: false, blame: 'anybody' });
    } catch (error) {
      if (error instanceof CheckFailure) throw error;
      const failure = { code: 'validator_silent', params: { text: messageOf(error) } } as const;
      const blame = neverArrived(error) ? 'checker' : 'anybody';
      throw new CheckFailure(failure, { permanent: false, blame, cause: error });
    }
  }

  return {
    validate,
    async probe(timeoutMs) {
      try {
        const document = { contentType: 'text/html; charset=utf-8', body: PROBE };
        parseVnuOutput(await validate(document, AbortSignal.timeout(timeoutMs)));
        return true;
      } catch {
        return false;
      }
    },
    async close() {
      await pool.destroy();
    },
  };
}

/** Whether the connection was not even made: the process had just ended, or its connections were closed after it. */
function neverArrived(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'ECONNREFUSED' || code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED';
}

/** Reads an answer. When it is too large the connection ends with it, at which the validator stops working on it. */
async function readAnswer(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > answerMaxBytes) throw tooMuchFound(Buffer.concat(chunks.slice(-lastChunks)).toString('utf8'));
  }
  return Buffer.concat(chunks);
}

/** Chunks at the end of an answer in which its last whole message is looked for. */
const lastChunks = 4;

/** What floods an answer is what it ends with. */
function tooMuchFound(end: string): CheckFailure {
  const last = [...end.matchAll(/"message":("(?:[^"\\]|\\.)*")/g)].at(-1)?.[1];
  const params = { mebibytes: answerMaxBytes / 1_048_576, text: last === undefined ? null : String(JSON.parse(last)) };
  return new CheckFailure({ code: 'html_answer_too_large', params }, { permanent: true });
}
