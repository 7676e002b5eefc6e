import type { IncomingMessage } from 'node:http';
import { type ErrorSource, RequestError } from '../jsonapi/errors.ts';
import { bodyMaxBytes, discardedMaxBytes, discardTimeoutMs } from '../limits.ts';

/** The types of the bodies that endpoints take. */
export const BODY_MEDIA_TYPES = ['application/json', 'application/vnd.api+json'];

/**
 * Parses a body of one of the types above.
 * @throws RequestError unsupported_media_type, invalid_json
 */
export function parseJson(request: Pick<IncomingMessage, 'headers'>, bytes: Buffer): unknown {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity') throw unsupportedMediaType();
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw fault('invalid_json', 'is not UTF-8', 'The body is not valid UTF-8.');
  }
  try {
    return JSON.parse(text);
  } catch {
    if (bytes.length === 0) throw emptyBody();
    throw fault('invalid_json', 'is not valid JSON', 'The body is not valid JSON.');
  }
}

/** The answer to a body of another type, or a compressed one. */
export function unsupportedMediaType(): RequestError {
  const detail = `The body must be of type ${BODY_MEDIA_TYPES.join(' or ')}, not compressed.`;
  return fault('unsupported_media_type', 'Unsupported media type', detail);
}

/** The answer to a body of more than `bodyMaxBytes`. */
export function payloadTooLarge(): RequestError {
  return fault('payload_too_large', 'Payload too large', `The body has more than ${bodyMaxBytes} bytes.`);
}

/** The answer to a body that broke off. */
export function incompleteBody(): RequestError {
  return fault('invalid_request', 'is incomplete', 'The body ended early.');
}

function emptyBody(): RequestError {
  return fault('invalid_json', 'is not valid JSON', 'The body is empty; it must be JSON.');
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
 * @param body the parsed body; undefined when there was none
 * @throws RequestError invalid_json when there was no body, invalid_request when it has no such object, conflict when the
 *   type or id is another's
 */
export function attributesOf(body: unknown, rules: EnvelopeRules): Readonly<Record<string, unknown>> {
  if (body === undefined) throw emptyBody();
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
 * Reads and drops the rest of a body that was refused. A client that is still sending would get a reset connection
 * instead of the answer, and a connection with an unread body takes no other request.
 * @returns false when the body is longer than `discardedMaxBytes` or takes longer than `discardTimeoutMs`
 */
export async function discardBody(request: IncomingMessage): Promise<boolean> {
  if (request.readableEnded) return true;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let size = 0;
  const count = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > discardedMaxBytes) resolve(false);
  };
  const timer = setTimeout(resolve, discardTimeoutMs, false);
  request.on('data', count);
  request.once('end', () => resolve(true));
  request.once('close', () => resolve(false));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    request.off('data', count);
  }
}

/** Whether a piece of JSON is an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fault(code: RequestError['code'], title: string, detail: string, source?: ErrorSource): RequestError {
  return new RequestError(code, [{ title, detail, ...(source === undefined ? {} : { source }) }]);
}
