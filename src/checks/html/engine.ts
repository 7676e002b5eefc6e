import { CheckFailure } from '../../domain/check-failure.ts';
import { AppError } from '../../platform/errors.ts';
import { createSemaphore } from '../../platform/semaphore.ts';
import type { Checker } from '../check-engine.ts';
import { expandsTooFar } from './entity-expansion.ts';
import type { HtmlValidator } from './html-validator.ts';
import { entityExpansionMaxCharacters, externalStartTimeoutMs, htmlCheckTimeoutMs, probeTimeoutMs } from './limits.ts';
import { createTimeLimit } from './time-limit.ts';
import { createVnuClient } from './vnu-client.ts';
import { isXml } from './vnu-request.ts';
import { createVnuServer, type VnuServerOptions } from './vnu-server.ts';

export interface HtmlEngineOptions extends VnuServerOptions {
  /** Documents at a time; one per core keeps the validator busy, more gain nothing. */
  readonly concurrency: number;
  /** The base URL of a validator that is already running, instead of a process of ours. */
  readonly externalUrl?: string | undefined;
}

/** The HTML check: the W3C's Nu Html Checker on the document as the server sent it. */
export function createHtmlEngine(options: HtmlEngineOptions): Checker {
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
      const leave = await semaphore.acquire('check', signal, alone);
      return validator.validate(document, signal).finally(leave);
    },
  };
}

const TOO_MUCH_EXPANDED = new CheckFailure(
  { code: 'entities_too_long', params: { characters: entityExpansionMaxCharacters } },
  { permanent: true },
);

/**
 * A validator that is already running at a URL: any vnu in server mode. Its limits are its own: to find everything it
 * needs `nu.validator.servlet.max-file-size` and `nu.validator.messages.limit` raised.
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
    async validate(document, signal) {
      const limit = createTimeLimit(checkTimeoutMs, signal);
      try {
        return await client.validate(document, limit.signal);
      } finally {
        limit.end();
      }
    },
  };
}
