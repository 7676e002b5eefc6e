import type { IncomingMessage } from 'node:http';
import { type ErrorSource, RequestError } from './jsonapi/errors.ts';
import { bodyMaxBytes } from './limits.ts';

const MEDIA_TYPES = ['application/json', 'application/vnd.api+json'];

/**
 * What a request's body says as JSON.
 * @throws RequestError unsupported_media_type, invalid_json
 */
export function parseJson(request: IncomingMessage, bytes: Buffer): unknown {
  refuseMediaType(request, bytes.length === 0);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw fault('invalid_json', 'is not UTF-8', 'The body is not valid UTF-8.');
  }
  try {
    return JSON.parse(text);
  } catch {
    const what = bytes.length === 0 ? 'The body is empty; it must be JSON.' : 'The body is not valid JSON.';
    throw fault('invalid_json', 'is not valid JSON', what);
  }
}

/** What a body says it is about. */
export interface EnvelopeRules {
  /** The resource's type in the singular; the plural is understood too, since client libraries send both. */
  readonly type: string;
  /** The id in the path, which an id in the body must match; null where the resource is new. */
  readonly id: string | null;
}

/**
 * The object at `data.attributes`.
 * @throws RequestError invalid_request when there is none, conflict when the type or id is another's
 */
export function attributesOf(body: unknown, rules: EnvelopeRules): Readonly<Record<string, unknown>> {
  const data = isObject(body) ? body['data'] : undefined;
  const attributes = isObject(data) ? data['attributes'] : undefined;
  if (!isObject(data) || !isObject(attributes)) {
    const pointer = isObject(data) ? '/data/attributes' : '/data';
    throw fault('invalid_request', 'must be an object', 'The body must have an object at data.attributes.', {
      pointer,
    });
  }
  const { type, id } = data;
  if (type !== undefined && type !== rules.type && type !== `${rules.type}s`) {
    const detail = `The type must be ${rules.type}.`;
    throw fault('conflict', `must be ${rules.type}`, detail, { pointer: '/data/type' });
  }
  const given = typeof id === 'number' ? String(id) : id;
  const isSame = typeof given === 'string' && given.toLowerCase() === rules.id?.toLowerCase();
  if (rules.id !== null && given !== undefined && !isSame) {
    throw fault('conflict', 'must match the path', 'The id in the body is not the one in the path.', {
      pointer: '/data/id',
    });
  }
  return attributes;
}

/**
 * Reads at most `bodyMaxBytes`. What is left of a greater body, Node throws away once the answer is sent: were the
 * stream destroyed, the client would get a broken pipe instead of the answer.
 * @throws RequestError payload_too_large, invalid_request
 */
export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > bodyMaxBytes) break;
      chunks.push(chunk);
    }
  } catch {
    throw fault('invalid_request', 'is incomplete', 'The body ended early.');
  }
  if (size > bodyMaxBytes) {
    throw fault('payload_too_large', 'Payload too large', `The body has more than ${bodyMaxBytes} bytes.`);
  }
  return Buffer.concat(chunks);
}

function refuseMediaType(request: IncomingMessage, isEmpty: boolean): void {
  const header = request.headers['content-type'];
  if (header === undefined && isEmpty) return;
  const mediaType = (header ?? '').split(';', 1).join().trim().toLowerCase();
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (MEDIA_TYPES.includes(mediaType) && encoding.trim().toLowerCase() === 'identity') return;
  const detail = `The body must be of type ${MEDIA_TYPES.join(' or ')}, not compressed.`;
  throw fault('unsupported_media_type', 'Unsupported media type', detail);
}

/** Whether a piece of JSON is an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fault(code: RequestError['code'], title: string, detail: string, source?: ErrorSource): RequestError {
  return new RequestError(code, [{ title, detail, ...(source === undefined ? {} : { source }) }]);
}
