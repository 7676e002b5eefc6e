import type { FoundIssue } from '../../domain/check.ts';
import { CheckFailure } from '../../platform/errors.ts';
import { createTurnstile } from '../../platform/turnstile.ts';
import type { CheckEngine } from '../check-engine.ts';
import { rawCheckMaxCharacters } from '../limits.ts';
import { createExternalVnu } from './external-vnu.ts';
import { interpretVnuOutput } from './interpret.ts';
import { rawHtmlCheck } from './raw-html-check.ts';
import type { VnuOutput } from './vnu-output.ts';
import { createVnuServer, type VnuServerOptions } from './vnu-server.ts';

export interface HtmlEngineOptions extends VnuServerOptions {
  /** Documents at a time; one per core keeps the validator busy, more gain nothing. */
  readonly concurrency: number;
  /** The base URL of a validator that is already running, instead of a process of ours. */
  readonly externalUrl?: string | undefined;
}

/** The HTML check: the W3C's Nu Html Checker on the document as the server sent it. */
export function createHtmlEngine(options: HtmlEngineOptions): CheckEngine<VnuOutput> {
  const validator =
    options.externalUrl === undefined
      ? createVnuServer(options)
      : createExternalVnu(options.externalUrl, options.checkTimeoutMs);
  const turnstile = createTurnstile(options.concurrency);
  return {
    kind: 'html',
    concurrency: options.concurrency,
    showsPages: false,
    start: () => validator.start(),
    isReady: () => validator.isReady(),
    stop: () => validator.stop(),
    async collect({ document, alone }, signal) {
      const leave = await turnstile.enter('check', signal, alone);
      const output = await validator.validate(document, signal).finally(leave);
      const failure = output.messages.find((message) => message.type === 'non-document-error');
      // The same document would fail again: it was posted whole, and there is nothing to fetch.
      if (failure !== undefined) throw new CheckFailure(failure.message, { permanent: true });
      return { url: document.url, ...withoutUrl(output) };
    },
    interpret: (raw, pageUrl): readonly FoundIssue[] => interpretVnuOutput(raw, pageUrl),
    notes: () => [],
    rawCheck: (raw) => rawHtmlCheck(raw, rawCheckMaxCharacters),
  };
}

function withoutUrl({ url: _, ...rest }: VnuOutput): Omit<VnuOutput, 'url'> {
  return rest;
}
