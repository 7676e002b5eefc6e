/** Maximum size of a response. Documents about a provider and its keys take up a few kilobytes. */
const RESPONSE_MAX_BYTES = 1_048_576;

/**
 * Sends a request to a server that the operator has named, so its address is not guarded. Follows no redirect. The caller's
 * `signal` limits the time.
 * @throws Error if the response is larger than 1 MiB; what `fetch` throws
 */
export async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...options, redirect: 'manual' });
  const { status, headers, body } = response;
  if (body === null) return response;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > RESPONSE_MAX_BYTES) throw new Error(`The response has more than ${RESPONSE_MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), { status, headers });
}
