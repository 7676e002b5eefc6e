import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Transaction } from 'kysely';
import type { Viewer } from '../../accounts/access.ts';
import { isUuid } from '../../domain/schemas.ts';
import { AppError, messageOf } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import { createSecretBox } from '../../platform/secret-box.ts';
import { type Database, type Executor, inTransaction } from '../../store/database.ts';
import {
  countIdempotencyKeys,
  doneParts,
  type EarlierRequest,
  findEarlierRequest,
  forgetParts,
  KEPT_HOURS,
  keepPart,
  keepResponse,
  takeIdempotencyKey,
  whileKeyIsLocked,
} from '../../store/idempotency-keys.ts';
import type { PartResult, Schema } from '../../store/schema.ts';
import { parseQuery } from '../jsonapi/query.ts';
import { ENDPOINTS } from '../resources/endpoints.ts';
import { authenticateRequests, viewerOf } from './authenticate.ts';
import { ignoreBodies, readAnyBodies, readJsonBodies, sendDocument } from './body.ts';
import type { Answer, ApiParts, Endpoint, FileAnswer, Once } from './endpoint.ts';
import { sendEvents } from './events.ts';
import {
  fileIdleMs,
  idempotencyKeyMaxCharacters,
  idempotencyKeysMax,
  sameKeyRetryMs,
  sameKeyWaitMs,
} from './limits.ts';
import { API_PREFIX, baseUrlFor, linksFrom, pathOf, routeOf } from './links.ts';

/** Plugin that serves everything below `/api/v1`. */
export function serveEndpoints(server: FastifyInstance, parts: ApiParts, done: () => void): void {
  authenticateRequests(server, parts);
  const takesNone = ({ method, body }: Endpoint): boolean => method === 'POST' && body === null;
  readJsonBodies(server);
  addRoutes(server, parts, (endpoint) => !takesNone(endpoint));
  for (const [readBodies, refuses] of [
    [ignoreBodies, false],
    [readAnyBodies, true],
  ] as const) {
    server.register((scope, _options, scopeDone) => {
      readBodies(scope);
      addRoutes(scope, parts, (endpoint) => takesNone(endpoint) && (endpoint.refusal !== null) === refuses);
      scopeDone();
    });
  }
  done();
}

function addRoutes(scope: FastifyInstance, parts: ApiParts, filter: (endpoint: Endpoint) => boolean): void {
  for (const endpoint of ENDPOINTS.filter(filter)) {
    scope.route<{ Params: Record<string, string> }>({
      method: endpoint.method,
      url: routeOf(endpoint.path),
      // Compression would hold events back until many have accumulated.
      ...(endpoint.answers.content === 'events' && { compress: false }),
      handler: (request, reply) => serve(parts, endpoint, request, reply),
    });
  }
}

async function serve(
  parts: ApiParts,
  endpoint: Endpoint,
  request: FastifyRequest<{ Params: Record<string, string> }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { db, credentialStore, clock, feeds, exportReport, exportComparison, testLogin, testJourney, config } = parts;
  const viewer = request.getDecorator<Viewer>('viewer');
  const baseUrl = baseUrlFor(request, config);
  // Only for operators: anyone else could fill other people's audit logs.
  const manages = endpoint.operator === true && viewer.isOperator;
  if (manages) request.managedAccountId = uuidOrNull(request.params['account_id']);
  const run: Run = (executor, doOnce = (_, work) => inTransaction(executor, work)) =>
    endpoint.run({
      db: executor,
      once: doOnce,
      credentialStore,
      clock,
      planLimits: config.planLimits,
      scheduleTimeMs: config.scheduleTimeMs,
      contactUrl: config.contactUrl,
      mailFrom: config.mailFrom,
      allowPrivateNetworks: config.allowPrivateNetworks,
      backupDir: config.backupDir,
      signUp: config.signUp,
      viewer,
      baseUrl,
      links: linksFrom(baseUrl),
      path: pathOf(request).slice(API_PREFIX.length),
      params: request.params,
      query: parseQuery(request.url),
      lastEventId: request.headers['last-event-id']?.toString(),
      feeds,
      exportReport,
      exportComparison,
      testLogin,
      testJourney,
      reauthenticate: () => viewerOf(parts, request),
      body: request.body,
      remark: (text) => {
        request.auditRemark = text;
      },
    });
  const takesKey = endpoint.method === 'POST' && !endpoint.ignoresKey;
  const key = takesKey ? request.headers['idempotency-key'] : undefined;
  const content = [endpoint.method, request.url, JSON.stringify(request.body) ?? ''];
  const once = { accountId: viewer.accountId, key: String(key), content };
  const answerWithKey = endpoint.isInParts ? answerInParts : answerOnce;
  const answer = await (key === undefined ? run(db) : answerWithKey(db, once, run));
  if (answer.stream !== undefined) return sendEvents(request, reply, answer.stream);
  if (answer.file !== undefined) return sendFile(parts.log, request, reply, answer.file);
  if (answer.location !== undefined) reply.header('location', answer.location);
  if (manages) request.managedAccountId ??= uuidOrNull(CREATED_ACCOUNT.exec(answer.location ?? '')?.[1]);
  return sendDocument(reply, answer.status, answer.document);
}

/** In the URL of the resource that a request created. */
const CREATED_ACCOUNT = /\/operator\/accounts\/([^/]+)$/;

function uuidOrNull(id: string | undefined): string | null {
  return id !== undefined && isUuid(id) ? id : null;
}

/**
 * Sends a file, and stops reading it when the connection closes. The file contains text from checked sites, so browsers must save
 * it and not show it as a page of this service. A HEAD request opens no file.
 */
async function sendFile(
  log: Logger,
  request: FastifyRequest,
  reply: FastifyReply,
  { name, mediaType, open }: FileAnswer,
): Promise<FastifyReply> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  if (reply.raw.destroyed) gone.abort();
  const stream = request.method === 'HEAD' ? null : await open(gone.signal);
  // The status has been sent, so the client only sees that the file ends early.
  stream?.on('error', (error) => log.warn({ reason: messageOf(error), file: name }, 'A download was interrupted'));
  if (reply.raw.destroyed) stream?.destroy();
  reply.raw.setTimeout(fileIdleMs, () => reply.raw.destroy());
  reply.headers({
    'content-type': mediaType,
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  return reply.send(stream ?? undefined);
}

/** A request that must not run twice. */
interface OnceRequest {
  readonly accountId: string;
  /** The `Idempotency-Key` header. */
  readonly key: string;
  /** Method, URL and body, which must be the same when a request is repeated. */
  readonly content: readonly (string | Buffer)[];
}

/** Runs a request. @param once runs each part. Default: always runs it */
type Run = (db: Executor, once?: Once) => Promise<Answer>;

/**
 * Runs a request once, and returns the stored response when it is repeated. Its changes and its response are written in one
 * transaction: a process that is killed leaves nothing behind, and of several concurrent requests, one runs while the others
 * wait. Errors are not stored, because nothing was changed.
 * @param run must do all its work in the given transaction
 * @throws AppError invalid_request if the key is malformed, invalid if it was used for another request or the account has
 *   used too many keys
 */
export function answerOnce(db: Executor, request: OnceRequest, run: Run): Promise<Answer> {
  const { accountId } = request;
  const { id, requestHash, box } = keyOf(request);
  return inTransaction(db, async (trx) => {
    const earlier = await takeIdempotencyKey(trx, id, requestHash);
    if (earlier !== null) return earlierAnswer(request, earlier);
    requireFewKeys(await countIdempotencyKeys(trx, accountId));
    const answer = await run(trx);
    await keepResponse(trx, id, box.seal(JSON.stringify(answer), accountId));
    return answer;
  });
}

/**
 * The same for a request that would lock too much in one transaction. It uses several, and its response is stored at the end. A
 * process that is killed leaves the finished parts in place, and a repeated request does the rest. Concurrent requests wait for a
 * few seconds.
 * @throws AppError conflict if a concurrent request takes longer
 */
async function answerInParts(db: Database, request: OnceRequest, run: Run): Promise<Answer> {
  const { id } = keyOf(request);
  for (let waitedMs = 0; waitedMs < sameKeyWaitMs; waitedMs += sameKeyRetryMs) {
    const answer = await whileKeyIsLocked(db, id, (connection) => answerAlone(connection, request, run));
    if (answer !== null) return answer;
    await delay(sameKeyRetryMs);
  }
  const detail = 'A request with this Idempotency-Key is still running. Send the request again to get its response.';
  throw new AppError('conflict', detail);
}

/** Runs a request on the connection that holds the lock on its key. */
async function answerAlone(connection: Database, request: OnceRequest, run: Run): Promise<Answer> {
  const { id } = keyOf(request);
  const earlier = await findEarlierRequest(connection, id);
  if (earlier !== null) return earlierAnswer(request, earlier);
  requireFewKeys((await countIdempotencyKeys(connection, request.accountId)) + 1);
  const answer = await forgettingFailures(connection, request, run);
  return answerOnce(connection, request, async (trx) => {
    await forgetParts(trx, id);
    return answer;
  });
}

/** Runs a request in parts. If it is refused, nothing has been changed, and a repeated request starts over. */
async function forgettingFailures(connection: Database, request: OnceRequest, run: Run): Promise<Answer> {
  const once = await onceFor(connection, request);
  try {
    return await run(connection, once);
  } catch (error) {
    if (error instanceof AppError) await forgetParts(connection, keyOf(request).id);
    throw error;
  }
}

async function onceFor(connection: Database, request: OnceRequest): Promise<Once> {
  const { id, requestHash } = keyOf(request);
  const done = new Map((await doneParts(connection, id)).map((each) => [each.part, each]));
  for (const each of done.values()) requireSame(each.requestHash, requestHash);
  return async <Result extends PartResult>(part: string, work: (trx: Transaction<Schema>) => Promise<Result>) => {
    const earlier = done.get(part);
    if (earlier !== undefined) return earlier.result as Result;
    return connection.transaction().execute(async (trx) => {
      const result = await work(trx);
      await keepPart(trx, id, { part, requestHash, result });
      return result;
    });
  };
}

/** @throws AppError invalid_request if the key is malformed */
function keyOf({ accountId, key, content }: OnceRequest) {
  if (!/^[\x20-\x7e]+$/.test(key) || key.length > idempotencyKeyMaxCharacters) {
    const detail = `The Idempotency-Key must have 1 to ${idempotencyKeyMaxCharacters} ASCII characters.`;
    throw new AppError('invalid_request', detail);
  }
  return {
    id: { accountId, keyHash: hash([key]) },
    // Includes the key, because a password in a body could be guessed from the hash of the body alone.
    requestHash: hash([key, ...content]),
    // Encrypted with a value that only the client knows: a response may contain a new token, which is stored nowhere else.
    box: createSecretBox(Buffer.from(key)),
  };
}

/** Returns the stored response. @throws AppError invalid if the key was used for another request */
function earlierAnswer(request: OnceRequest, { requestHash, response }: EarlierRequest): Answer {
  const { requestHash: wanted, box } = keyOf(request);
  requireSame(requestHash, wanted);
  return JSON.parse(box.open(response, request.accountId));
}

function requireSame(requestHash: Buffer, wanted: Buffer): void {
  if (requestHash.equals(wanted)) return;
  const detail = 'This Idempotency-Key has been used for another request. Use a new key for each request.';
  throw new AppError('invalid', detail);
}

/** Throws if an account has used too many keys. @param used with the key of the request @throws AppError invalid */
function requireFewKeys(used: number): void {
  if (used <= idempotencyKeysMax) return;
  const detail = `An account can use ${idempotencyKeysMax} Idempotency-Keys in ${KEPT_HOURS} hours. Send the request without a key.`;
  throw new AppError('invalid', detail);
}

/** Hashes the parts, each with its length, so that different parts with the same concatenation have different hashes. */
function hash(parts: readonly (string | Buffer)[]): Buffer {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(`${Buffer.byteLength(part)}:`).update(part);
  return digest.digest();
}
