/** What a page shows instead of the sites and times of the machine that takes the screenshots. */
export interface Disguise {
  /** Origins of sites and their addresses in the screenshots, such as `https://bakery.example`. */
  readonly sites: Readonly<Record<string, string>>;
  /** The origin of the service and its address in the screenshots. */
  readonly service: readonly [from: string, to: string];
  /**
   * Times from `from` to `to`, in milliseconds since 1970, are shown earlier by `shift` milliseconds. The service reports whole
   * seconds, so `from` is a whole second, and no second belongs to two ranges.
   */
  readonly times: readonly { readonly from: number; readonly to: number; readonly shift: number }[];
}

/**
 * Returns a script for the start of a page. It replaces addresses and times in the responses of the service, and the reverse in
 * the requests of the page, so that the screenshots show a public site instead of a port of this machine.
 */
export function disguiseScript(disguise: Disguise): string {
  return `(${install})(${JSON.stringify(disguise)})`;
}

/** Runs in the page, as text: it may use nothing from outside. */
const install = `function ({ sites, service, times }) {
  const send = globalThis.fetch;
  const hosts = Object.entries(sites).map(([from, to]) => [new URL(from).host, new URL(to).host]);
  const shown = (text) => {
    let result = text;
    for (const [from, to] of Object.entries(sites)) result = result.replaceAll(from, to);
    for (const [from, to] of hosts) result = result.replaceAll(from, to);
    result = result.replace(/"(share_url|invitation_url|deploy_hook_url)":"[^"]+"/g, (found) => found.replace(service[0], service[1]));
    return result.replace(/"(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d)(Z?)"/g, (found, time, zone) => {
      const at = Date.parse(time + 'Z');
      const span = times.find(({ from, to }) => at >= from && at <= to);
      return span === undefined ? found : JSON.stringify(new Date(at - span.shift).toISOString().slice(0, 19) + zone);
    });
  };
  const real = (text) => {
    let result = text;
    for (const [from, to] of Object.entries(sites)) result = result.replaceAll(to, from).replaceAll(encodeURIComponent(to), encodeURIComponent(from));
    for (const [from, to] of hosts) result = result.replaceAll(to, encodeURIComponent(from));
    return result;
  };
  globalThis.fetch = async (input, options) => {
    const isUrl = typeof input === 'string' || input instanceof URL;
    const response = await send(isUrl ? real(String(input)) : input, options);
    const type = response.headers.get('content-type') ?? '';
    if (response.body === null || !/json|event-stream/.test(type)) return response;
    const change = new TransformStream({ transform: (part, to) => to.enqueue(shown(part)) });
    const decoded = response.body.pipeThrough(new TextDecoderStream());
    const body = /event-stream/.test(type)
      ? decoded.pipeThrough(change).pipeThrough(new TextEncoderStream())
      : shown(await new Response(decoded.pipeThrough(new TextEncoderStream())).text());
    return new Response(body, { status: response.status, headers: response.headers });
  };
}`;
