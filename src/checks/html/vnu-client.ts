import { Pool } from 'undici';
import { CheckFault } from '../../domain/check-fault.ts';
import { messageOf } from '../../platform/errors.ts';
import type { EngineRuntime } from '../check-engine.ts';
import { answerMaxBytes } from './limits.ts';
import { engineVersionOf, parseVnuOutput, type VnuOutput } from './vnu-output.ts';

/** Required: the validator returns 400 to requests without a user agent. */
const USER_AGENT = 'sitewarden';

const PROBE = Buffer.from('<!DOCTYPE html><html lang="en"><title>Probe</title><p>Are you there?</html>');

/** A document to validate. */
export interface VnuDocument {
  /** The `Content-Type` header that the site's server sent; empty for none. */
  readonly contentType: string;
  readonly body: Uint8Array;
}

export interface VnuClient {
  /**
   * Returns the validator's response, for `parseVnuOutput`. Only the signal limits the time.
   * @throws CheckFault: permanent when the response is larger than `answerMaxBytes`; not permanent when there is no valid
   *   response
   */
  validate(document: VnuDocument, signal: AbortSignal): Promise<Buffer>;
  /** Returns whether the validator validates a small document within the time. */
  probe(timeoutMs: number): Promise<boolean>;
  /** Returns the version of the validator, as checks store it; null if it does not respond within the time, or has none. */
  version(timeoutMs: number): Promise<string | null>;
  /** Closes the connections. Pending requests fail. */
  close(): Promise<void>;
}

/** Creates a client, with persistent connections, for a validator (vnu in server mode) at a base URL. */
export function createVnuClient(baseUrl: string): VnuClient {
  const base = new URL(baseUrl);
  const basePath = base.pathname.replace(/\/+$/, '');
  // Large documents take a while before the response starts. The callers' signals limit the time.
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
      throw new CheckFault(failure, { permanent: false, blame: 'anybody' });
    } catch (error) {
      if (error instanceof CheckFault) throw error;
      const failure = { code: 'validator_silent', params: { text: messageOf(error) } } as const;
      const blame = neverArrived(error) ? 'engine' : 'anybody';
      throw new CheckFault(failure, { permanent: false, blame, cause: error });
    }
  }

  async function answerToProbe(timeoutMs: number): Promise<VnuOutput | null> {
    try {
      const document = { contentType: 'text/html; charset=utf-8', body: PROBE };
      return parseVnuOutput(await validate(document, AbortSignal.timeout(timeoutMs)));
    } catch {
      return null;
    }
  }

  return {
    validate,
    probe: async (timeoutMs) => (await answerToProbe(timeoutMs)) !== null,
    async version(timeoutMs) {
      const output = await answerToProbe(timeoutMs);
      return output && engineVersionOf(output);
    },
    async close() {
      await pool.destroy();
    },
  };
}

/** Returns whether no connection was made, because the process has just ended. */
function neverArrived(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'ECONNREFUSED' || code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED';
}

/** Reads a response. If it is too large, throws, which closes the connection and so stops the validation. */
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

/** Number of chunks at the end of a response that are searched for its last complete message. */
const lastChunks = 4;

/** The failure includes the last message, which is most likely the repeated one. */
function tooMuchFound(end: string): CheckFault {
  const last = [...end.matchAll(/"message":("(?:[^"\\]|\\.)*")/g)].at(-1)?.[1];
  const params = { mebibytes: answerMaxBytes / 1_048_576, text: last === undefined ? null : String(JSON.parse(last)) };
  return new CheckFault({ code: 'html_answer_too_large', params }, { permanent: true });
}

/** A validator: a process that this one has started, or an external server. */
export interface HtmlValidator
  extends Pick<EngineRuntime, 'start' | 'isReady' | 'isResting' | 'isBroken' | 'wake' | 'stop'> {
  /** Returns the version of the validator that is running right now, as checks store it; null if it is not known. */
  version(): Promise<string | null>;
  /**
   * Returns the validator's response, for `parseVnuOutput`.
   * @throws CheckFault when the document cannot be checked; says whether a retry may help
   */
  validate(document: VnuDocument, signal: AbortSignal): Promise<Buffer>;
}

const XML_TYPES = new Set(['application/xhtml+xml', 'application/xml', 'text/xml']);

/**
 * The schemas of the validator's preset for XHTML. Without them, it selects schemas by the root element, adds a message about
 * that, and fails for a root without a namespace. All three are built in, so nothing is fetched.
 */
const XHTML_SCHEMAS = [
  'http://s.validator.nu/xhtml5-all.rnc',
  'http://s.validator.nu/html5/assertions.sch',
  'http://c.validator.nu/all/',
].join(' ');

const HTML_PATH = '/?out=json';
const XHTML_PATH = `/?${new URLSearchParams({ out: 'json', parser: 'xml', schema: XHTML_SCHEMAS })}`;

/**
 * Returns how to post a document (path and query, relative to the validator's base URL, and `Content-Type`) so that the result is
 * the same as from the validator's command line for a `.html` file (or `.xhtml` for XML types):
 * - HTML documents without a charset in the header are UTF-8, like files on the command line.
 * - As in browsers, a known charset in the header applies, unless there is a byte order mark
 *   (https://encoding.spec.whatwg.org/#decode).
 * - The XML parser parses the three XML types, and the HTML parser everything else: the document is known to be a page.
 */
export function vnuRequest(
  contentType: string,
  body: Uint8Array,
): { readonly path: string; readonly contentType: string } {
  const charset = charsetOf(contentType);
  if (isXml(contentType)) {
    const parameter = charset === null ? '' : `; charset=${charset}`;
    return { path: XHTML_PATH, contentType: `application/xhtml+xml${parameter}` };
  }
  const mark = charset === null ? null : encodingOfByteOrderMark(body);
  return { path: HTML_PATH, contentType: `text/html; charset=${mark ?? charset ?? 'utf-8'}` };
}

/** Returns whether the validator uses its XML parser. */
export function isXml(contentType: string): boolean {
  return XML_TYPES.has(essenceOf(contentType));
}

function essenceOf(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** Returns the first charset parameter in lower case if browsers support that encoding; otherwise null. */
function charsetOf(contentType: string): string | null {
  const match = /;\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;,"']+))/i.exec(contentType);
  const label = (match?.[1] ?? match?.[2] ?? match?.[3] ?? '').trim().toLowerCase();
  // The label becomes part of a header again.
  if (!/^[a-z0-9._:()+-]+$/.test(label)) return null;
  try {
    new TextDecoder(label);
    return label;
  } catch {
    return null;
  }
}

/** Returns the encoding of the byte order mark, which the validator ignores when the header has a charset. */
function encodingOfByteOrderMark(body: Uint8Array): string | null {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  return null;
}
