import { AppError } from '../../platform/errors.ts';
import type { HtmlValidator } from './html-validator.ts';
import { externalStartTimeoutMs, htmlCheckTimeoutMs, probeTimeoutMs } from './limits.ts';
import { createTimeLimit } from './time-limit.ts';
import { createVnuClient } from './vnu-client.ts';

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
