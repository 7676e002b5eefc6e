import type { HttpClient, HttpResponse } from '../egress/http-client.ts';
import type { RequestLimiter } from './rate-limiter.ts';

type HttpRequest = Parameters<HttpClient['request']>[0];

/**
 * One request at the limiter's rate, which hears what becomes of it.
 * @throws what the client throws, and the signal's reason
 */
export async function limitedRequest(
  httpClient: HttpClient,
  limiter: RequestLimiter,
  request: Omit<HttpRequest, 'onWritten' | 'onAnswered'>,
): Promise<HttpResponse> {
  const slot = await limiter.acquire(request.signal, request.url);
  try {
    return await httpClient.request({
      ...request,
      onWritten: () => slot.written(),
      onAnswered: () => slot.answered(),
    });
  } finally {
    slot.over();
  }
}
