import { Pool } from 'undici';
import { CheckFailure, messageOf } from '../../platform/errors.ts';
import { isVnuOutput, type VnuOutput } from './vnu-output.ts';
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
   * The validator's output for the document. There is no time limit but the signal's.
   * @throws CheckFailure, not permanent, when the validator gives no proper answer
   */
  validate(document: VnuDocument, signal: AbortSignal): Promise<VnuOutput>;
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

  async function validate(document: VnuDocument, signal: AbortSignal): Promise<VnuOutput> {
    const { path, contentType } = vnuRequest(document.contentType, document.body);
    let answer: unknown;
    let status: number;
    try {
      const response = await pool.request({
        method: 'POST',
        path: `${basePath}${path}`,
        headers: { 'content-type': contentType, 'user-agent': USER_AGENT },
        body: document.body,
        signal,
      });
      status = response.statusCode;
      const text = await response.body.text();
      answer = status === 200 ? JSON.parse(text) : null;
    } catch (error) {
      const message = `The HTML validator did not answer: ${messageOf(error)}`;
      throw new CheckFailure(message, { permanent: false, cause: error });
    }
    if (!isVnuOutput(answer)) {
      throw new CheckFailure(`The HTML validator gave an unusable answer (status ${status})`, { permanent: false });
    }
    return answer;
  }

  return {
    validate,
    async probe(timeoutMs) {
      try {
        await validate({ contentType: 'text/html; charset=utf-8', body: PROBE }, AbortSignal.timeout(timeoutMs));
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
