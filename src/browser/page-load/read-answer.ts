import type { CDPSession } from 'playwright-core';
import { refusalBy, refusalByRedirect, type SentAccess, sentAccess } from '../../domain/access-refusal.ts';
import type { SignIn } from '../../domain/site-access.ts';
import { defaultRestMs, documentMaxBytes, restMaxMs } from '../../egress/limits.ts';
import { busyForMs } from '../../egress/retry-after.ts';
import { CheckFailure } from '../../platform/errors.ts';
import { streamChunkBytes } from './limits.ts';

/** A document as the browser shows it: with the transfer's content encoding undone. */
export interface ShownDocument {
  readonly httpStatus: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** The answer to a document request of the browser, held back before the browser has seen it. */
export interface HeldAnswer {
  readonly requestId: string;
  readonly request: { readonly url: string };
  readonly responseStatusCode?: number;
  readonly responseHeaders?: readonly { readonly name: string; readonly value: string }[];
}

/**
 * The document in an answer to the browser's own request, judged as the spider judges its answers: what is an error, no
 * HTML, or elsewhere is no page to check.
 * @param signIn what the request was signed in with
 * @throws CheckFailure when there is none, permanent unless the server is busy
 */
export async function readAnswer(
  cdp: CDPSession,
  answer: HeldAnswer,
  signIn: SignIn | undefined,
): Promise<ShownDocument> {
  const { requestId, request, responseStatusCode: httpStatus = 0 } = answer;
  const headers = (answer.responseHeaders ?? []).map(({ name, value }) => [name.toLowerCase(), value] as const);
  const isOwn = signIn?.origins.has(new URL(request.url).origin) === true;
  const sent = isOwn ? sentAccess(signIn.access) : null;
  const fault = faultOf(httpStatus, (name) => headers.findLast(([key]) => key === name)?.[1], request.url, sent);
  const restMs = busyForMs({ status: httpStatus, headers }, Date.now(), defaultRestMs);
  if (fault !== null && restMs !== null) throw new CheckFailure(fault, { permanent: restMs > restMaxMs, restMs });
  if (fault !== null) throw refusal(fault);
  return { httpStatus, headers, body: await readBody(cdp, requestId) };
}

function faultOf(
  status: number,
  header: (name: string) => string | undefined,
  url: string,
  sent: SentAccess | null,
): string | null {
  const location = header('location');
  if (status >= 300 && status < 400 && location !== undefined) {
    const target = URL.parse(location, url)?.href ?? location;
    const refusal = sent === null ? null : refusalByRedirect(url, target, sent);
    return refusal ?? `The page redirects the device to ${target}. Start a report from that address`;
  }
  if (status === 204 || status === 205) return `The page answered the device ${status} without content`;
  const refusal = sent === null ? null : refusalBy(status, sent);
  if (status < 200 || status >= 300) return `The page answered the device ${status}${refusal ?? ''}`;
  const type = (header('content-type') ?? '').trim();
  const essence = (type.split(';', 1)[0] ?? '').trim().toLowerCase();
  const isOther = /^[^/\s]+\/[^/\s]+$/.test(essence) && essence !== 'text/html' && essence !== 'application/xhtml+xml';
  return isOther ? `To the device, the page is not HTML but ${type}` : null;
}

/** Reads the body piece by piece, so that one without end is given up in time. */
async function readBody(cdp: CDPSession, requestId: string): Promise<Buffer> {
  const { stream: handle } = await cdp.send('Fetch.takeResponseBodyAsStream', { requestId });
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for (;;) {
      const { data, base64Encoded, eof } = await cdp.send('IO.read', { handle, size: streamChunkBytes });
      const chunk = Buffer.from(data, base64Encoded === true ? 'base64' : 'utf8');
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size > documentMaxBytes)
        throw refusal(`The page is larger than ${documentMaxBytes / 1_048_576} MiB: divide it`);
      if (eof) return Buffer.concat(chunks);
    }
  } finally {
    await cdp.send('IO.close', { handle }).catch(() => undefined);
  }
}

function refusal(message: string): CheckFailure {
  return new CheckFailure(message, { permanent: true });
}
