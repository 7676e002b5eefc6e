import type { HttpClient, HttpResponse } from '../egress/http-client.ts';
import type { Credentials } from './credentials.ts';
import type { RequestLimiter } from './rate-limiter.ts';

type HttpRequest = Parameters<HttpClient['request']>[0];

interface LimitedRequest extends Omit<HttpRequest, 'onWritten' | 'onAnswered'> {
  readonly credentials?: Credentials | undefined;
}

/**
 * One request at the limiter's rate, which hears what becomes of it.
 * @throws what the client throws, and the signal's reason
 */
export async function limitedRequest(
  httpClient: HttpClient,
  limiter: RequestLimiter,
  { credentials, ...request }: LimitedRequest,
): Promise<HttpResponse> {
  const slot = await limiter.acquire(request.signal, request.url);
  try {
    return await httpClient.request({
      ...request,
      headers: { ...request.headers, ...credentials?.headersFor(request.url) },
      onWritten: () => slot.written(),
      onAnswered: () => slot.answered(),
    });
  } finally {
    slot.over();
  }
}
