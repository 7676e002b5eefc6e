import { setTimeout as sleep } from 'node:timers/promises';
import { CheckFailure } from '../../domain/check-failure.ts';
import type { ChildRegistry } from '../../platform/child-registry.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import { deathNoticeMs, defaultHeapMegabytes, htmlCheckTimeoutMs, probeTimeoutMs, warmUpRounds } from './limits.ts';
import { createTimeLimit } from './time-limit.ts';
import type { HtmlValidator, VnuDocument } from './vnu-client.ts';
import { launchVnu, type VnuCompiler, type VnuProcess } from './vnu-process.ts';
import { createVnuSupervisor } from './vnu-supervisor.ts';

export interface VnuServerOptions {
  /** A Java executable, or a folder like JAVA_HOME. Default: `java` on the PATH. */
  readonly javaPath?: string | undefined;
  /** Maximum size of Java's heap, at least 256. Default: 512. */
  readonly heapMegabytes?: number | undefined;
  /** Default: quick. */
  readonly compiler?: VnuCompiler | undefined;
  /** Default: 60,000. */
  readonly checkTimeoutMs?: number | undefined;
  readonly children: ChildRegistry;
  readonly logger: Logger;
}

export interface VnuServer extends HtmlValidator {
  /** Pid and port of the running process; null for none. */
  current(): { readonly pid: number; readonly port: number } | null;
}

/**
 * Creates a validator that runs as a warm child process. When the process ends, checks in progress fail and may be retried. New
 * checks wait until it is restarted. A check that takes too long kills the process, because its thread cannot be stopped
 * otherwise. The failure is permanent if the validator still answers other requests.
 */
export function createVnuServer(options: VnuServerOptions): VnuServer {
  const { logger, children } = options;
  const checkTimeoutMs = options.checkTimeoutMs ?? htmlCheckTimeoutMs;
  const supervisor = createVnuSupervisor(launch, logger);
  let checksInProgress = 0;

  async function launch(signal: AbortSignal): Promise<VnuProcess> {
    const startedAt = Date.now();
    const { javaPath, heapMegabytes = defaultHeapMegabytes, compiler = 'quick' } = options;
    const vnu = await launchVnu({ javaPath, heapMegabytes, compiler, children, logger }, signal);
    logger.debug({ pid: vnu.pid, port: vnu.port, ms: Date.now() - startedAt }, 'HTML validator ready');
    void warmUp(vnu, () => checksInProgress === 0, signal);
    return vnu;
  }

  async function validateOn(vnu: VnuProcess, document: VnuDocument, signal: AbortSignal): Promise<Buffer> {
    const limit = createTimeLimit(checkTimeoutMs, signal);
    try {
      const output = await vnu.client.validate(document, limit.signal);
      supervisor.resetBackoff();
      return output;
    } catch (error) {
      if (!limit.isOver()) {
        // The connection fails before the process has ended. Wait for its end, so that a retry waits for the next process.
        if (!signal.aborted) await Promise.race([vnu.ended, sleep(deathNoticeMs)]);
        throw error;
      }
      if (supervisor.running() !== vnu) throw error;
      throw await killAfterTimeout(vnu, error);
    } finally {
      limit.end();
    }
  }

  async function killAfterTimeout(vnu: VnuProcess, cause: unknown): Promise<CheckFailure> {
    const answers = await vnu.client.probe(Math.min(probeTimeoutMs, checkTimeoutMs));
    logger.warn({ pid: vnu.pid, answers }, 'An HTML check took too long. Killing the validator.');
    vnu.kill();
    const failure = { code: 'validator_timeout', params: { seconds: checkTimeoutMs / 1_000 } } as const;
    return new CheckFailure(failure, { permanent: answers, blame: 'anybody', cause });
  }

  /** Retries once when no connection was made, since the document cannot have caused that. */
  async function validateWithRetry(document: VnuDocument, signal: AbortSignal): Promise<Buffer> {
    const vnu = await waitForProcess(signal);
    try {
      return await validateOn(vnu, document, signal);
    } catch (error) {
      const neverArrived = error instanceof CheckFailure && error.blame === 'checker';
      if (signal.aborted || !neverArrived) throw error;
      return await validateOn(await waitForProcess(signal), document, signal);
    }
  }

  async function waitForProcess(signal: AbortSignal): Promise<VnuProcess> {
    const limit = createTimeLimit(checkTimeoutMs, signal);
    try {
      return await limit.race(supervisor.ready());
    } catch (error) {
      const failure = { code: 'validator_unavailable', params: { text: messageOf(error) } } as const;
      throw new CheckFailure(failure, { permanent: false, blame: 'checker', cause: error });
    } finally {
      limit.end();
    }
  }

  return {
    start: supervisor.start,
    stop: supervisor.stop,
    async validate(document, signal) {
      checksInProgress += 1;
      try {
        return await validateWithRetry(document, signal);
      } finally {
        checksInProgress -= 1;
      }
    },
    async isReady() {
      return (await supervisor.running()?.client.probe(probeTimeoutMs)) ?? false;
    },
    current() {
      const vnu = supervisor.running();
      return vnu === null ? null : { pid: vnu.pid, port: vnu.port };
    },
  };
}

/**
 * Validates a page repeatedly until `isIdle` returns false. Without it, the first checks would take several times longer. Never
 * rejects.
 */
async function warmUp(vnu: VnuProcess, isIdle: () => boolean, signal: AbortSignal): Promise<void> {
  const document = { contentType: 'text/html; charset=utf-8', body: WARM_UP_DOCUMENT };
  try {
    for (let round = 0; round < warmUpRounds && isIdle(); round += 1) await vnu.client.validate(document, signal);
  } catch {
    // The process has ended, which the supervisor handles.
  }
}

/** Part of a page that uses many features of HTML, correctly and incorrectly, so that the validator loads and compiles its code. */
const SECTION = `
<section id="s-INDEX" class="a b c">
<h2>Heading <span id="h-INDEX">INDEX</span></h2>
<p style="color: #333; margin: 0 auto">Some ordinary text with <a href="https://www.example.org/path/INDEX?a=1&amp;b=2#c"
class="reference external" title="A title">a link</a>, <em>stress</em>, <code class="docutils literal"><span
class="pre">code</span></code> &mdash; and caf&eacute;.</p>
<ul><li><p>One <strong>item</strong></p></li><li aria-label="x">Two<ul><li>nested</li></ul></li></ul>
<table class="docutils"><caption>Numbers</caption><thead><tr><th scope="col">A</th><th colspan="2">B</th></tr></thead>
<tbody><tr><td rowspan="2">1</td><td>2</td><td>3</td></tr><tr><td>4</td><td>5</td></tr></tbody></table>
<form action="/search" method="get"><label for="q-INDEX">Search</label><input id="q-INDEX" type="text" name="q"
placeholder="words"><input type="number" min="1" max="9" step="1"><select name="n"><option selected>1<option>2</select>
<button type="submit" class="btn btn-primary" data-toggle="x">Go</button></form>
<pre><span class="kn">import</span> <span class="nn">sys</span>
<span class="k">def</span> <span class="nf">f</span><span class="p">(</span><span class="n">x</span><span class="p">):</span>
</pre><dl class="py function"><dt class="sig sig-object py" id="f-INDEX"><span class="sig-name descname">f</span>(<em>x</em>)</dt>
<dd>Text about it.</dd></dl>
<img src="a b.png"><img src="image.png" alt="An image" width="10" height="20" srcset="a.png 1x, b.png 2x">
<div role="navigation" aria-expanded="false"><center>Old</center><p><div>Wrong</div></p></div>
<figure><svg viewBox="0 0 10 10" width="10" height="10"><path d="M0 0L10 10"/><circle cx="5" cy="5" r="2" fill="red"/></svg>
<figcaption>Drawing</figcaption></figure><time datetime="2024-02-30">then</time><iframe src="https://example.org/"></iframe>
</section>`;

const PAGE = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Warm-up</title><link rel="stylesheet" href="style.css" media="screen and (min-width: 600px)"><script src="x.js" defer
type="text/javascript"></script><style>body { font: 14px/1.5 "Open Sans", sans-serif; colr: red }
@media print { .a > .b:hover { display: none } }</style><script>window.x = 1 < 2 && "</p>";</script></head>
<body><nav><a href="#main">Skip</a></nav><main id="main"><h1>Warm-up</h1>
${Array.from({ length: 12 }, (_, index) => SECTION.replaceAll('INDEX', String(index))).join('\n')}
</main><footer>End</footer></body></html>
`;

const WARM_UP_DOCUMENT = Buffer.from(PAGE);
