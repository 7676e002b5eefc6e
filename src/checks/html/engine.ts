import { CheckFailure } from '../../domain/check-failure.ts';
import { createSemaphore } from '../../platform/semaphore.ts';
import type { Checker } from '../check-engine.ts';
import { expandsTooFar } from './entity-expansion.ts';
import { createExternalVnu } from './external-vnu.ts';
import { entityExpansionMaxCharacters } from './limits.ts';
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
