import { CheckFailure } from '../../domain/check-failure.ts';
import { AppError } from '../../platform/errors.ts';
import { createSemaphore } from '../../platform/semaphore.ts';
import type { EngineRuntime } from '../check-engine.ts';
import { expandsTooFar } from './entity-expansion.ts';
import { entityExpansionMaxCharacters, externalStartTimeoutMs, htmlCheckTimeoutMs, probeTimeoutMs } from './limits.ts';
import { createVnuClient, type HtmlValidator, isXml } from './vnu-client.ts';
import { createVnuServer, type VnuServerOptions } from './vnu-server.ts';

export interface HtmlEngineOptions extends VnuServerOptions {
  /** Number of documents at a time. One per core is enough. */
  readonly concurrency: number;
  /** The base URL of a running validator to use instead of starting one. */
  readonly externalUrl?: string | undefined;
}

/** Creates the HTML check: the W3C's Nu Html Checker, on the document that the site's server sent. */
export function createHtmlEngine(options: HtmlEngineOptions): EngineRuntime {
  const validator =
    options.externalUrl === undefined
      ? createVnuServer(options)
      : createExternalVnu(options.externalUrl, options.checkTimeoutMs);
  const semaphore = createSemaphore(options.concurrency);
  return {
    concurrency: options.concurrency,
    start: () => validator.start(),
    isReady: () => validator.isReady(),
    stop: () => validator.stop(),
    async collect({ document, alone }, signal) {
      if (isXml(document.contentType) && expandsTooFar(document.body)) throw TOO_MUCH_EXPANDED;
      const release = await semaphore.acquire('check', signal, alone);
      return validator.validate(document, signal).finally(release);
    },
  };
}

const TOO_MUCH_EXPANDED = new CheckFailure(
  { code: 'entities_too_long', params: { characters: entityExpansionMaxCharacters } },
  { permanent: true },
);

/**
 * Creates a client for a running vnu in server mode. Its limits `nu.validator.servlet.max-file-size` and
 * `nu.validator.messages.limit` must be raised, or large documents lose messages.
 */
export function createExternalVnu(url: string, checkTimeoutMs = htmlCheckTimeoutMs): HtmlValidator {
  const client = createVnuClient(url);
  return {
    async start() {
      if (await client.probe(externalStartTimeoutMs)) return;
      const remedy =
        'Start it, correct SITEWARDEN_VNU_URL, or unset it to use the validator that comes with sitewarden.';
      throw new AppError('validator_failed_to_start', `No HTML validator answers at ${url}. ${remedy}`);
    },
    isReady: () => client.probe(probeTimeoutMs),
    stop: () => client.close(),
    validate: (document, signal) =>
      client.validate(document, AbortSignal.any([signal, AbortSignal.timeout(checkTimeoutMs)])),
  };
}
